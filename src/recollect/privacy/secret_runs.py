"""Looks at every long run of letters and digits: is it a vendor's key by its shape, or by the vendor's name before it?

Most text has few such runs, and they are found at the speed of memory: all bytes that can be part of one are mapped to
one byte, and fourteen of these in a row are searched for. Only then does anything cost. Pure.
"""

from collections.abc import Iterator

from recollect.privacy.secret_names import Strength, classify_name
from recollect.privacy.secret_patterns import BytesPattern
from recollect.privacy.secret_rules import HEADS, SIGNED, key_at, may_begin, scattered_keys
from recollect.privacy.secret_values import chance, entropy, is_digest, is_key, is_placeholder, is_public, is_uuid

Found = tuple[int, int, str]  # start, end, rule

MADE = "token"  # by chance alone: any other rule that finds it knows it better
MIN_RUN = 14
_STARTS_TRIED = 8  # within one run: after `_`, `-` and `=`
_LONG_NAME = 32
_LEAST_KEY = 8
_BACK = 40  # the longest beginning that has a sign in it
_CONTEXT = 72

_IN_RUN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-=") | frozenset(
    range(0xA1, 0x100)
)
_KEEPERS_OF_COMMITS = frozenset(("github-key", "gitlab-key", "gitea-key", "docker-key"))  # they name things by hashes
_RUNS = bytes(0x61 if byte in _IN_RUN else 0x20 for byte in range(256))
_NAMES = bytes(byte if (byte in _IN_RUN and byte != 0x3D) or byte == 0x2E else 0x20 for byte in range(256))
_STRETCHES = bytes(0x61 if byte in _IN_RUN or byte in b"/+." else 0x20 for byte in range(256))
_STRETCH = BytesPattern(rb"[A-Za-z0-9_\-=/+.\xa1-\xff]+")
_LONG = b"a" * MIN_RUN
_JOINTS = frozenset(b".~:|%")
_OPENERS = frozenset(b"\"'`=:> (,|\t\r\n\x0b\x0c/+")
_DIGIT = BytesPattern(rb"[0-9]")
_NEXT = BytesPattern(rb"[\s\"'`,:;|/]{1,6}([A-Za-z0-9+/=_\-]{24,100})(?![\w+/=])")
_INNER = (b"/", b"+", b".", b"%", b"@", b"\\", b"$", b"#", b"~")  # within a path, an address or something encoded
_TELLING = frozenset(b"sk rk pat key secret tok token live prod api priv auth access rt at".split())
_GIVEN = BytesPattern(rb"/(?:v\d|verify|reset|invite|tokens?|magic|confirm|activate|login|auth)/$")  # lets one in
_LONGEST_MADE = 160
_ALONE = (b" ", b'"', b"'", b"`", b"(")
_SEPARATOR = BytesPattern(rb"[_=\-]")
_OPERATOR = BytesPattern(rb"[=:>,]|\|\|")

