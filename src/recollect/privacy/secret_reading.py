"""Turns a text into bytes as a person reads it: one byte for each character, so that places stay the same. Finds
places in these bytes.

Letters that look Latin become Latin, quotes and colons of every script become plain ones, and words of other languages
for a password become `pw___`. Pure. A text in ASCII costs nothing.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from unicodedata import combining, normalize

from recollect.text.lookalikes import to_latin

Match = re.Match[bytes]
Found = tuple[int, int, str]  # start, end, rule

OTHER = "\x02"  # any character that is not in Latin-1

# Characters that no screen shows, and combining marks.
_INVISIBLE = re.compile(
    "[\u00ad\u0300-\u036f\u061c\u115f\u1160\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20f0"
    "\u3164\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\uffa0\U000e0000-\U000e01ef]"
)
_SIGNS = {
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u300c\u300d\u300e\u300f\u2039\u203a\u2033", '"'),
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc", "'"),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212\u2500\u2501\u2550", "-"),
    **dict.fromkeys("\u2502\u2503\u2551", "|"),
    **dict.fromkeys("\u250c\u2510\u2514\u2518\u251c\u2524\u252c\u2534\u253c\u2560\u2563\u256c", "+"),
    **dict.fromkeys("\ua789\u2236\u02d0\u05c3\u0589\ua4fa", ":"),
    **dict.fromkeys("\u2192\u21d2\u27f6\u279c\u27a1", ">"),
    "\u3002": ".",
    "\u3001": ",",
}
_WORD = re.compile(r"\w+")
_OTHERS = re.compile(r"[^\x00-\xff]+")
# Words for a password or a token: how each begins, and all of its forms.
_NAMES = tuple(
    (word, re.compile(word + more, re.IGNORECASE))
    for word, more in (
        *(("contrase\u00f1a", "s?"), ("l\u00f6senord", r"\w{0,3}"), ("jelsz\u00f3", ""), ("has\u0142", r"\w{1,3}")),
        *(("\u015fifre", r"\w{0,4}"), ("m\u1eadt kh\u1ea9u", ""), ("парол", r"\w{0,3}"), ("лозинк", r"\w{0,2}")),
        *(("токен", r"\w{0,2}"), ("секретный ключ", ""), ("κωδικ", r"\w{2,4}"), ("סיסמ", r"\w{0,3}")),
        *(("كلمة المرور", ""), ("كلمة السر", ""), ("รหัสผ่าน", ""), ("पासवर्ड", ""), ("비밀번호", ""), ("암호", "")),
        *(("schl\u00fcssel", r"\w{0,2}"), ("ключ api", ""), ("api-ключ", ""), ("пін-код", ""), ("пин-код", "")),
        *(
            (word, "")
            for word in ("密码", "密碼", "口令", "密钥", "令牌", "パスワード", "トークン", "シークレット", "暗証番号")
        ),
        *((word, "") for word in ("秘密鍵", "apiキー", "アクセスキー", "토큰", "비밀키")),
    )
)


def has_invisible(text: str) -> bool:
    return not text.isascii() and _INVISIBLE.search(text) is not None


def without_invisible(text: str) -> tuple[str, list[int]]:
    """Remove invisible characters; also return where each remaining character was."""
    places = [at for at, character in enumerate(text) if not _INVISIBLE.match(character)]
    return "".join(text[at] for at in places), places


def as_bytes(text: str) -> bytes:
    if text.isascii():
        return text.encode("ascii")
    text = text.translate({ord(character): _plain(character) for character in set(text) if character > "\x7f"})
    small = text.lower()
    for word, forms in _NAMES:
        if word in small:
            text = forms.sub(lambda found: "pw" + "_" * (len(found[0]) - 2), text)
    if _OTHERS.search(text) is not None:
        text = _WORD.sub(_as_latin, text)
        text = _OTHERS.sub(lambda found: OTHER * len(found[0]), text)
    return text.encode("latin-1")


@lru_cache(maxsize=4096)
def _plain(character: str) -> str:
    """Replace a wide, bold or circled character by the plain one, if that is a single one: places stay the same."""
    sign = _SIGNS.get(character)
    if sign is not None:
        return sign
    plain = normalize("NFKC", character)
    return plain if len(plain) == 1 else character


def _as_latin(match: re.Match[str]) -> str:
    """Spell a word in Latin letters if it mixes scripts or looks Latin throughout."""
    word = match[0]
    if word.isascii():
        return word
    looks = "".join(map(_letter, word))
    is_mixed = any(character.isascii() and character.isalpha() for character in word)
    return looks if is_mixed or looks.isascii() else word


@lru_cache(maxsize=4096)
def _letter(character: str) -> str:
    if character.isascii():
        return character
    plain = to_latin("".join(part for part in normalize("NFKD", character).lower() if not combining(part)))
    if len(plain) != 1:
        return character
    return plain.upper() if character.isupper() else plain


def find_places(text: bytes, words: Iterable[bytes]) -> list[int]:
    """Return where one of these words begins, unsorted. One search per word is quicker than one pattern for all."""
    places = []
    for word in words:
        place = text.find(word)
        while place >= 0:
            places.append(place)
            place = text.find(word, place + len(word))
    return places


def line_start(text: bytes, place: int, reach: int) -> int:
    """Return where the line of this place begins, but at most `reach` bytes before it."""
    floor = max(0, place - reach)
    found = text.rfind(b"\n", floor, place)
    return found + 1 if found >= 0 else floor
