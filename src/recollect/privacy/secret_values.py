"""Does this value look like a secret? Pure. Judges the value alone; `secret_names` judges its name.

Randomness is measured by neighbours that words hardly ever have: a letter beside a digit, or two letters that are rare
side by side. Words, identifiers, paths and dates have few of them, a generated key has many.
"""

import math
import re
from base64 import b64decode
from enum import Enum, auto
from functools import lru_cache
from itertools import pairwise
from typing import assert_never

from recollect.privacy.secret_names import Strength
from recollect.text.lazy_pattern import LazyPattern

# For each first letter, the letters that often follow it in English words and in identifiers.
_FOLLOWERS = (
    "abcdfgiklmnprstuvwxy baceijlorsuy cacehiklmorstu dadeilorstu eabcdefgiklmnopqrstvwxy faefilorstu gaehilnorsu "
    "haeiortu iabcdefglmnoprstvxz jaeou kaeils lacdeilnopstuy mabdeilmopstu nacdefgiklnopstuv oabcdefgiklmnoprstuvw "
    "padehiloprstuy qu racdefgiklmnoprstuvy sacehiklmnopqrstuwy tacdefhilmnoprstuwy uabcdefgilmnprst vaeio waehinors "
    "xceipt yeimnpst zae"
)
_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyz")
_DIGITS = frozenset(b"0123456789")
_MANGLED = bytes(range(0xA1, 0x100))  # a key that went through a wrong encoding is still one
_COMMON = frozenset((ord(row[0]), ord(follower)) for row in _FOLLOWERS.split() for follower in row[1:])
_ODD_PAIRS = frozenset(
    (a, b)
    for a in _LETTERS | _DIGITS
    for b in _LETTERS | _DIGITS
    if not (a in _DIGITS and b in _DIGITS) and (a, b) not in _COMMON
)
_SEPARATORS = (b"-", b"_", b"=", b".", b"/")
_SAMPLE_BYTES = 80  # enough to judge a longer value

