"""Passwords and keys in addresses: `postgres://app:secret@db`, a data source name, a webhook. Pure.

Every pattern is anchored at a literal that is searched for first, and every quantifier that another could compete with
is bounded: the work grows with the text and no faster.
"""

import re
from collections.abc import Callable, Iterator

from recollect.privacy.secret_patterns import BytesPattern, Match
from recollect.privacy.secret_values import entropy, is_key, is_placeholder, is_reference, mixes_letters_and_digits

Found = tuple[int, int, str]  # start, end, rule

# A password may have any sign in it; the last `@` before what can be a host ends it. A port is no password.
_USERINFO = BytesPattern(
    rb"([^\s/:\"'<>`\\]{0,120}):(?!\d{1,5}(?:[/?#]|$))((?:[^\s\"'<>`\\\x01:]|:(?!//)){1,200})@"
    rb"(?=[\w\[${(%*<.\-][\w.\-\]}]{0,100}(?::|[/?#,;)\s\"'`>*\\$%]|$))"
)
_TOKEN_ALONE = BytesPattern(rb"([A-Za-z0-9_\-]{16,200})@")
_DATA_SOURCE = BytesPattern(rb"[\s\"'`=]([^\s:@\"'/`]{1,64}):([^\s@\"'`]{1,100})@(?:tcp|unix|udp)\(")
_ORACLE = BytesPattern(rb"thin:([^\s/@:\"']{1,64})/([^\s@\"'/]{1,100})@")
_BACK = 180

# Host and path are kept, what lets one in is not.
_PARAMETERS: tuple[tuple[bytes, BytesPattern, str], ...] = tuple(
    (literal, BytesPattern(pattern, re.IGNORECASE), rule)
    for literal, pattern, rule in (
        (b"maker.ifttt", rb"maker\.ifttt\.com/[^\s\"']{0,80}/(?:key|use)/([A-Za-z0-9_\-]{16,64})", "ifttt-key"),
        (b"sig=", rb"[?&;]sig=([A-Za-z0-9%+/_\-]{32,120}=?)", "azure-signature"),
        (b"_gitlab_session=", rb"_gitlab_session=([0-9a-f]{32})", "gitlab-session"),
        (b"accountkey=", rb"accountkey=([A-Za-z0-9+/]{40,100}={0,2})", "azure-key"),
        (b"sharedaccesskey=", rb"sharedaccesskey=([A-Za-z0-9+/]{30,100}={0,2})", "azure-key"),
        (b"access_token$", rb"(access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32})", "paypal-token"),
        (b".atlasv1.", rb"([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=\-]{60,70})", "terraform-token"),
        (b"dnkey-", rb"(dnkey-[A-Za-z0-9=_\-]{26}-[A-Za-z0-9=_\-]{52})", "defined-networking-key"),
        (
            b"contribsys",
            rb"contribsys__com[\s\"']{0,6}[=:>,|?]{1,3}[\s\"'`=]{0,8}([0-9a-f]{8}:[0-9a-f]{8})",
            "sidekiq-secret",
        ),
    )
)
# Addresses that take what is sent to them: whoever knows the rest of one may send.
_HOOK = BytesPattern(rb"(?:(?<=//)hooks?\.[\w.\-]{3,80}|/(?:incoming-?)?(?:web)?hooks?(?:b2)?)(?=/)", re.IGNORECASE)
_HOOK_PATH = BytesPattern(rb"[^\s\"'`<>\\)\]]{8,400}")
_HOOK_PART = BytesPattern(rb"[^/?&=@]+")
_SERVICES = ("slack", "discord", "zapier")
_SAMPLE_PASSWORDS = frozenset(
    b"password pass passwd pwd pw user username token key apikey host port name credentials pat my-password "
    b"mypassword mypass my_password your_password yourpassword userpassword dbpassword db_password".split()
)


def is_sample_password(password: bytes) -> bool:
    """What documents write for a password, and what stands for one."""
    return (
        len(password) < 4
        or password.lower() in _SAMPLE_PASSWORDS
        or is_reference(password)
        or b"${" in password
        or b"{" in password[:2]
        or (is_placeholder(password) and (len(set(password)) > 3 or set(password) <= set(b"*x.X-_#")))
    )


def search_at(low: bytes, literal: bytes, look: Callable[[int], Iterator[Found]]) -> Iterator[Found]:
    """What a look finds wherever the literal stands."""
    place = low.find(literal)
    while place >= 0:
        last = place
        for found in look(place):
            yield found
            last = found[1]
        place = low.find(literal, max(last, place + len(literal)))


def find_in_addresses(text: bytes, low: bytes) -> Iterator[Found]:
    """`low` is the text in lower case: same length, so that a place in one is a place in the other."""
    if b"@" in low:
        yield from search_at(low, b"://", lambda place: _find_userinfo(text, place + 3))
        yield from search_at(low, b"thin:", lambda place: _find_password(_ORACLE.match(text, place), 0))
        for literal in (b"@tcp(", b"@unix("):
            yield from search_at(low, literal, lambda place: _find_data_source(text, place))
    if b"hook" in low and b"://" in low:
        yield from search_at(low, b"hook", lambda place: _find_webhook(text, place))
    for literal, pattern, rule in _PARAMETERS:
        if literal in low:
            yield from _find_parameter(text, low, literal, pattern, rule)


def _find_userinfo(text: bytes, start: int) -> Iterator[Found]:
    match = _USERINFO.match(text, start)
    if match is None:
        alone = _TOKEN_ALONE.match(text, start)
        if alone is not None and is_key(alone.group(1)):
            yield *alone.span(1), "token"
        return
    user, password = match.groups()
    if len(user) >= 20 and is_key(user):
        yield *match.span(1), "token"
    if not is_sample_password(password):
        yield *match.span(2), "password"


def _find_webhook(text: bytes, place: int) -> Iterator[Found]:
    head = _HOOK.search(text, max(0, place - 12), place + 100)
    path = _HOOK_PATH.match(text, head.end()) if head is not None else None
    if head is None or path is None or head.start() > place or b"/commit/" in path.group():
        return
    parts = list(_HOOK_PART.finditer(text, *path.span()))
    made = [
        part
        for part in parts
        if len(part.group()) >= 8 and (is_key(part.group()) or mixes_letters_and_digits(part.group()))
    ]
    if made and not any(is_placeholder(part.group()) or is_reference(part.group()) for part in made):
        first = next(part for part in parts if part is made[0] or (part.group().isdigit() and len(part.group()) > 4))
        service = next((name for name in _SERVICES if name.encode() in text[max(0, place - 60) : head.end()]), "")
        yield first.start(), made[-1].end(), f"{service}-webhook".lstrip("-")


def _find_data_source(text: bytes, place: int) -> Iterator[Found]:
    start = max(0, place - _BACK)
    yield from _find_password(_DATA_SOURCE.search(b" " + text[start : place + 6]), start - 1)


def _find_password(match: Match | None, offset: int) -> Iterator[Found]:
    if match is not None and not is_sample_password(match.group(2)):
        start, end = match.span(2)
        yield start + offset, end + offset, "password"


def _find_parameter(text: bytes, low: bytes, literal: bytes, pattern: BytesPattern, rule: str) -> Iterator[Found]:
    def look(place: int) -> Iterator[Found]:
        match = pattern.search(text, max(0, place - 16), place + 600)
        if match is not None and not is_placeholder(match.group(1)) and entropy(match.group(1)) > 2.6:
            yield *match.span(1), rule

    yield from search_at(low, literal, look)
