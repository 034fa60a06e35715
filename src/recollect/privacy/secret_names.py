"""Judges the name of a value: a password, a generated key, a weak clue, or none. Pure."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

from recollect.privacy import secret_words

# Every name of a secret contains one of these.
NAME_WORDS = re.compile(
    rb"pass|pwd|pw|pin|puk|secret|token|key|cred|auth|jwt|access|api|seed|salt|sign?|totp|otp|code|login|logged|connect|pdo|mysqli"
    rb"|hmac|fernet|cipher|aes|crypt|serializer|wifi|kennwort|zugangs|wachtwoord|contrase|senha|clave|chave|parola|heslo"
    rb"|sandi|salasana|adgangskode|psk|pa55|p4ss|session|sess|sid|cookie|nonce|bearer|shared|community|lozink|segre|geheim|jeton"
)
_NAME_BYTES = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")
_AS_NAMES = bytes(byte if byte in _NAME_BYTES else 0x20 for byte in range(256))
_NAME_REACH = 60  # how far a name goes on to either side of the anchor
_MAX_NAME_CHARS = 120
_MAX_SEARCHED_WORDS = 60
_NAME = re.compile(rb"[^ ]+")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_DIGITS_AS_LETTERS = str.maketrans("0345", "oeas")
_HASHED = ("passwordhash", "passwdhash", "passhash", "hashedpassword", "encryptedpassword", "passworddigest")
_VENDORS = sorted((name.replace("_", "") for name in secret_words.VENDORS), key=len, reverse=True)
_NOT_SECRET = re.compile(
    "publickey|pubkey|keytoken|integrity|checksum|sha256|sha512|sha1|digest|fingerprint|commit|revision|etag|hash$|sha$|vaultname"
)
# After the decisive word these change nothing.
_NEUTRAL = frozenset("base value string str plain raw base64 b64 live prod staging dev main default env 1 2 3".split())


class Strength(Enum):
    NOTHING = auto()
    WEAK = auto()  # `key`, `auth`: only a value that is random beyond doubt
    PIN = auto()  # some digits
    MAYBE = auto()  # `deployment_key`: a long and random value
    LOGIN = auto()  # `login`, `connect`: only a password after its user, or among arguments
    VENDOR = auto()  # the name of a company that issues keys
    KEY = auto()  # `api_key`, `token`: anything that was generated
    PASSWORD = auto()  # anything but a plain word


@dataclass(frozen=True, slots=True, kw_only=True)
class NameClue:
    strength: Strength
    rule: str
    is_login: bool = False  # a user and a password may follow
    is_signer: bool = False  # a key may follow
    is_ordinary_word: bool = False  # `pass`

    @property
    def may_be_in_prose(self) -> bool:
        return self.strength not in (Strength.NOTHING, Strength.LOGIN, Strength.VENDOR)


_NO_CLUE = NameClue(strength=Strength.NOTHING, rule="")


def as_names(text: bytes) -> bytes:
    """Replace everything but words by blanks, and add one blank at either end."""
    return b" %b " % text.translate(_AS_NAMES)


def find_names(names: bytes, words: Iterable[bytes]) -> Iterator[tuple[int, int]]:
    """Find the names of secrets, in order. A text has few different words, and most of them are in the cache."""
    for start, word in _find_words(names, [*filter(_is_clue, words)]):
        if len(word) <= _MAX_NAME_CHARS:
            yield start, start + len(word.rstrip(b".-"))
        else:
            yield from _find_in_long_word(word, start)


def _find_words(names: bytes, words: list[bytes]) -> list[tuple[int, bytes]]:
    if len(words) > _MAX_SEARCHED_WORDS:  # one search per word would take too long
        known = set(words)
        return [(match.start() - 1, match.group()) for match in _NAME.finditer(names) if match.group() in known]
    places = []
    for word in words:
        place = names.find(b" %b " % word)
        while place >= 0:
            places.append((place, word))
            place = names.find(b" %b " % word, place + len(word) + 1)
    return sorted(places)


def _find_in_long_word(word: bytes, start: int) -> Iterator[tuple[int, int]]:
    """Find anchors in a word that is longer than any name."""
    done = 0
    for anchor in NAME_WORDS.finditer(word.lower()):
        if anchor.start() >= done:
            done = min(len(word), anchor.end() + _NAME_REACH)
            yield start + max(0, anchor.start() - _NAME_REACH), start + done


@lru_cache(maxsize=1 << 16)
def _is_clue(word: bytes) -> bool:
    if NAME_WORDS.search(word.lower()) is None:
        return False
    return len(word) > _MAX_NAME_CHARS or classify_name(word.rstrip(b".-")).strength is not Strength.NOTHING


@lru_cache(maxsize=4096)
def classify_name(name: bytes) -> NameClue:
    """Judge `DB_PASSWORD`, `apiKey`, `x-auth-token`, `spring.mail.password` or two words of prose."""
    words = _split_words(name[-80:].decode("latin-1"))
    joined = "".join(words)
    if joined.endswith(_HASHED):
        return NameClue(strength=Strength.KEY, rule="password-hash")
    if not words or _NOT_SECRET.search(joined):
        return _NO_CLUE
    vendor = _find_vendor(words, joined)
    found = _clue_of_words(words, joined)
    if vendor is None or found.strength is Strength.PASSWORD:
        return found
    if found.strength is Strength.KEY:
        return NameClue(strength=Strength.KEY, rule=f"{vendor}-{found.rule}")
    return NameClue(strength=Strength.VENDOR, rule=f"{vendor}-key")


def _split_words(name: str) -> list[str]:
    """Split a name into lower-case words; `passw0rd` becomes `password`."""
    plain = name.lower().translate(_DIGITS_AS_LETTERS)
    if "passw" in plain and "passw" not in name.lower().replace("passw0", ""):
        name = plain
    return [word.lower() for word in _WORD.findall(name.replace("WiFi", "wifi"))]


def _find_vendor(words: list[str], joined: str) -> str | None:
    for name in _VENDORS:
        if name in joined:
            return name
    return next((word for word in words if word in secret_words.WORDY_VENDORS), None)


def _clue_of_words(words: list[str], joined: str) -> NameClue:
    """Judge by the last word with a strength; the words after it may cancel it."""
    for place in range(len(words) - 1, -1, -1):
        strength = _strength(words, place)
        if strength is Strength.NOTHING:
            continue
        after = [word for word in words[place + 1 :] if not word.isdigit()]
        if any(word in secret_words.ABOUT for word in after):
            return _NO_CLUE
        others = secret_words.OTHER_KEYS if words[place] == "key" else secret_words.OTHER_TOKENS
        if place and words[place - 1] in others and strength is not Strength.PASSWORD:
            return _NO_CLUE
        if strength is Strength.PASSWORD and any(word not in _NEUTRAL for word in after):
            strength = Strength.KEY
        return NameClue(
            strength=strength,
            rule=_rule(strength, joined),
            is_login=words[place] in secret_words.LOGINS,
            is_signer=words[place] in secret_words.SIGNERS,
            is_ordinary_word=words[: place + 1] == ["pass"],
        )
    return _NO_CLUE


def _strength(words: list[str], place: int) -> Strength:
    word = words[place]
    if word in secret_words.PASSWORDS or word == "pass":
        return Strength.PASSWORD
    if len(word) > 4 and word.endswith(("password", "passwd", "pwd", "pw")) and not word.startswith("get"):
        return Strength.PASSWORD
    if word in secret_words.TOKENS or (len(word) > 6 and word.endswith(secret_words.TOKEN_ENDINGS)):
        return Strength.KEY
    before = words[place - 1] if place else ""
    if word in secret_words.PINS or (word == "code" and before in secret_words.CODE_KINDS):
        return Strength.PIN
    if word == "key" and before:
        return Strength.KEY if before in secret_words.KEY_KINDS else Strength.MAYBE
    if word == "seed" and before in ("fa", "mfa", "otp", "totp"):
        return Strength.KEY
    if word in secret_words.WEAK:
        return Strength.WEAK
    return Strength.LOGIN if word in secret_words.LOGINS else Strength.NOTHING


def _rule(strength: Strength, joined: str) -> str:
    if strength is Strength.PASSWORD:
        return "password"
    for noun in ("token", "secret", "credential"):
        if noun in joined:
            return noun
    return "api-key" if "key" in joined else "secret"