_PLACEHOLDER = LazyPattern(
    rb"example|placeholder|your[-_ ]|^your|change[-_ ]?(?:me|this|it)|dummy|x{4}|\*{3}|\.{3}|redacted|insert|replace"
    rb"|sample|\bfoo\b|foobar|^<|<[a-z][a-z _\-.]*>|todo|fixme|goes[-_ ]?here|(?:token|key)[-_ ]?here"
    rb"|my[-_ ]?(?:secret|token|password|api|key)"
    rb"|not[-_ ]?(?:a[-_ ])?(?:real|secret)|fake|secret[-_ ]?(?:key|token|value)$|^some[-_ ]|\x01|#{4}|-{4}|_{4}|0{8}"
    rb"|(?:^|[^a-z])(?:redact|masked|hidden|omitted|removed|encrypted|unset|undefined|null|none|lorem)(?:$|[^a-z])"
)
# After the beginning of a vendor's key fewer placeholders are possible.
_FILLER = LazyPattern(rb"(?i)example|x{6}|placeholder|redacted|your|\x01|\*{3}|\.{3}")
_REFERENCE = LazyPattern(
    rb"[$]\w*$|[$][({\w][^$]{0,200}$|[#%]\{|\{\{|\{[\w.]*\}|%\w*%$|%[(sdv]|@\{|&[a-z_]+$|![A-Z][A-Za-z:]*$|\[|\(|"
    rb"(?:process|import)\.|os\.|env[.(\[:]|ENV[.(\[:]|System\.|vault:|ref\+|op://|ssm:|arn:|file:|"
    rb"(?:https?|s3|gs|ftp|wss?|git|ssh|urn|data|pkg|npm|docker|oci|tel|mailto):|"
    rb"(?:self|this|cls|config|cfg|conf|settings|secrets?|params?|args?|opts?|options|req|request|res|response|ctx|"
    rb"context|props|state|data|user|account|event|env|var|local|module|each|app|session|store|client)[.\[]|"
    rb"[A-Za-z]:\\"
)
_PLACE = LazyPattern(rb"[\w./\\\-]{1,200}\.[a-z]{1,4}:\d[\d\-:]{0,20}$")  # a line of a file
_PATH = LazyPattern(rb"~?\.{0,2}/[\w.\-]*(?:/|$)")
_MEASURE = LazyPattern(  # versions, dates, times, sizes, amounts
    rb"v?\d{1,4}\.\d{1,4}\.\d{1,4}[-+]|v?\d{1,4}(?:[.\-/:]\d{1,6}){1,7}(?:[-+.tz ]?[a-z]{0,6}[\d.:+z\-]{0,16})?$"
    rb"|-?\d{0,20}(?:\.\d{0,20})?\s?[a-z%]{0,3}$|\d{1,3}(?:[,_]\d{3}){1,6}$",
    re.IGNORECASE,
)
_DIGEST = LazyPattern(
    rb"(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})$|(?:sha|md)\d", re.IGNORECASE
)
_HEX = LazyPattern(rb"(?=[a-f]{0,40}[0-9])[0-9a-f]+$|(?=[A-F]{0,40}[0-9])[0-9A-F]+$")
_UUID = LazyPattern(rb"\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?$", re.IGNORECASE)
_CALL = LazyPattern(rb"[A-Za-z_][\w.:>\-]{0,80}[(\[{]")
_PUBLIC = LazyPattern(
    rb"ssh-|ecdsa-|AAAA[BCEI]3NzaC|MII[BCDEFGHIJ][A-Za-z]|sha(?:1|256|384|512)[-:]|age1|npub1|0x[0-9a-fA-F]{40}$"
)
# Names of methods and formats with a digit: in a sentence they occur where a password could.
_METHOD = LazyPattern(
    rb"(?:[a-z]{1,3}[-_/]?\d{1,4}|(?:sha|md|aes|base|utf|oauth|hmac|ed|curve|rsa|ecdsa|pbkdf|argon|ipv|http|https|win|"
    rb"blake|secp|bip|ripemd|crc|web|log\dj|es|rfc|python|node|java|ecma|iso|nist|pkcs|chacha|poly|salsa|scrypt|bcrypt|"
    rb"totp|int|uint|float|mp)[-_/]?\d[\w./\-]*)$",
    re.IGNORECASE,
)
_NUMBERED = LazyPattern(
    rb"[a-z]+[-_.]?\d{1,3}$|[A-Z]{2,10}-\d+|[A-Z][a-z]+\d{1,3}$|[\w./\-]+\.[a-z]{1,4}(?::\d+)?$"
)  # redis-01, CVE-2024-1, a.py
_WORDED = LazyPattern(rb"[A-Za-z]{7,20}\d{3,4}[!?*#$]?$|(?:[A-Za-z]{3,12}[._\-]){2,4}[A-Za-z]{0,12}\d{2,4}[!?*#$]?$")
_SEED = LazyPattern(rb"(?=[A-Z]{0,40}[2-7])[A-Z2-7]{16,64}=*$")  # base32
_PASSPHRASE = LazyPattern(rb"[a-z]{3,9}(?:[ ][a-z]{3,9}){3,11}$")
_VARIABLE = LazyPattern(
    rb"pass|pwd|pw|secret|token|key|cred|auth|user|name|new|old|input|arg|val|str|var|tmp|data|hash|p\d", re.IGNORECASE
)
_PASSWORD_SETTINGS = frozenset(
    b"required optional string prompt ignore ignored always disabled enabled default password passwd secret".split()
)
# Sentences about a passphrase have one of these words, passphrases do not.
_PROSE_WORDS = frozenset(
    b"the and for are was were your you not has have with from into this that must should will can use used uses when "
    b"then than please enter none empty required long word words password passphrase phrase random strong".split()
)
_ALPHABET = b"abcdefghijklmnopqrstuvwxyz"  # a set of characters, not a value
_SIGNS = frozenset(b"!@#$%^&*+=?~|")


