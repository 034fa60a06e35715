"""Read characters as the ones that they look like. For comparing only, never for showing."""

import unicodedata

_CYRILLIC = dict(zip("авеёзікмнорстухцчьѕіјһԁԛԝӏүѵɡ", "abee3ikmhopctyxu4bsijhdqwlyvg", strict=True))
_GREEK = dict(zip("αβγεζηικμνορτυχωϲϳ", "abyeznikuvoptuxwcj", strict=True))
_OTHERS = dict(zip("ıłøđħŧŋſƒɑɩʟꜱᴀᴄᴅᴇᴋᴍɴᴏᴘʀᴛᴜᴠᴡᴢ", "ilodhtnsfails" + "acdekmnoprtuvwz", strict=True))
_LETTERS = str.maketrans({**_CYRILLIC, **_GREEK, **_OTHERS})


def fold(text: str) -> str:
    """Return small letters without accents; wide, bold and circled letters become plain."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text).lower()
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def to_latin(text: str) -> str:
    """Replace letters of other scripts by the Latin ones that they look like."""
    return text if text.isascii() else text.translate(_LETTERS)
