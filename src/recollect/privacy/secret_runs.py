"""Checks every long run of letters and digits: is it a vendor's key by its shape, or by the vendor's name before it?

Most texts have few such runs, and finding them is fast: all bytes that can be part of one are mapped to one byte, and
fourteen of these in a row are searched for. Pure.
"""

from collections.abc import Iterator

from recollect.privacy.secret_names import Strength, classify_name
from recollect.privacy.secret_reading import Found
from recollect.privacy.secret_shapes import HEADS, SIGNED, find_scattered_keys, key_at, may_start_key
from recollect.privacy.secret_values import entropy, is_digest, is_key, is_placeholder, is_public, is_uuid, randomness
from recollect.text.lazy_pattern import LazyPattern

GENERATED = "token"  # found by its randomness alone: any other rule that finds it is more exact
MIN_RUN = 14
_STARTS_TRIED = 8  # within one run: after `_`, `-` and `=`
_LONG_NAME_CHARS = 32
_MIN_KEY_CHARS = 8
_BACK = 40  # the longest beginning that has a sign in it
_CONTEXT = 72

_IN_RUN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-=") | {*range(0xA1, 0x100)}
_USE_HASHES_AS_IDS = ("github-key", "gitlab-key", "gitea-key", "docker-key")  # their hashes are mostly not secret
RUN_BYTES = bytes(0x61 if byte in _IN_RUN else 0x20 for byte in range(256))
_NAMES = bytes(byte if (byte in _IN_RUN and byte != 0x3D) or byte == 0x2E else 0x20 for byte in range(256))
_STRETCHES = bytes(0x61 if byte in _IN_RUN or byte in b"/+." else 0x20 for byte in range(256))
_STRETCH = LazyPattern(rb"[A-Za-z0-9_\-=/+.\xa1-\xff]+")
LONG_RUN = b"a" * MIN_RUN
_JOINTS = frozenset(b".~:|%")
_OPENERS = frozenset(b"\"'`=:> (,|\t\r\n\x0b\x0c/+")
_DIGIT = LazyPattern(rb"[0-9]")
_NEXT = LazyPattern(rb"[\s\"'`,:;|/]{1,6}([A-Za-z0-9+/=_\-]{24,100})(?![\w+/=])")
_INNER = (b"/", b"+", b".", b"%", b"@", b"\\", b"$", b"#", b"~")  # within a path, an address or something encoded
_CLUES = frozenset(b"sk rk pat key secret tok token live prod api priv auth access rt at".split())
# A link that grants access.
_LINK_PATH = LazyPattern(rb"/(?:v\d|verify|reset|invite|tokens?|magic|confirm|activate|login|auth)/$")
_MAX_GENERATED_CHARS = 160
_BEFORE_VALUE = (b" ", b'"', b"'", b"`", b"(")
_SEPARATOR = LazyPattern(rb"[_=\-]")
_OPERATOR = LazyPattern(rb"[=:>,]|\|\|")

