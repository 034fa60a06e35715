"""Hashes of passwords, as systems and programs keep them: whoever has one can try passwords against it. Pure."""

from collections.abc import Iterator

from recollect.privacy.secret_addresses import each
from recollect.privacy.secret_patterns import Pattern
from recollect.privacy.secret_values import is_filler

Found = tuple[int, int, str]  # start, end, rule

_HASHES: tuple[tuple[bytes, Pattern], ...] = tuple(
    (literal, Pattern(pattern))
    for literal, pattern in (
        (b"$2", rb"\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}"),
        (b"$argon2", rb"\$argon2(?:id|i|d)\$[\w=,$]{1,60}\$[A-Za-z0-9+/=]{8,100}\$[A-Za-z0-9+/=]{16,200}"),
        (b"$pbkdf2", rb"\$pbkdf2[\w\-]{0,12}\$[\w=,]{1,20}\$[A-Za-z0-9./+=]{8,100}\$[A-Za-z0-9./+=]{16,200}"),
        (b"pbkdf2_sha", rb"pbkdf2_sha\d{1,3}\$\d{3,8}\$[\w./+=]{4,60}\$[A-Za-z0-9./+=]{20,100}"),
        (b"$scrypt", rb"\$scrypt\$[\w=,]{1,40}\$[A-Za-z0-9./+=]{8,100}\$[A-Za-z0-9./+=]{16,200}"),
        (b"scrypt:", rb"scrypt:\d{2,6}:\d{1,3}:\d{1,3}\$[\w./+=]{4,60}\$[0-9a-f]{32,200}"),
        (b"pbkdf2:", rb"pbkdf2:sha\d{1,3}(?::\d{3,8})?\$[\w./+=]{4,60}\$[0-9a-f]{32,200}"),
        # crypt(3): MD5, SHA-256, SHA-512, yescrypt, and Apache's own
        *((b"$" + kind + b"$", rb"\$" + kind + rb"\$(?:[\w=./]{1,40}\$){1,3}[./A-Za-z0-9]{20,100}") for kind in (b"1", b"5", b"6", b"7", b"y", b"gy", b"apr1")),
        (b"{ss", rb"\{SSHA\d{0,3}\}[A-Za-z0-9+/=]{20,120}"),
        (b"{sha", rb"\{SHA\d{0,3}\}[A-Za-z0-9+/=]{20,120}"),
        (b"scram-sha", rb"SCRAM-SHA-\d{1,3}\$\d{3,8}:[A-Za-z0-9+/=]{8,60}\$[A-Za-z0-9+/=]{20,80}:[A-Za-z0-9+/=]{20,80}"),
    )
)


def password_hashes(text: bytes, low: bytes) -> Iterator[Found]:
    if b"$" not in low and b"{s" not in low:
        return
    for literal, pattern in _HASHES:
        if literal in low:
            yield from each(low, literal, lambda place, pattern=pattern: _at(text, place, pattern))


def _at(text: bytes, place: int, pattern: Pattern) -> Iterator[Found]:
    match = pattern.match(text, place)
    if match is not None and not is_filler(match.group()):
        yield *match.span(), "password-hash"
