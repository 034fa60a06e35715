"""What the name of a value tells: a password, a generated key, hardly anything, or nothing. Pure."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

from recollect.privacy.secret_words import (
    ABOUT,
    CODE_KINDS,
    KEY_KINDS,
    LOGINS,
    OTHER_KEYS,
    OTHER_TOKENS,
    PASSWORDS,
    PINS,
    SIGNERS,
    TOKEN_ENDINGS,
    TOKENS,
    VENDORS,
    WEAK,
    WORDY_VENDORS,
)

# A name that tells has one of these in it.
_ANCHOR = re.compile(
    rb"pass|pwd|pw|pin|puk|secret|token|key|cred|auth|jwt|access|api|seed|salt|sign?|totp|otp|code|login|logged|connect|pdo|mysqli"
    rb"|hmac|fernet|cipher|aes|crypt|serializer|wifi|kennwort|zugangs|wachtwoord|contrase|senha|clave|chave|parola|heslo"
    rb"|sandi|salasana|adgangskode|psk|pa55|p4ss|session|sess|sid|cookie|nonce|bearer|shared|community|lozink|segre|geheim|jeton"
)
_NAME_BYTES = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")
_AS_NAMES = bytes(byte if byte in _NAME_BYTES else 0x20 for byte in range(256))
_NAME_REACH = 60  # how far a name goes on to either side of the word that tells
_LONGEST_NAME = 120
_FEW = 60
_NAME = re.compile(rb"[^ ]+")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_DIGITS_AS_LETTERS = str.maketrans("0345", "oeas")
_HASHED = ("passwordhash", "passwdhash", "passhash", "hashedpassword", "encryptedpassword", "passworddigest")
_VENDORS = sorted((name.replace("_", "") for name in VENDORS), key=len, reverse=True)
_NEVER = re.compile(
    "publickey|pubkey|keytoken|integrity|checksum|sha256|sha512|sha1|digest|fingerprint|commit|revision|etag|hash$|sha$|vaultname"
)
# They stay after the telling word without taking anything back.
_STILL = frozenset("base value string str plain raw base64 b64 live prod staging dev main default env 1 2 3".split())


class Strength(Enum):
    NOTHING = auto()
    WEAK = auto()  # `key`, `auth`: only what is random beyond doubt
    PIN = auto()  # some digits
    MAYBE = auto()  # `deployment_key`: what is long and random
    LOGIN = auto()  # `login`, `connect`: only a password behind its user, or among what it is given
    VENDOR = auto()  # the name of one who gives out keys
    KEY = auto()  # `api_key`, `token`: whatever was generated
    PASSWORD = auto()  # whatever is no plain word


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    strength: Strength
    rule: str
    is_login: bool = False  # it may have a user and a password beside it
    is_signer: bool = False  # it may have a key beside it
    is_doubtful: bool = False  # `pass`: a word of every day, too

    @property
    def is_spoken(self) -> bool:
        """Whether the value may follow in a sentence."""
        return self.strength not in (Strength.NOTHING, Strength.LOGIN, Strength.VENDOR)


_NOTHING = Telling(strength=Strength.NOTHING, rule="")


def as_names(text: bytes) -> bytes:
    """The words of a text where they are, with blanks for everything between them and one at either end."""
    return b" %b " % text.translate(_AS_NAMES)


def names_in(names: bytes, words: Iterable[bytes]) -> Iterator[tuple[int, int]]:
    """Where names stand that tell, in order. A text has few different words, and most of them were met before."""
    for start, word in _places(names, [word for word in words if _may_tell(word)]):
        if len(word) <= _LONGEST_NAME:
            yield start, start + len(word.rstrip(b".-"))
        else:
            yield from _within(word, start)


def _places(names: bytes, tell: list[bytes]) -> Iterable[tuple[int, bytes]]:
    if len(tell) > _FEW:  # one look for each would take too long
        known = set(tell)
        found = ((match.start() - 1, match.group()) for match in _NAME.finditer(names))
        return ((place, word) for place, word in found if word in known)
    places = []
    for word in tell:
        place = names.find(b" %b " % word)
        while place >= 0:
            places.append((place, word))
            place = names.find(b" %b " % word, place + len(word) + 1)
    return sorted(places)


def _within(word: bytes, start: int) -> Iterator[tuple[int, int]]:
    """In what is longer than names are."""
    done = 0
    for anchor in _ANCHOR.finditer(word.lower()):
        if anchor.start() >= done:
            done = min(len(word), anchor.end() + _NAME_REACH)
            yield start + max(0, anchor.start() - _NAME_REACH), start + done


@lru_cache(maxsize=1 << 16)
def _may_tell(word: bytes) -> bool:
    if _ANCHOR.search(word.lower()) is None:
        return False
    return len(word) > _LONGEST_NAME or classify_name(word.rstrip(b".-")).strength is not Strength.NOTHING


@lru_cache(maxsize=4096)
def classify_name(name: bytes) -> Telling:
    """Of `DB_PASSWORD`, `apiKey`, `x-auth-token`, `spring.mail.password` or two words of prose."""
    words = _words(name[-80:].decode("latin-1"))
    joined = "".join(words)
    if joined.endswith(_HASHED):
        return Telling(strength=Strength.KEY, rule="password-hash")
    if not words or _NEVER.search(joined):
        return _NOTHING
    vendor = _vendor(words, joined)
    found = _own(words, joined)
    if vendor is None or found.strength is Strength.PASSWORD:
        return found
    if found.strength is Strength.KEY:
        return Telling(strength=Strength.KEY, rule=f"{vendor}-{found.rule}")
    return Telling(strength=Strength.VENDOR, rule=f"{vendor}-key")


def _words(name: str) -> list[str]:
    """`passw0rd` is read as it is meant."""
    plain = name.lower().translate(_DIGITS_AS_LETTERS)
    if "passw" in plain and "passw" not in name.lower().replace("passw0", ""):
        name = plain
    return [word.lower() for word in _WORD.findall(name.replace("WiFi", "wifi"))]


def _vendor(words: list[str], joined: str) -> str | None:
    found = next((name for name in _VENDORS if name in joined), None)
    return found or next((word for word in words if word in WORDY_VENDORS), None)


def _own(words: list[str], joined: str) -> Telling:
    """By the last word that tells; what comes after it may take it back."""
    for place in range(len(words) - 1, -1, -1):
        strength = _strength(words, place)
        if strength is Strength.NOTHING:
            continue
        after = [word for word in words[place + 1 :] if not word.isdigit()]
        if any(word in ABOUT for word in after):
            return _NOTHING
        others = OTHER_KEYS if words[place] == "key" else OTHER_TOKENS
        if place and words[place - 1] in others and strength is not Strength.PASSWORD:
            return _NOTHING
        if strength is Strength.PASSWORD and any(word not in _STILL for word in after):
            strength = Strength.KEY
        return Telling(
            strength=strength,
            rule=_rule(strength, joined),
            is_login=words[place] in LOGINS,
            is_signer=words[place] in SIGNERS,
            is_doubtful=words[: place + 1] == ["pass"],
        )
    return _NOTHING


def _strength(words: list[str], place: int) -> Strength:
    word = words[place]
    if word in PASSWORDS or (
        len(word) > 4 and word.endswith(("password", "passwd", "pwd", "pw")) and not word.startswith("get")
    ):
        return Strength.PASSWORD
    if word == "pass":
        return Strength.PASSWORD
    if word in TOKENS or (len(word) > 6 and word.endswith(TOKEN_ENDINGS)):
        return Strength.KEY
    before = words[place - 1] if place else ""
    if word in PINS or (word == "code" and before in CODE_KINDS):
        return Strength.PIN
    if word == "key" and before:
        return Strength.KEY if before in KEY_KINDS else Strength.MAYBE
    if word == "seed" and before in ("fa", "mfa", "otp", "totp"):
        return Strength.KEY
    if word in WEAK:
        return Strength.WEAK
    return Strength.LOGIN if word in LOGINS else Strength.NOTHING


def _rule(strength: Strength, joined: str) -> str:
    if strength is Strength.PASSWORD:
        return "password"
    for noun in ("token", "secret", "credential"):
        if noun in joined:
            return noun
    return "api-key" if "key" in joined else "secret"
