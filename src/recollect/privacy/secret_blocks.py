"""Finds secrets that take whole lines: private keys, Kubernetes secrets, recovery codes. Pure."""

import re
from collections.abc import Iterator

from recollect.privacy.secret_reading import Found, Match, find_places
from recollect.privacy.secret_values import is_placeholder, is_reference
from recollect.text.lazy_pattern import LazyPattern

MAX_KEY_CHARS = 24_000  # a private key of 16,384 bits has 13,000 characters

_BEGIN = LazyPattern(rb"-----BEGIN[A-Z0-9 _\-]{0,100}PRIVATE KEY(?: BLOCK)?-----", re.IGNORECASE)
# Lines of base64; between them line breaks (also written as escapes), quotes of code, and headers such as `Proc-Type`.
_BODY = LazyPattern(
    rb"(?:(?:[\s\"',+>]|\\+[nrt]|[A-Z][A-Za-z\-]{2,30}: [^\n\\]{1,100}(?=\\n|\n)){0,12}[A-Za-z0-9+/=]{16,400})*"
    rb"(?:(?:\r?\n|\\n|\\r\\n)[A-Za-z0-9+/]{1,76}={0,2}(?=\r?\n|\\|[\"']|$))?"  # the line where it was cut off
)
_END = LazyPattern(rb"-----END[A-Z0-9 _\-]{0,100}PRIVATE KEY(?: BLOCK)?-----", re.IGNORECASE)
# A line of a key or one of its headers, also after a line number, sign or quote that a program puts before it.
_AHEAD, _BEHIND = rb"[\s\d:|>+\-\"']{0,20}", rb"(?:[\s\"',+]|\\[nr]){0,8}\Z"
_KEY_LINE = LazyPattern(_AHEAD + rb"(?:[A-Za-z0-9+/]{16,400}={0,2}|[A-Z][A-Za-z\-]{2,30}: [^\n]{1,100})?" + _BEHIND)
_LAST_LINE = LazyPattern(_AHEAD + rb"[=A-Za-z0-9+/]{0,400}" + _BEHIND)
_CLOSING = LazyPattern(rb"key(?: block)?-----")
_BASE64 = LazyPattern(rb"[A-Za-z0-9+/=]{16}")
_MAX_LINE_CHARS = 400
_MIN_KEY_CHARS = 64  # a shorter text between begin and end only mentions a key, unless it is base64
_PUTTY = b"putty-user-key-file"
KEY_SIGNS = (b"-----", b'"kty"', _PUTTY)
# Lines of base64; white space may be folded, and each line quoted.
_PUTTY_LINES = LazyPattern(rb"Private-Lines: \d{1,4}((?:(?:[\s>]|\\[nr]){1,12}[A-Za-z0-9+/=]{1,80}(?![\w\-:])){1,300})")

_CODE_WORDS = tuple(
    b"recovery backup rescue scratch emergency one-time 2fa mfa two- verification recuper wiederherstell "
    b"secours".split()
)
_CODES = LazyPattern(
    rb"(?:(?:recuper|wiederherstell|secours)[^\n:]{0,40}|[\w \-]{3,40}?[ _\-]codes?\b|(?:recovery|backup)(?=[\"'])"
    rb"|\w{2,8}_?codes\b)(?:[^\n]{0,120}?[:\n]|[\"'\s=:>\-]{1,8})",
    re.IGNORECASE,
)
_CODE = LazyPattern(rb"(?<![\w/.@#\-])(?:\d{3,5}[ ]\d{3,5}|[A-Za-z0-9]{4,40}(?:-[A-Za-z0-9]{3,12}){0,6})(?![\w/.@\-])")
_DIGIT = LazyPattern(rb"[0-9]")
_MIN_CODE_CHARS = 6
_DATE = LazyPattern(rb"\d{4}-\d\d-\d\d$|[a-z]+-\d+$|\d{1,3}-")
_CODES_REACH = 800
_PHRASE = LazyPattern(
    rb"(?:mnemonic|phrase|words|seed)s?\b[^\n]{0,60}?(?:[:=>\"'\n]|\bis\b)[\s\"'`\d.>:]{0,12}"
    rb"([a-z]{3,8}(?:[\s,\d.]{1,8}[a-z]{3,8}){11,23})(?![\w\-])",
    re.IGNORECASE,
)
_PHRASES = (b"mnemonic", b"phrase", b"words", b"seed")
CODE_WORDS = LazyPattern(b"|".join((*_CODE_WORDS, *_PHRASES)))
_PROSE_WORDS = frozenset(b"the and for are was your not has with from into uses".split())  # no recovery phrase has them

_JWK = LazyPattern(rb"[\"'](?:d|p|q|dp|dq|qi|k)[\"']\s{0,3}:\s{0,3}[\"']([A-Za-z0-9_\-]{20,2000})[\"']")
MANIFEST_WORDS = LazyPattern(rb"\Akind\Z")
_KIND = LazyPattern(rb"kind[\"']?\s{0,3}:\s{0,3}[\"']?secret[\"']?\s")
_DATA = LazyPattern(rb"(?:^|[\s{,\"'])(?:data|stringdata)[\"']?\s{0,3}:")
_DATUM = LazyPattern(
    rb"[\"']?([\w.\-]{1,80})[\"']?[ ]{0,3}:[ ]{0,3}(?:[|>]-?\s{1,12})?[\"']?([A-Za-z0-9+/=_\-!@#$%^&*.]{6,4000})"
)
_MANIFEST_CHARS = 3000
_BESIDE_DATA = frozenset(b"metadata kind apiversion type".split())  # the names that end `data`


