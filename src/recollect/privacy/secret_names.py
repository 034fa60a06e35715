"""What the name of a value tells: a password, a generated key, hardly anything, or nothing. Pure."""

import re
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

from recollect.privacy.secret_words import (
    ABOUT,
    KEY_KINDS,
    LOGINS,
    OTHER_KEYS,
    OTHER_TOKENS,
    PASSWORDS,
    SIGNERS,
    TOKEN_ENDINGS,
    TOKENS,
    VENDORS,
    WEAK,
    WORDY_VENDORS,
)

# A name that tells has one of these in it.
ANCHORS = tuple(
    b"pass pwd pw secret token key cred auth jwt access api seed totp login connect pdo( mysqli hmac fernet kennwort "
    b"wachtwoord contrase senha clave parola heslo sandi salasana adgangskode psk pa55 p4ss".split()
)
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
        return self.strength in (Strength.PASSWORD, Strength.KEY, Strength.WEAK)


_NOTHING = Telling(strength=Strength.NOTHING, rule="")


@lru_cache(maxsize=4096)
def telling(name: bytes) -> Telling:
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
    return [word.lower() for word in _WORD.findall(name)]


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
    if word in PASSWORDS or (len(word) > 8 and word.endswith(("password", "passwd"))):
        return Strength.PASSWORD
    if word == "pass":
        return Strength.PASSWORD
    if word in TOKENS or (len(word) > 6 and word.endswith(TOKEN_ENDINGS)):
        return Strength.KEY
    if word == "key" and place and words[place - 1] in KEY_KINDS:
        return Strength.KEY
    if word == "seed" and place and words[place - 1] in ("fa", "mfa", "otp", "totp"):
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