# Shapes that begin with chance: a literal in them, how far before it they begin, the pattern.
_LATER: tuple[tuple[bytes, int, BytesPattern, str], ...] = (
    (b"-us", 32, BytesPattern(rb"[0-9a-f]{32}-us\d{1,2}(?![A-Za-z0-9])"), "mailchimp-key"),
    (b"_mmk", 36, BytesPattern(rb"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk"), "maxmind-key"),
    (b"NRAL", 36, BytesPattern(rb"[0-9a-fA-F]{36}NRAL"), "newrelic-key"),
    (b"AAAAAAAAAA", 11, BytesPattern(rb"[A-Za-z0-9]{11}A{10}[A-Za-z0-9\-_=]{43}(?![A-Za-z0-9+/])"), "dropbox-token"),
    (b"AZDO", 76, BytesPattern(rb"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}"), "azure-token"),
    (b"JQQJ9", 52, BytesPattern(rb"[A-Za-z0-9]{52}JQQJ9[A-Za-z0-9]{27}"), "azure-key"),
)
_SIGNING = BytesPattern(rb"[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![0-9a-zA-Z\-])")
# Likewise, with the run as their last part: the sign before it, how far before it they begin at most, the pattern.
_LAST: tuple[tuple[bytes, int, BytesPattern, str], ...] = (
    (b":", 17, BytesPattern(rb"(?<![0-9])\d{5,16}:A[A-Za-z0-9_\-]{34}(?![A-Za-z0-9_\-])"), "telegram-token"),
    (b":", 36, BytesPattern(rb"\d/\d{16}(?:/\d{16})?:[0-9a-f]{32}"), "asana-token"),
    (b"~", 6, BytesPattern(rb"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.\-]{31,34}"), "azure-secret"),
    (b".", 36, BytesPattern(rb"[MNO][A-Za-z0-9_\-]{22,27}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,}"), "discord-token"),
    (b"|", 18, BytesPattern(rb"(?<!\d)\d{15,16}\|[A-Za-z0-9_\-]{27,40}"), "facebook-token"),
    (b"%", 18, BytesPattern(rb"(?<!\d)\d{15,16}%[A-Za-z0-9_\-]{27,40}"), "facebook-token"),
)


def keys_in_runs(text: bytes) -> Iterator[Found]:
    yield from scattered_keys(text)
    yield from _known_later(text)
    mapped = text.translate(_RUNS) + b" "
    start = mapped.find(_LONG)
    while start >= 0:
        end = mapped.find(b" ", start)
        found = _begins_with_a_key(text, start, end)
        # A long name has no digit; a key of letters alone is longer than names are.
        if found is None and (end - start >= _LONG_NAME or _DIGIT.search(text, start, end) is not None):
            found = _named(text, start, end) or _made(text, start, end)
        if found is not None:
            yield found
            end = max(end, found[1])
            if found[2].endswith("-id"):
                yield from _its_secret(text, end)
        start = mapped.find(_LONG, end)


def _its_secret(text: bytes, end: int) -> Iterator[Found]:
    """What follows the public half of a key: `AKIA...,...`, `("AC...", "...")`."""
    match = _NEXT.match(text, end)
    if match is not None and is_key(match.group(1)):
        yield *match.span(1), "secret"


def _begins_with_a_key(text: bytes, start: int, end: int) -> Found | None:
    at, last = start, end - _LEAST_KEY
    for _ in range(_STARTS_TRIED):
        if text[at : at + 2] in HEADS:
            hit = key_at(text, at)
            if hit is not None:
                return at, *hit
        separator = _SEPARATOR.search(text, at, last)
        if separator is None:
            break
        at = separator.end()
    before = text[start - 1] if start else 0
    if before == 0x5C:  # a line break or tab written as an escape: its letter is not part of the key
        hit = key_at(text, start + 1)
        return (start + 1, *hit) if hit is not None else None
    return _joined(text, start) if before in _JOINTS else None


def _made(text: bytes, start: int, end: int) -> Found | None:
    """What a generator made for one purpose: behind a prefix (`acme_live_...`), or long and by itself."""
    if text[start - 1 : start] == b"/" and _GIVEN.search(text, max(0, start - 12), start) is not None:
        value = text[start:end]
        return (start, end, MADE) if len(value) >= 20 and is_key(value) and not is_uuid(value) else None
    if end - start > _LONGEST_MADE or text[start - 1 : start] in _INNER or text[end : end + 1] in _INNER:
        return None
    while start < end and text[start] == 0x3D:
        start += 1
    value = text[start:end].rpartition(b"=")[2]
    prefix, _, last = value.replace(b"-", b"_").rpartition(b"_")
    if not prefix and (
        text[start - 1 : start] not in _ALONE or not start or is_public(value) or _name_before(text, start)
    ):
        return None
    tells = not _TELLING.isdisjoint(prefix.split(b"_"))
    least = 20 if tells else 32 if prefix and len(prefix) <= 12 and prefix.islower() else 40
    if len(last) < least or not last.isalnum() or chance(last) < 0.3 or entropy(last) < (3.2 if tells else 3.8):
        return None
    if (last.islower() or last.isupper() or last.isdigit()) and not (tells and len(last) >= 24):
        return None
    if _DIGIT.search(last) is None or is_digest(value) or value[:2] == b"0x" or not is_key(value):
        return None
    return end - len(value), end, MADE


