"""Finds passwords and hashes as systems store them: shadow, .htpasswd, .pgpass, a table of users. Pure.

A hash counts as a secret: anyone who has it can try passwords against it.
"""

import re
from collections.abc import Iterator
from functools import partial

from recollect.privacy.secret_addresses import is_sample_password, search_at
from recollect.privacy.secret_reading import Found, line_start
from recollect.privacy.secret_values import entropy
from recollect.text.lazy_pattern import LazyPattern

_TEXT = rb"[A-Za-z0-9./+=]"  # the characters of hashes and salts
# How a hash begins, and its pattern.
_HASHES: tuple[tuple[bytes, LazyPattern[bytes]], ...] = tuple(
    (begins, LazyPattern(pattern.replace(b"T", _TEXT), re.IGNORECASE))
    for begins, pattern in (
        (b"$2", rb"\$2[abxy]?\$\d\d\$T{53}"),
        (b"$argon2", rb"\$argon2(?:id|i|d)\$[\w=,$]{1,60}\$T{8,99}\$T{16,200}"),
        (b"$pbkdf2", rb"\$pbkdf2[\w\-]{0,12}\$[\w=,]{1,20}\$T{8,99}\$T{16,200}"),
        (b"$scrypt", rb"\$scrypt\$[\w=,]{1,40}\$T{8,99}\$T{16,200}"),
        (b"pbkdf2_sha", rb"pbkdf2_sha\d{1,3}\$\d{3,8}\$T{4,60}\$T{20,99}"),
        (b"pbkdf2:", rb"pbkdf2:sha\d{1,3}(?::\d{3,8})?\$T{4,60}\$T{32,200}"),
        (b"scrypt:", rb"scrypt:\d{2,6}:\d{1,3}:\d{1,3}\$T{4,60}\$T{32,200}"),
        (b"scram-sha", rb"scram-sha-\d{1,3}\$\d{3,8}:T{8,60}\$T{20,80}:T{20,80}"),
        (b"sha}", rb"sha\}T{20,120}"),  # LDAP
        (b"'*", rb"'\*[0-9a-f]{40}(?=')"),  # MySQL
        (b"'md5", rb"'md5[0-9a-f]{32}(?=')"),  # PostgreSQL
        # crypt(3): MD5, SHA-256, SHA-512, yescrypt, and Apache's own
        *((b"$%s$" % kind, rb"\$%s\$(?:T{1,40}\$){1,3}T{20,99}" % kind) for kind in b"1 5 6 7 y gy apr1".split()),
    )
)
# Lines with a password or a hash at their end: a literal in each, and its pattern.
_LINES: tuple[tuple[bytes, LazyPattern[bytes]], ...] = (
    (b" on >", LazyPattern(rb"[^\n]{0,200}? on >([^\s\"'`]{4,100})")),  # of Redis
    (b":::", LazyPattern(rb"[^\s:]{1,64}:\d{1,6}:([0-9a-f]{32}:[0-9a-f]{32}):::", re.IGNORECASE)),  # of Windows
    *(
        (port, LazyPattern(rb"[^\s:#]{1,100}:(?:\d{2,5}|\*):[^\s:]{1,64}:[^\s:]{1,64}:([^\s\"'`]{4,100})(?=[\s`]|$)"))
        for port in (b":5432:", b":*:")  # .pgpass
    ),
)
PASSWORD_SIGNS = (b"$", *(sign for sign, _ in (*_HASHES, *_LINES) if not sign.startswith(b"$")))
_MAX_LINE_CHARS = 300
_DOLLAR_HASH = LazyPattern(rb"\$(?:2|argon2|pbkdf2|scrypt|[1567y]\$|gy\$|apr1\$)", re.IGNORECASE)


def find_stored_passwords(text: bytes, low: bytes) -> Iterator[Found]:
    has_signed = b"$" in text and _DOLLAR_HASH.search(text) is not None
    for begins, pattern in _HASHES:
        if (has_signed or not begins.startswith(b"$")) and begins in low:
            yield from search_at(low, begins, partial(_find_hash, text, pattern))
    for literal, pattern in _LINES:
        if literal in low:
            yield from search_at(low, literal, partial(_find_in_line, text, pattern))


def _find_hash(text: bytes, pattern: LazyPattern[bytes], place: int) -> Iterator[Found]:
    match = pattern.match(text, place)
    if match is not None and entropy(match.group()) > 3:
        yield match.start() + match.group().startswith(b"'"), match.end(), "password-hash"


def _find_in_line(text: bytes, pattern: LazyPattern[bytes], place: int) -> Iterator[Found]:
    start = line_start(text, place, _MAX_LINE_CHARS)
    start = max(start, text.rfind(b" ", start, place) + 1, text.rfind(b"`", start, place) + 1)
    match = pattern.match(text, start)
    if match is not None and not is_sample_password(match.group(1)):
        yield *match.span(1), "password"
