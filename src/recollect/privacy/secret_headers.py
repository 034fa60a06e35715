"""Finds secrets in HTTP headers and cookies. Pure. The work is bounded as in `secret_addresses`."""

import re
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Callable, Iterator

from recollect.privacy.secret_addresses import is_sample_password, search_at
from recollect.privacy.secret_reading import Found
from recollect.privacy.secret_values import Frame, is_key, is_password, is_placeholder
from recollect.text.lazy_pattern import LazyPattern

_SCHEMES = (b"bearer", b"basic ", b"ssws ", b"geniekey ")
_SCHEME = LazyPattern(rb"(bearer|basic|ssws|geniekey)[ =:]{1,3}[\"']?([A-Za-z0-9_\-.~+/=:|%!]{8,4000})", re.IGNORECASE)
_AUTHORIZATION = LazyPattern(
    rb"authorization[\"'\]\\]{0,3}\s{0,3}(?:=>|:|=|,)[\s\"'\\(`]{0,6}"
    rb"(?:([A-Za-z][A-Za-z\-]{2,20}) {1,2})?([^\s\"'`,;\\<>{}]{8,4000})",
    re.IGNORECASE,
)
_COOKIE = LazyPattern(rb"cookies?[\"']?\s?[:=]\s?[\"']?([^\r\n\"']{8,1600})", re.IGNORECASE)
_COOKIE_PART = LazyPattern(rb"([\w.\-]{2,60})=([^;\s,\"']{12,1600})")
_SESSION = LazyPattern(rb"sess|sid\b|auth|token|jwt|remember|csrf|xsrf|login|access|identity", re.IGNORECASE)

HEADER_WORDS = LazyPattern(rb"bearer|basic|ssws|geniekey|authorization|cookie")
_MAX_LINE_CHARS = 1600


def find_in_headers(text: bytes, low: bytes) -> Iterator[Found]:
    for literal in _SCHEMES:
        yield from search_at(low, literal, lambda place: _find_scheme(text, place))
    yield from search_at(low, b"authorization", lambda place: _find_authorization(text, place))
    yield from _search_lines(low, b"cookie", lambda place: _find_cookies(text, place))


def _search_lines(low: bytes, literal: bytes, look: Callable[[int], Iterator[Found]]) -> Iterator[Found]:
    """Call `look` once per line: it searches the rest of the line."""
    place = low.find(literal)
    while place >= 0:
        yield from look(place)
        end = low.find(b"\n", place, place + _MAX_LINE_CHARS)
        place = low.find(literal, end if end >= 0 else place + _MAX_LINE_CHARS)


def _find_scheme(text: bytes, place: int) -> Iterator[Found]:
    match = _SCHEME.match(text, place)
    if match is None:
        return
    scheme, start, value = match.group(1).lower(), match.start(2), match.group(2).rstrip(b".:")
    if scheme == b"basic":
        if _is_login(value):
            yield start, start + len(value), "basic-auth"
    elif is_key(value):
        yield start, start + len(value), "bearer-token" if scheme == b"bearer" else "authorization"


def _is_login(value: bytes) -> bool:
    """Check for `user:password` in base64."""
    if len(value) < 8 or is_placeholder(value):
        return False
    try:
        plain = b64decode(value + b"=" * (-len(value) % 4), validate=True)
    except NotBase64:
        return False
    user, colon, password = plain.partition(b":")
    is_text = plain.isascii() and plain.decode("ascii").isprintable()
    return bool(colon) and is_text and not is_sample_password(password or user)


def _find_authorization(text: bytes, place: int) -> Iterator[Found]:
    match = _AUTHORIZATION.match(text, place)
    if match is None:
        return
    scheme, value = (match.group(1) or b"").lower(), match.group(2)
    if scheme == b"basic":
        if _is_login(value):
            yield *match.span(2), "basic-auth"
    elif is_key(value) or is_password(value, Frame.PROSE):
        yield *match.span(2), "bearer-token" if scheme in (b"bearer", b"") else "authorization"


def _find_cookies(text: bytes, place: int) -> Iterator[Found]:
    match = _COOKIE.match(text, place)
    if match is None:
        return
    for part in _COOKIE_PART.finditer(match.group(1)):
        if _SESSION.search(part.group(1)) and is_key(part.group(2)):
            start, end = part.span(2)
            yield match.start(1) + start, match.start(1) + end, "cookie"
