"""A text as it is read rather than as it is written: one byte for each character, so that places stay what they are.

Letters that look like Latin ones become these, quotes and colons of every script become plain ones, and words of other
languages that name a password become `pw___`. Pure. A text in ASCII costs nothing.
"""

import re
from unicodedata import normalize

from recollect.text.lookalikes import latin

OTHER = "\x02"  # a character that Latin-1 has not

_UNSEEN = re.compile("[\u00ad\u034f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]")
_PLAIN = {
    **{wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)},
    **dict.fromkeys(map(ord, "\u00a0\u2009\u202f\u3000"), " "),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u00ab\u00bb\u300c\u300d\u300e\u300f"), '"'),
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b"), "'"),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212\u2500\u2501\u2550"), "-"),
    **dict.fromkeys(map(ord, "\u2502\u2503\u2551"), "|"),
    0x3002: ".",
    0x3001: ",",
}
_WORD = re.compile(r"\w+")
_OTHERS = re.compile(r"[^\x00-\xff]+")
# Words that name a password or a token: how each begins, and all of its forms.
_NAMES = tuple(
    (word, re.compile(word + more, re.IGNORECASE))
    for word, more in (
        *(("contrase\u00f1a", "s?"), ("l\u00f6senord", r"\w{0,3}"), ("jelsz\u00f3", ""), ("has\u0142", r"\w{1,3}")),
        *(("\u015fifre", r"\w{0,4}"), ("m\u1eadt kh\u1ea9u", ""), ("парол", r"\w{0,3}"), ("лозинк", r"\w{0,2}")),
        *(("токен", r"\w{0,2}"), ("секретный ключ", ""), ("κωδικ", r"\w{2,4}"), ("סיסמ", r"\w{0,3}")),
        *(("كلمة المرور", ""), ("كلمة السر", ""), ("รหัสผ่าน", ""), ("पासवर्ड", ""), ("비밀번호", ""), ("암호", "")),
        *((word, "") for word in ("密码", "密碼", "口令", "密钥", "令牌", "パスワード", "トークン")),
    )
)


def has_unseen(text: str) -> bool:
    return not text.isascii() and _UNSEEN.search(text) is not None


def without_unseen(text: str) -> tuple[str, list[int]]:
    """Without characters that no screen shows; and where each of the others was."""
    places = [at for at, character in enumerate(text) if not _UNSEEN.match(character)]
    return "".join(text[at] for at in places), places


def as_bytes(text: str) -> bytes:
    if text.isascii():
        return text.encode("ascii")
    text = text.translate(_PLAIN)
    small = text.lower()
    for word, forms in _NAMES:
        if word in small:
            text = forms.sub(lambda found: "pw" + "_" * (len(found[0]) - 2), text)
    if _OTHERS.search(text) is not None:
        text = _WORD.sub(_as_latin, text)
        text = _OTHERS.sub(lambda found: OTHER * len(found[0]), text)
    return text.encode("latin-1")


def _as_latin(word: re.Match[str]) -> str:
    """A word of several scripts as it looks; a word of one is left as it is."""
    said = word[0]
    if said.isascii() or not any(character.isascii() and character.isalpha() for character in said):
        return said
    return "".join(character if character.isascii() else _letter(character) for character in said)


def _letter(character: str) -> str:
    plain = latin(normalize("NFKC", character).lower())
    if len(plain) != 1:
        return character
    return plain.upper() if character.isupper() else plain
