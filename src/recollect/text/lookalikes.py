"""Characters that look like others, read as a person or a model reads them. For comparing only, never for showing."""

import unicodedata

_CYRILLIC = dict(zip("авеёзікмнорстухцчьѕіјһԁԛԝӏүѵɡ", "abee3ikmhopctyxu4bsijhdqwlyvg", strict=True))
_GREEK = dict(zip("αβγεζηικμνορτυχωϲϳ", "abyeznikuvoptuxwcj", strict=True))
_OTHERS = dict(zip("ıłøđħŧŋſƒɑɩʟꜱᴀᴄᴅᴇᴋᴍɴᴏᴘʀᴛᴜᴠᴡᴢ", "ilodhtnsfails" + "acdekmnoprtuvwz", strict=True))
_LETTERS = str.maketrans({**_CYRILLIC, **_GREEK, **_OTHERS})


def folded(text: str) -> str:
    """Small letters without accents; wide, bold or circled ones are plain."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text).lower()
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def latin(text: str) -> str:
    """The same with letters of other scripts read as the Latin ones that they look like."""
    return text if text.isascii() else text.translate(_LETTERS)
