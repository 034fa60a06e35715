"""Passwords and keys in addresses: `postgres://app:secret@db`, a data source name, a webhook. Pure.

Every pattern is anchored at a literal that is searched for first, and every quantifier that could compete with another
one is bounded: the time is in proportion to the text.
"""

import re
from collections.abc import Callable, Iterator

from recollect.privacy.secret_reading import Found, Match
from recollect.privacy.secret_values import entropy, is_key, is_placeholder, is_reference, mixes_letters_and_digits
from recollect.text.lazy_pattern import LazyPattern

# A password may contain any sign; the last `@` before a possible host ends it. A port is not a password.
_USERINFO = LazyPattern(
    rb"([^\s/:\"'<>`\\]{0,120}):(?!\d{1,5}(?:[/?#]|$))((?:[^\s\"'<>`\\\x01:]|:(?!//)){1,200})@"
    rb"(?=[\w\[${(%*<.\-][\w.\-\]}]{0,100}(?::|[/?#,;)\s\"'`>*\\$%]|$))"
)
_TOKEN_ALONE = LazyPattern(rb"([A-Za-z0-9_\-]{16,200})@")
_DATA_SOURCE = LazyPattern(rb"[\s\"'`=]([^\s:@\"'/`]{1,64}):([^\s@\"'`]{1,100})@(?:tcp|unix|udp)\(")
_ORACLE = LazyPattern(rb"thin:([^\s/@:\"']{1,64})/([^\s@\"'/]{1,100})@")
_BACK = 180

# The host and the path stay, the part that grants access does not.
_PARAMETERS: tuple[tuple[bytes, LazyPattern[bytes], str], ...] = tuple(
    (literal, LazyPattern(pattern, re.IGNORECASE), rule)
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
_SOURCE_SIGNS = (b"@tcp(", b"@unix(")
ADDRESS_SIGNS = (b"://", b"thin:", *_SOURCE_SIGNS, *(literal for literal, _, _ in _PARAMETERS))
# Webhooks: knowing the whole address is enough to send to it.
_HOOK = LazyPattern(rb"(?:(?<=//)hooks?\.[\w.\-]{3,80}|/(?:incoming-?)?(?:web)?hooks?(?:b2)?)(?=/)", re.IGNORECASE)
_HOOK_PATH = LazyPattern(rb"[^\s\"'`<>\\)\]]{8,400}")
_HOOK_PART = LazyPattern(rb"[^/?&=@]+")
_SERVICES = ("slack", "discord", "zapier")
_SAMPLE_PASSWORDS = frozenset(
    b"password pass passwd pwd pw user username token key apikey host port name credentials pat my-password "
    b"mypassword mypass my_password your_password yourpassword userpassword dbpassword db_password".split()
)


def is_sample_password(password: bytes) -> bool:
    """Return True for a placeholder, a reference or a password that documents use as a sample."""
    return (
        len(password) < 4
        or password.lower() in _SAMPLE_PASSWORDS
        or is_reference(password)
        or b"${" in password
        or b"{" in password[:2]
        or (is_placeholder(password) and (len(set(password)) > 3 or set(password) <= set(b"*x.X-_#")))
    )


def search_at(low: bytes, literal: bytes, look: Callable[[int], Iterator[Found]]) -> Iterator[Found]:
    """Call `look` wherever the literal occurs, and go on after what it finds."""
    place = low.find(literal)
    while place >= 0:
        last = place
        for found in look(place):
            yield found
            last = found[1]
        place = low.find(literal, max(last, place + len(literal)))


def find_in_addresses(text: bytes, low: bytes) -> Iterator[Found]:
    """`low`: the text in lower case, of the same length, so that places are the same in both."""
    if b"@" in low:
        yield from search_at(low, b"://", lambda place: _find_userinfo(text, place + 3))
        yield from search_at(low, b"thin:", lambda place: _find_password(_ORACLE.match(text, place), 0))
        for literal in _SOURCE_SIGNS:
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
    if head is None or head.start() > place:
        return
    path = _HOOK_PATH.match(text, head.end())
    if path is None or b"/commit/" in path.group():
        return
    first, last = None, None  # the parts of the path from which on, and up to which, it is secret
    for part in _HOOK_PART.finditer(text, *path.span()):
        value = part.group()
        if len(value) >= 8 and (is_key(value) or mixes_letters_and_digits(value)):
            if is_placeholder(value) or is_reference(value):
                return
            first, last = first or part, part
        elif value.isdigit() and len(value) > 4:
            first = first or part
    if first is not None and last is not None:
        before = text[max(0, place - 60) : head.end()]
        service = next((f"{name}-" for name in _SERVICES if name.encode() in before), "")
        yield first.start(), last.end(), f"{service}webhook"


def _find_data_source(text: bytes, place: int) -> Iterator[Found]:
    start = max(0, place - _BACK)
    yield from _find_password(_DATA_SOURCE.search(b" " + text[start : place + 6]), start - 1)


def _find_password(match: Match | None, offset: int) -> Iterator[Found]:
    if match is not None and not is_sample_password(match.group(2)):
        start, end = match.span(2)
        yield start + offset, end + offset, "password"


def _find_parameter(text: bytes, low: bytes, literal: bytes, pattern: LazyPattern[bytes], rule: str) -> Iterator[Found]:
    def look(place: int) -> Iterator[Found]:
        match = pattern.search(text, max(0, place - 16), place + 600)
        if match is not None and not is_placeholder(match.group(1)) and entropy(match.group(1)) > 2.6:
            yield *match.span(1), rule

    yield from search_at(low, literal, look)