def find_private_keys(text: bytes, low: bytes) -> Iterator[Found]:
    """Find whole and cut-off keys; a header without a key after it is ignored."""
    place = low.find(b"-----begin")
    while place >= 0:
        header = _BEGIN.match(text, place)
        end = None if header is None else _key_end(text, low, header.end())
        if end is not None:
            yield place, end, "private-key"
        place = low.find(b"-----begin", max(place + 10, end or 0))
    yield from _find_cut_off_keys(text, low)
    if b'"kty"' in low:
        for match in _JWK.finditer(text):
            yield *match.span(1), "private-key"
    yield from _find_putty_keys(text, low)


def _find_putty_keys(text: bytes, low: bytes) -> Iterator[Found]:
    place = low.find(_PUTTY)
    while place >= 0:
        lines = _PUTTY_LINES.search(text, place, place + MAX_KEY_CHARS)
        done = place + MAX_KEY_CHARS
        if lines is not None:
            yield lines.end(1) - len(lines.group(1).lstrip(b"\r\n >")), lines.end(1), "private-key"
            done = lines.end()
        place = low.find(_PUTTY, done)


def _find_cut_off_keys(text: bytes, low: bytes) -> Iterator[Found]:
    """Find the lines before the end of a key whose begin is missing, as `tail` shows them, or too far away."""
    done, place = 0, low.find(b"-----end")
    while place >= 0:
        if _END.match(text, place) is not None:
            start = _first_line(text, done, place)
            if _BASE64.search(text, start, place) is not None:
                yield start, place, "private-key"
        done = place + 8
        place = low.find(b"-----end", done)


def _first_line(text: bytes, floor: int, end: int) -> int:
    """Return where the lines of the key that ends here begin; a line break may also be written as an escape."""
    start = end
    while start > floor:
        near = max(floor, start - _MAX_LINE_CHARS)
        real, written = text.rfind(b"\n", near, start - 1), text.rfind(b"\\n", near, start - 2)
        begin = max(real + 1, written + 2 if written >= 0 else 0, near)
        if (_LAST_LINE if start == end else _KEY_LINE).match(text, begin, start) is None:
            break
        start = begin
    return start


def _key_end(text: bytes, low: bytes, start: int) -> int | None:
    limit = start + MAX_KEY_CHARS
    next_key = low.find(b"-----begin", start, limit)
    if next_key >= 0:
        limit = next_key
    closing = low.find(b"-----end", start, limit)
    if closing < 0:
        ending = _CLOSING.search(low, start, limit)
        closing = -1 if ending is None else ending.start()
    if closing >= 0:
        inside = text[start:closing]
        is_short = len(inside) < _MIN_KEY_CHARS and _BASE64.search(inside) is None
        if is_short or is_placeholder(inside[:400].replace(b">", b"")):
            return None
        end = low.find(b"-----", closing + 8, closing + 80)
        return end + 5 if end >= 0 else min(closing + 8, len(text))
    body = _BODY.match(text, start, limit)
    if body is None or _BASE64.search(body.group()) is None:
        return None
    return start + len(body.group().rstrip(b" \t\r\n\"',"))


def find_in_manifests(text: bytes, low: bytes) -> Iterator[Found]:
    """Find every value under `data` of a Kubernetes secret, whatever its name."""
    if b"secret" not in low or b"kind" not in low or b"data" not in low:
        return
    for kind in _KIND.finditer(low):
        floor, limit = max(0, kind.start() - _MANIFEST_CHARS), kind.end() + _MANIFEST_CHARS
        start, stop = low.rfind(b"\n---", floor, kind.start()), low.find(b"\n---", kind.end(), limit)
        if stop < 0:
            stop = limit
        data = _DATA.search(low, max(start, floor), stop)
        if data is None:
            continue
        for match in _DATUM.finditer(text, data.end(), stop):
            if match.group(1).lower() in _BESIDE_DATA:
                break
            if not is_placeholder(match.group(2)) and not is_reference(match.group(2)):
                yield *match.span(2), "kubernetes-secret"


def find_recovery_codes(text: bytes, low: bytes) -> Iterator[Found]:
    """Find lists of one-time codes, and the words from which a wallet is restored."""
    done = 0
    for place in sorted(find_places(low, _CODE_WORDS)):
        head = _CODES.match(text, place) if place >= done else None
        if head is not None:
            done = text.find(b"\n\n", head.end(), head.end() + _CODES_REACH)
            if done < 0:
                done = min(len(text), head.end() + _CODES_REACH)
            yield from _find_codes(text, head.end(), done)
    done = 0
    for place in sorted(find_places(low, _PHRASES)):
        phrase = _PHRASE.match(text, place) if place >= done else None
        if phrase is not None:
            done = phrase.end()
            if _PROSE_WORDS.isdisjoint(phrase.group(1).lower().split()):
                yield *phrase.span(1), "recovery-phrase"


def _find_codes(text: bytes, start: int, end: int) -> Iterator[Found]:
    """Find codes of one shape, one of them with a digit: at least two, or one right after the heading."""
    shapes: dict[tuple[int, ...], list[Match]] = {}
    for code in _CODE.finditer(text, start, end):
        value = code.group()
        if len(value) < _MIN_CODE_CHARS or _DATE.match(value) or (value.isalpha() and not value.isupper()):
            continue
        shapes.setdefault(tuple(map(len, value.replace(b" ", b"-").split(b"-"))), []).append(code)
    for codes in shapes.values():
        has_digit = any(_DIGIT.search(code.group()) for code in codes)
        if has_digit and (len(codes) > 1 or codes[0].start() <= start + 2):
            for code in codes:
                yield *code.span(), "recovery-code"