def randomness(value: bytes) -> float:
    """Return the share of neighbours that no word has: about 0.5 in generated values, below 0.15 in names."""
    low = value[:_SAMPLE_BYTES].lower()
    pairs = len(low) - 1
    if pairs >= 24:
        pairs -= sum(map(low.count, _SEPARATORS))  # a few dashes must not hide a long key
    odd = sum(map(_ODD_PAIRS.__contains__, pairwise(low)))
    if not low.isascii():
        odd += len(low) - len(low.translate(None, _MANGLED))
    return odd / pairs if pairs > 0 else 0.0


def entropy(value: bytes) -> float:
    """Return the bits per character."""
    value = value[: 2 * _SAMPLE_BYTES]
    length = len(value)
    return -sum(count / length * math.log2(count / length) for count in map(value.count, set(value)))


def is_placeholder(value: bytes) -> bool:
    """Recognise `<your-key>`, `xxxx`, `changeme`, `[redacted:password]`."""
    return _PLACEHOLDER.search(value[: 2 * _SAMPLE_BYTES].lower()) is not None or len(set(value)) < 4


def is_filler(tail: bytes) -> bool:
    """Recognise the sample text that documents write after the beginning of a vendor's key."""
    return _FILLER.search(tail) is not None or entropy(tail) < 2.2


def is_reference(value: bytes) -> bool:
    """Recognise a pointer to the secret: a variable, a call, a path, an address."""
    return _REFERENCE.match(value) is not None or (_PATH.match(value) is not None and randomness(value) < 0.3)


def is_uuid(value: bytes) -> bool:
    return _UUID.match(value) is not None


def is_public(value: bytes) -> bool:
    return _PUBLIC.match(value) is not None


def is_digest(value: bytes) -> bool:
    return _DIGEST.match(value) is not None


def _is_no_secret(value: bytes) -> bool:
    return (
        is_placeholder(value)
        or _ALPHABET in value.lower()
        or is_reference(value)
        or (value[-1:] in b")]}" and _CALL.match(value) is not None)
        or is_public(value)
        or _PLACE.match(value) is not None
        or b"://" in value
    )


def is_key(value: bytes, *, vendor: bool = False, assigned: bool = False) -> bool:
    """Recognise a generated value beside `api_key` or `client_secret`; `vendor`: beside `heroku` alone. `assigned`: by a sign
    of code (`API_KEY=`, `"token":`), where a key that a person made up counts too."""
    if assigned and _is_hand_typed(value):
        return True
    if len(value) < 8 or b" " in value:
        return False
    if value.isdigit():
        return len(value) >= 15 and (vendor or len(value) <= 18) and not is_placeholder(value)
    if is_uuid(value) or (len(value) >= 20 and _HEX.match(value) is not None):
        return entropy(value) >= 2.8 and not is_placeholder(value)
    # Letters, digits and several signs in disorder, as frameworks generate keys.
    if len(value) >= 20 and len(set(value) & _SIGNS) >= 4 and entropy(value) >= 4.2:
        return not _is_no_secret(value)
    found = randomness(value)
    if found < 0.15 or _is_no_secret(value) or _MEASURE.match(value):
        return False
    if value.translate(None, b"0123456789") == value:  # only letters: more often a name than a key
        return len(value) >= 16 and found >= 0.37 and entropy(value) >= 3.2 and not _is_dotted_name(value)
    if vendor and len(value) >= 24 and value.isalnum():
        return entropy(value) >= 2.9
    if len(value) >= 16:
        return found >= 0.22 and entropy(value) >= 2.9 and not _is_dotted_name(value)
    return found >= 0.26 and entropy(value) >= 2.4 and not _is_dotted_name(value)


def _is_hand_typed(value: bytes) -> bool:
    """Recognise keys that a person made up: `abcdef1234567890`, `sk-test-1234567890abcdef`."""
    last = re.split(rb"[-_]", value[-200:])[-1]
    digits = len(last) - len(last.translate(None, b"0123456789"))
    if len(value) > 200 or len(last) < (8 if last == value else 12) or not last.isalnum():
        return False
    if not 3 <= digits < len(last) or is_digest(last) or is_uuid(value):
        return False
    return not (_is_no_secret(value) or _MEASURE.match(value) or _METHOD.match(value))