# Shapes that begin with random characters: a literal in them, how far before it they begin, the pattern, the rule.
_BY_MIDDLE: tuple[tuple[bytes, int, LazyPattern[bytes], str], ...] = (
    (b"-us", 32, LazyPattern(rb"[0-9a-f]{32}-us\d{1,2}(?![A-Za-z0-9])"), "mailchimp-key"),
    (b"_mmk", 36, LazyPattern(rb"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk"), "maxmind-key"),
    (b"NRAL", 36, LazyPattern(rb"[0-9a-fA-F]{36}NRAL"), "newrelic-key"),
    (b"AAAAAAAAAA", 11, LazyPattern(rb"[A-Za-z0-9]{11}A{10}[A-Za-z0-9\-_=]{43}(?![A-Za-z0-9+/])"), "dropbox-token"),
    (b"AZDO", 76, LazyPattern(rb"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}"), "azure-token"),
    (b"JQQJ9", 52, LazyPattern(rb"[A-Za-z0-9]{52}JQQJ9[A-Za-z0-9]{27}"), "azure-key"),
)
_SIGNING = LazyPattern(rb"[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![0-9a-zA-Z\-])")
# The same with the run as the last part: the sign before it, how far before it they begin at most, the pattern.
_BY_LAST_PART: tuple[tuple[bytes, int, LazyPattern[bytes], str], ...] = (
    (b":", 17, LazyPattern(rb"(?<![0-9])\d{5,16}:A[A-Za-z0-9_\-]{34}(?![A-Za-z0-9_\-])"), "telegram-token"),
    (b":", 36, LazyPattern(rb"\d/\d{16}(?:/\d{16})?:[0-9a-f]{32}"), "asana-token"),
    (b"~", 6, LazyPattern(rb"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.\-]{31,34}"), "azure-secret"),
    (b".", 36, LazyPattern(rb"[MNO][A-Za-z0-9_\-]{22,27}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,}"), "discord-token"),
    (b"|", 18, LazyPattern(rb"(?<!\d)\d{15,16}\|[A-Za-z0-9_\-]{27,40}"), "facebook-token"),
    (b"%", 18, LazyPattern(rb"(?<!\d)\d{15,16}%[A-Za-z0-9_\-]{27,40}"), "facebook-token"),
)


def find_keys_in_runs(text: bytes) -> Iterator[Found]:
    yield from find_scattered_keys(text)
    yield from _find_by_middle(text)
    mapped = text.translate(RUN_BYTES) + b" "
    start = mapped.find(LONG_RUN)
    while start >= 0:
        end = mapped.find(b" ", start)
        found = _key_in_run(text, start, end)
        # A long name has no digit; a key of letters alone is longer than names are.
        if found is None and (end - start >= _LONG_NAME_CHARS or _DIGIT.search(text, start, end) is not None):
            found = _vendor_key(text, start, end) or _random_key(text, start, end)
        if found is not None:
            yield found
            end = max(end, found[1])
            if found[2].endswith("-id"):
                yield from _find_secret_after(text, end)
        start = mapped.find(LONG_RUN, end)


def _find_secret_after(text: bytes, end: int) -> Iterator[Found]:
    """Find the secret that follows the public half of a key: `AKIA...,...`, `("AC...", "...")`."""
    match = _NEXT.match(text, end)
    if match is not None and is_key(match.group(1)):
        yield *match.span(1), "secret"


def _key_in_run(text: bytes, start: int, end: int) -> Found | None:
    at, last = start, end - _MIN_KEY_CHARS
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
    if before in _JOINTS:
        return _key_with_sign(text, start)
    return None