def _known_later(text: bytes) -> Iterator[Found]:
    for literal, back, pattern, rule in _LATER:
        place = text.find(literal)
        while place >= 0:
            match = pattern.match(text, place - back) if place >= back else None
            if match is not None and _is_real(match.group()):
                yield *match.span(), rule
            place = text.find(literal, place + 1)


def _joined(text: bytes, start: int) -> Found | None:
    """Keys that have a sign in them, as in `SG.` and `sha256~`, before their first long run or before their last."""
    signed = SIGNED.search(text, max(0, start - _BACK), start + 4)
    while signed is not None and signed.start() < start:
        hit = key_at(text, signed.start()) if may_begin(text, signed.start()) else None
        if hit is not None and hit[0] > start:
            return signed.start(), *hit
        signed = SIGNED.search(text, signed.start() + 1, start + 4)
    joint = text[start - 1 : start]
    if joint == b"." and text[start - 8 : start - 7] != b".":
        return None
    for sign, back, pattern, rule in _LAST:
        if sign == joint:
            match = pattern.search(text, max(0, start - back), start + 120)
            if match is not None and match.start() < start < match.end() and _is_real(match.group()):
                return match.start(), match.end(), rule
    return None


def _is_real(value: bytes) -> bool:
    return not is_placeholder(value) and entropy(value) >= 2.9


def _named(text: bytes, start: int, end: int) -> Found | None:
    """A vendor's name, a sign of assignment, and then this run."""
    if end - start > 400:
        return None
    if end - start == 50 and _SIGNING.match(text, start) is not None:
        return start, end, "mailgun-key"
    if start and text[start - 1] in b"/+" and _stretched(text, start, end) is None:
        return None
    name, sign, rest = text[start:end].partition(b"=")
    if sign and name and len(rest) >= MIN_RUN:
        told = classify_name(name)
        if told.strength is Strength.VENDOR and is_key(rest.strip(b"="), vendor=True):
            return end - len(rest), end, told.rule
    while start < end and text[start] == 0x3D:  # the sign of an assignment
        start += 1
    if not start or text[start - 1] not in _OPENERS:
        return None
    stretch = _stretched(text, start, end)
    if stretch is None:
        return None
    start, end = stretch
    told = classify_name(_name_before(text, start))
    if told.strength is not Strength.VENDOR:
        return None
    value = text[start:end]
    if not is_key(value, vendor=True):
        return None
    if told.rule in _KEEPERS_OF_COMMITS and is_digest(value):
        return None
    return start, end, told.rule


def _stretched(text: bytes, start: int, end: int) -> tuple[int, int] | None:
    """With the parts that `/` and `+` cut off; None where the value began long before: that one was looked at there."""
    if text[start - 1] in b"/+":
        floor = max(0, start - _BACK)
        start = floor + text[floor:start].translate(_STRETCHES).rfind(b" ") + 1
        if start == floor and floor:
            return None
    match = _STRETCH.match(text, end, end + 200)
    return start, end if match is None else match.end()


def _name_before(text: bytes, start: int) -> bytes:
    """The name left of a value, if what stands between them assigns."""
    context = text[max(0, start - _CONTEXT) : start]
    name = context.rstrip(b" \t\r\n\x0b\x0c\"'`\\=:>(,|?!+<[]f&@")
    between = context[len(name) :]
    if _OPERATOR.search(between) is None and not (b"(" in between and between.endswith((b'"', b"'", b"`"))):
        return b""
    return name.translate(_NAMES).rpartition(b" ")[2]