def is_very_random(value: bytes) -> bool:
    """Recognise a value so random that a weak name (`key`, `auth`) is enough; a hash of something else is not."""
    return (
        len(value) >= 20
        and not is_uuid(value)
        and not is_digest(re.split(rb"[-_:]", value)[-1])
        and is_key(value)
        and randomness(value) >= 0.3
        and entropy(value) >= 3.4
        and (not value.islower() or randomness(value) >= 0.4)
    )


def _has_signs(value: bytes) -> bool:
    return any(map(_SIGNS.__contains__, value))


def _is_dotted_name(value: bytes) -> bool:
    """Recognise parts that are words: `app.kubernetes.io/v1`, `src/main2.py`."""
    parts = re.split(rb"[._/:\-]", value)
    return (
        len(parts) > 2
        and not _has_signs(value)
        and sum(randomness(part) < 0.3 for part in parts) > len(parts) * 0.7
        and randomness(value) < 0.28
    )


class Frame(Enum):
    """How a value is placed beside a name, from the surest to the least sure."""

    SET = auto()  # in the environment: it cannot mean anything else
    QUOTED = auto()
    ASSIGNED = auto()  # by a sign of code, or a flag
    PROSE_QUOTED = auto()  # in a sentence, in quotes
    PROSE = auto()  # in a sentence: "the password is ..."
    NEAR = auto()  # the next word


_IN_CODE = frozenset((Frame.SET, Frame.QUOTED, Frame.ASSIGNED))


def is_secret(value: bytes, strength: Strength, frame: Frame) -> bool:
    if b" " in value and strength in (Strength.PASSWORD, Strength.KEY):
        return is_grouped(value) or (strength is Strength.PASSWORD and is_passphrase(value, frame))
    if b" " in value and strength in (Strength.WEAK, Strength.MAYBE):
        return len(value) >= 19 and is_grouped(value)
    match strength:
        case Strength.PASSWORD:
            return is_password(value, frame)
        case Strength.KEY:
            if frame is Frame.NEAR and (len(value) < 12 or is_digest(value)):
                return False
            is_made_up = frame in (Frame.SET, Frame.QUOTED) and is_words_and_number(value) and b"sha" not in value
            return is_made_up or is_key(value, assigned=frame in _IN_CODE)
        case Strength.VENDOR:
            return len(value) >= 14 and is_key(value, vendor=True)
        case Strength.MAYBE:
            return is_grouped(value) or _is_long_key(value, frame)
        case Strength.WEAK:
            return is_very_random(value) or (frame is Frame.SET and len(value) >= 16 and is_key(value))
        case Strength.PIN:
            return value.isdigit() and 4 <= len(value) <= 8
        case Strength.LOGIN | Strength.NOTHING:
            return False
        case _ as never:
            assert_never(never)


def _is_long_key(value: bytes, frame: Frame) -> bool:
    if len(value) < 16 or (len(value) < 32 and _HEX.match(value)):
        return False
    is_path = set(value) & set(b"-.:") or (b"/" in value and randomness(value) < 0.35)
    return not is_path and is_key(value) and (frame is not Frame.NEAR or is_very_random(value))


def is_password(value: bytes, frame: Frame) -> bool:
    if not 4 <= len(value) <= 200 or b" " in value or _is_no_secret(value):
        return False
    low = value.lower()
    digits = len(value) - len(value.translate(None, b"0123456789"))
    if not any(map(_LETTERS.__contains__, low)):
        return frame in _IN_CODE and digits >= 4 and (value.isdigit() or not _MEASURE.match(value))
    if frame is Frame.SET and len(value) >= 6 and low not in _PASSWORD_SETTINGS:
        return True
    signs = _has_signs(value[:-1])
    if not digits and not signs:  # a word, unless it is too random for one
        joined = value.translate(None, b"_-.")
        return len(joined) >= 8 and joined.isalpha() and not joined.isupper() and randomness(joined) >= 0.35
    if _MEASURE.match(value) or _METHOD.match(value):
        return False
    if not digits:
        return len(value) >= 6 and frame not in (Frame.PROSE, Frame.NEAR) and value[0] not in b"=?&|*+!"
    match frame:
        case Frame.NEAR:
            is_like_one = signs or digits >= 2 or randomness(value) >= 0.22
            return len(value) >= 7 and is_like_one and not _is_dotted_name(value) and not _NUMBERED.match(value)
        case Frame.PROSE:
            return len(value) >= 6 and value[0] != 0x23  # `#42` is an issue
        case Frame.ASSIGNED:
            return signs or not _VARIABLE.match(value) or randomness(value) >= 0.22
        case Frame.SET | Frame.QUOTED | Frame.PROSE_QUOTED:
            return True
        case _ as never:
            assert_never(never)