def _random_key(text: bytes, start: int, end: int) -> Found | None:
    """Recognise a generated value: after a prefix (`acme_live_...`), or long and by itself."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if before == b"/" and _LINK_PATH.search(text, max(0, start - 12), start) is not None:
        value = text[start:end]
        is_found = len(value) >= 20 and is_key(value) and not is_uuid(value)
        return (start, end, GENERATED) if is_found else None
    if end - start > _MAX_GENERATED_CHARS or before in _INNER or after in _INNER:
        return None
    start = _skip_equals(text, start, end)
    value = text[start:end].rpartition(b"=")[2]
    prefix, _, last = value.replace(b"-", b"_").rpartition(b"_")
    if not prefix and (
        text[start - 1 : start] not in _BEFORE_VALUE or not start or is_public(value) or _name_before(text, start)
    ):
        return None
    if not _is_generated(prefix, last) or _DIGIT.search(last) is None:
        return None
    if is_digest(value) or value[:2] == b"0x" or not is_key(value):
        return None
    return end - len(value), end, GENERATED


def _is_generated(prefix: bytes, last: bytes) -> bool:
    """Check the last part of a value; a prefix with a clue (`live`, `key`) lowers the demands."""
    has_clue = not _CLUES.isdisjoint(prefix.split(b"_"))
    min_chars = 40
    if has_clue:
        min_chars = 20
    elif prefix and len(prefix) <= 12 and prefix.islower():
        min_chars = 32
    if len(last) < min_chars or not last.isalnum():
        return False
    if randomness(last) < 0.3 or entropy(last) < (3.2 if has_clue else 3.8):
        return False
    is_one_case = last.islower() or last.isupper() or last.isdigit()
    return not is_one_case or (has_clue and len(last) >= 24)


def _skip_equals(text: bytes, start: int, end: int) -> int:
    while start < end and text[start] == 0x3D:
        start += 1
    return start


def _find_by_middle(text: bytes) -> Iterator[Found]:
    for literal, back, pattern, rule in _BY_MIDDLE:
        place = text.find(literal)
        while place >= 0:
            match = pattern.match(text, place - back) if place >= back else None
            if match is not None and _is_real(match.group()):
                yield *match.span(), rule
            place = text.find(literal, place + 1)


def _key_with_sign(text: bytes, start: int) -> Found | None:
    """Recognise keys with a sign inside, such as `SG.` and `sha256~`, before their first or their last long run."""
    signed = SIGNED.search(text, max(0, start - _BACK), start + 4)
    while signed is not None and signed.start() < start:
        hit = key_at(text, signed.start()) if may_start_key(text, signed.start()) else None
        if hit is not None and hit[0] > start:
            return signed.start(), *hit
        signed = SIGNED.search(text, signed.start() + 1, start + 4)
    joint = text[start - 1 : start]
    if joint == b"." and text[start - 8 : start - 7] != b".":
        return None
    for sign, back, pattern, rule in _BY_LAST_PART:
        if sign == joint:
            match = pattern.search(text, max(0, start - back), start + 120)
            if match is not None and match.start() < start < match.end() and _is_real(match.group()):
                return match.start(), match.end(), rule
    return None


def _is_real(value: bytes) -> bool:
    return not is_placeholder(value) and entropy(value) >= 2.9


def _vendor_key(text: bytes, start: int, end: int) -> Found | None:
    """Recognise the run by a vendor's name and a sign of assignment before it."""
    if end - start > 400:
        return None
    if end - start == 50 and _SIGNING.match(text, start) is not None:
        return start, end, "mailgun-key"
    if start and text[start - 1] in b"/+" and _extend(text, start, end) is None:
        return None
    name, sign, rest = text[start:end].partition(b"=")
    if sign and name and len(rest) >= MIN_RUN:
        clue = classify_name(name)
        if clue.strength is Strength.VENDOR and is_key(rest.strip(b"="), vendor=True):
            return end - len(rest), end, clue.rule
    start = _skip_equals(text, start, end)
    if not start or text[start - 1] not in _OPENERS:
        return None
    stretch = _extend(text, start, end)
    if stretch is None:
        return None
    start, end = stretch
    clue = classify_name(_name_before(text, start))
    if clue.strength is not Strength.VENDOR:
        return None
    value = text[start:end]
    if not is_key(value, vendor=True) or (clue.rule in _USE_HASHES_AS_IDS and is_digest(value)):
        return None
    return start, end, clue.rule


def _extend(text: bytes, start: int, end: int) -> tuple[int, int] | None:
    """Add the parts that `/` and `+` cut off; None: the value began long before and was checked there."""
    if text[start - 1] in b"/+":
        floor = max(0, start - _BACK)
        start = floor + text[floor:start].translate(_STRETCHES).rfind(b" ") + 1
        if start == floor and floor:
            return None
    match = _STRETCH.match(text, end, end + 200)
    return start, end if match is None else match.end()


def _name_before(text: bytes, start: int) -> bytes:
    """Return the name left of a value if the signs between them assign it."""
    context = text[max(0, start - _CONTEXT) : start]
    name = context.rstrip(b" \t\r\n\x0b\x0c\"'`\\=:>(,|?!+<[]f&@")
    between = context[len(name) :]
    if _OPERATOR.search(between) is None and not (b"(" in between and between.endswith((b'"', b"'", b"`"))):
        return b""
    return name.translate(_NAMES).rpartition(b" ")[2]