def is_strong_password(value: bytes) -> bool:
    """Recognise a value so much like a generated password that a name anywhere in its line is enough."""
    if not 8 <= len(value) <= 64 or _is_no_secret(value) or is_uuid(value) or _HEX.match(value) is not None:
        return False
    low = value.lower()
    if value.isdigit() or low == value.upper():
        return False
    if value.translate(None, b"0123456789") == value:
        return len(value) >= 10 and _has_signs(value[1:-1]) and not value.islower() and randomness(value) >= 0.22
    if _MEASURE.match(value) or _METHOD.match(value) or _NUMBERED.match(value) or is_digest(value):
        return False
    if _has_signs(value):
        return b"=" not in value and randomness(value) >= 0.1
    return low != value and value.upper() != value and randomness(value) >= 0.3 and not _is_dotted_name(value)


@lru_cache(maxsize=8192)
def is_obvious(value: bytes, strength: Strength) -> bool:
    """Recognise a value so much like a secret that the name of one anywhere in its line is enough."""
    is_named = strength in (Strength.PASSWORD, Strength.KEY)
    if is_named and is_encoded_text(value):
        return True
    return not value.isalpha() and (
        is_strong_password(value)
        or (strength is Strength.PASSWORD and is_words_and_number(value))
        or (is_very_random(value) and not (value.islower() and b"-" in value))
        or (is_named and _SEED.match(value) is not None and randomness(value) >= 0.3)
    )


def is_encoded_text(value: bytes) -> bool:
    """Recognise base64 or hexadecimal of a readable text: other values hardly ever decode to one."""
    plain = b""
    try:
        if _HEX.match(value) is not None:
            if len(value) >= 16 and not len(value) % 2:
                plain = bytes.fromhex(value.decode())
        elif len(value) >= 12:
            plain = b64decode(value, validate=True)
    except ValueError:
        return False
    return len(plain) >= 8 and plain.isascii() and plain.decode().isprintable() and len(set(plain)) > 4


def mixes_letters_and_digits(value: bytes) -> bool:
    """Recognise letters and digits in disorder, even a few."""
    digits = len(value) - len(value.translate(None, b"0123456789"))
    return value.isalnum() and 2 <= digits < len(value) and randomness(value) >= 0.22


def is_words_and_number(value: bytes) -> bool:
    """Recognise passwords that people make up: `lanterncopper2508`, `Jungle-Cactus-72`."""
    is_worded = len(value) >= 10 and _WORDED.match(value) is not None
    return is_worded and not _is_no_secret(value) and not _METHOD.match(value)


def is_passphrase(value: bytes, frame: Frame) -> bool:
    """Recognise several words as a generator of passphrases writes them, or quoted words after a password."""
    if _PASSPHRASE.match(value) is not None:
        return frame is Frame.QUOTED or (frame is not Frame.NEAR and _PROSE_WORDS.isdisjoint(value.split()))
    return frame is Frame.QUOTED and is_password(value.split(b" ")[0], Frame.NEAR)


def is_grouped(value: bytes) -> bool:
    """Recognise groups of the same size: `bngc al76 q6t3 tbzx`."""
    groups = value.split() if b" " in value else value.split(b"-")
    joined = b"".join(groups)
    if len(groups) < 3 or len(set(map(len, groups[:-1]))) != 1 or len(groups[-1]) > len(groups[0]):
        return False
    return len(groups[0]) >= 3 and joined.isalnum() and not joined.isdigit() and randomness(joined) >= 0.3
