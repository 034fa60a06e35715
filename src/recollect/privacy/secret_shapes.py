"""Secrets known by where they stand: private keys, addresses with a password, headers, cookies, command lines. Pure.

Every pattern is anchored at a literal that is searched for first, and every quantifier that another could compete with is
bounded: the work grows with the text and no faster.
"""

import re
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Callable, Iterator

from recollect.privacy.secret_values import chance, entropy, is_key, is_opaque, is_password, is_placeholder, is_reference

Found = tuple[int, int, str]  # start, end, rule

_BEGIN = re.compile(rb"-----BEGIN[A-Z0-9 _\-]{0,100}PRIVATE KEY(?: BLOCK)?-----", re.IGNORECASE)
_BODY = re.compile(rb"(?:(?:[\s\"',+]|\\+[nrt]|[A-Z][A-Za-z\-]{2,30}: [^\n\\]{1,100}(?=\\n|\n)){0,12}[A-Za-z0-9+/=]{16,400})*")
_ENDING = re.compile(rb"key(?: block)?-----")
_KEY_BYTES = re.compile(rb"[A-Za-z0-9+/=]{16}")
_MAX_PRIVATE_KEY = 24_000
_PUTTY = re.compile(rb"PuTTY-User-Key-File-\d: [^\n]{1,60}")
_PUTTY_PRIVATE = re.compile(rb"Private-Lines: \d{1,4}\r?\n((?:[A-Za-z0-9+/=]{1,80}\r?\n?){1,200})")

_USERINFO = re.compile(rb"([^\s/@:\"'<>`\\]{0,120}):([^\s/\"'<>`\\\x01]{1,200})@(?=[\w\[${(%*<.\-])")
_SLASHED = re.compile(rb"([^\s/@:\"'<>`\\]{0,120}):(?!\d{1,5}/)([^\s\"'<>`\\\x01@]{1,120})@(?=[A-Za-z0-9.\-]{1,100}(?::\d{2,5})?(?:[/\s\"']|$))")
_TOKEN_USER = re.compile(rb"([A-Za-z0-9_\-]{16,200})@")
_USUAL_WORDS = frozenset(
    b"password pass passwd pwd pw user username secret token key apikey host port name credentials pat my-password mypassword"
    b" mypass my_password your_password yourpassword userpassword dbpassword db_password your-password private_token".split()
)
_DSN = re.compile(rb"[\s\"'`=]([^\s:@\"'/`]{1,64}):([^\s@\"'`]{1,100})@(?:tcp|unix|udp)\(")
_ORACLE = re.compile(rb"(?:thin|oci):([^\s/@:\"']{1,64})/([^\s@\"'/]{1,100})@")

_SCHEME = re.compile(
    rb"(bearer|basic|token|digest|apikey|api-key|negotiate|ghs|key|bot|ssws|splunk|genie ?key|pve ?api ?token)[ =:]{1,3}"
    rb"[\"']?([A-Za-z0-9_\-.~+/=:|%!]{8,4000})",
    re.IGNORECASE,
)
_AUTHORIZATION = re.compile(
    rb"authorization[\"'\]\\]{0,3}\s{0,3}(?:=>|:|=|,)[\s\"'\\(`]{0,6}(?:([A-Za-z][A-Za-z\-]{2,20}) {1,2})?([^\s\"'`,;\\<>{}]{8,4000})",
    re.IGNORECASE,
)
_COOKIE = re.compile(rb"cookies?[\"']?\s?[:=]\s?[\"']?([^\r\n\"']{8,1600})", re.IGNORECASE)
_COOKIE_PART = re.compile(rb"([\w.\-]{2,60})=([^;\s,\"']{12,2000})")
_SESSION = re.compile(rb"sess|sid\b|auth|token|jwt|remember|csrf|xsrf|login|_t\b|access|identity", re.IGNORECASE)

_CURL_USER = re.compile(rb"(?:\s-u|\s--user|\s--proxy-user|\s-U)(?:\s{1,3}|=)?([\"']?)([^\s:\"'/]{0,100}):([^\s\"']{2,200})")
_WINDOW = 400  # how far a command is followed
_COMMANDS: tuple[tuple[bytes, "re.Pattern[bytes]"], ...] = (
    (b"mysql", re.compile(rb"mysql(?:dump|admin|import)?\b[^\n|;]{0,200}?\s-p([\"']?)([^\s\"'|;]{3,100})")),
    (b"sshpass", re.compile(rb"sshpass\s{1,3}-p\s{0,3}([\"']?)([^\s\"'|;]{3,100})")),
    (b"redis-cli", re.compile(rb"redis-cli\b[^\n|;]{0,200}?\s-a\s{1,3}([\"']?)([^\s\"'|;]{4,100})")),
    (b"login", re.compile(rb"\blogin\b[^\n|;]{0,200}?\s-p\s{1,3}([\"']?)([^\s\"'|;]{4,400})")),
    (b"sqlcmd", re.compile(rb"sqlcmd\b[^\n|;]{0,200}?\s-P\s{1,3}([\"']?)([^\s\"'|;]{4,100})")),
    (b"openssl", re.compile(rb"openssl\b[^\n|;]{0,200}?\spass:([\"']?)([^\s\"'|;]{4,100})")),
    (b"htpasswd", re.compile(rb"htpasswd\s{1,3}-[a-zA-Z]{0,6}b[a-zA-Z]{0,6}\s[^\n|;]{1,120}?\s([\"']?)([^\s\"'|;]{4,100})\s*$", re.M)),
    (b"login ", re.compile(rb"login\s{1,4}\S{1,100}\s{1,9}password\s{1,4}([\"']?)([^\s\"']{4,200})")),
    (b"identified by", re.compile(rb"identified by\s{1,4}(?:password\s{1,3})?([\"'])([^\"'\s]{4,200})", re.IGNORECASE)),
    (b"with password", re.compile(rb"with password\s{1,4}([\"'])([^\"'\s]{4,200})", re.IGNORECASE)),
)
_HOOKS: tuple[tuple[bytes, "re.Pattern[bytes]", str], ...] = (
    (b"hooks.slack", re.compile(rb"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{20,120})"), "slack-webhook"),
    (b"/api/webhooks/", re.compile(rb"/api/webhooks/\d{15,22}/([A-Za-z0-9_\-]{40,100})"), "discord-webhook"),
    (b"office.com/webhook", re.compile(rb"office\.com/webhook(?:b2)?/([A-Za-z0-9@\-/]{60,400})", re.IGNORECASE), "teams-webhook"),
    (b"hooks.zapier", re.compile(rb"hooks\.zapier\.com/hooks/catch/(\d{3,12}/[A-Za-z0-9]{5,12})"), "zapier-webhook"),
    (b"maker.ifttt", re.compile(rb"maker\.ifttt\.com/[^\s\"']{0,80}/(?:key|use)/([A-Za-z0-9_\-]{16,64})"), "ifttt-key"),
    (b"sig=", re.compile(rb"[?&;]sig=([A-Za-z0-9%+/_\-]{32,120}=?)"), "azure-signature"),
    (b"_gitlab_session=", re.compile(rb"_gitlab_session=([0-9a-fA-F]{32})"), "gitlab-session"),
    (b"accountkey=", re.compile(rb"accountkey=([A-Za-z0-9+/]{40,100}={0,2})", re.IGNORECASE), "azure-key"),
    (b"sharedaccesskey=", re.compile(rb"sharedaccesskey=([A-Za-z0-9+/]{30,100}={0,2})", re.IGNORECASE), "azure-key"),
    (b"access_token$", re.compile(rb"(access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32})"), "paypal-token"),
    (b".atlasv1.", re.compile(rb"([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=\-]{60,70})"), "terraform-token"),
    (b"dnkey-", re.compile(rb"(dnkey-[A-Za-z0-9=_\-]{26}-[A-Za-z0-9=_\-]{52})"), "defined-networking-key"),
    (b"contribsys", re.compile(rb"CONTRIBSYS__COM[\s\"']{0,6}(?:[=:>,|?]{1,3})[\s\"'`=]{0,8}([0-9a-f]{8}:[0-9a-f]{8})"), "sidekiq-secret"),
)
_SECRET_KIND = re.compile(rb"kind[\"']?\s{0,3}:\s{0,3}[\"']?secret[\"']?\s", re.IGNORECASE)
_DATA = re.compile(rb"(?:^|[\s{,\"'])(?:data|stringdata)[\"']?\s{0,3}:", re.IGNORECASE)
_DATUM = re.compile(rb"[\"']?([\w.\-]{1,80})[\"']?[ ]{0,3}:[ ]{0,3}(?:[|>]-?\s{1,12})?[\"']?([A-Za-z0-9+/=_\-!@#$%^&*.]{6,4000})")
_MANIFEST = 3000
_NOT_DATA = frozenset(b"name namespace type kind apiversion metadata labels annotations data stringdata immutable".split())


def shapes(text: bytes, low: bytes) -> Iterator[Found]:
    """`low` is the text in lower case: same length, so that a place in one is a place in the other."""
    if b"://" in low or b"@" in low:
        yield from _addresses(text, low)
    for literal, pattern, rule in _HOOKS:
        yield from _at(low, literal, lambda place, pattern=pattern, rule=rule: _hook(text, place, pattern, rule))
    yield from _headers(text, low)
    yield from _command_lines(text, low)
    if b"secret" in low and b"kind" in low and b"data" in low:
        yield from _manifests(text, low)


def _at(low: bytes, literal: bytes, look: Callable[[int], Iterator[Found]]) -> Iterator[Found]:
    place = low.find(literal)
    while place >= 0:
        last = place
        for found in look(place):
            yield found
            last = found[1]
        place = low.find(literal, max(last, place + len(literal)))


def _lines_with(low: bytes, literal: bytes, look: Callable[[int], Iterator[Found]]) -> Iterator[Found]:
    """Once for each line, as the look takes in the rest of it."""
    place = low.find(literal)
    while place >= 0:
        yield from look(place)
        end = low.find(b"\n", place, place + _WINDOW * 4)
        place = low.find(literal, end if end >= 0 else place + _WINDOW * 4)


def _hook(text: bytes, place: int, pattern: "re.Pattern[bytes]", rule: str) -> Iterator[Found]:
    match = pattern.search(text, max(0, place - 16), place + 600)
    if match is not None and not is_placeholder(match.group(1)) and entropy(match.group(1)) > 2.6:
        yield *match.span(1), rule


def private_keys(text: bytes, low: bytes) -> Iterator[Found]:
    """Whole blocks, and blocks that were cut off; a header that nothing follows is only talk of keys."""
    place = low.find(b"-----begin")
    while place >= 0:
        header = _BEGIN.match(text, place)
        if header is None:
            place = low.find(b"-----begin", place + 10)
            continue
        end = _private_key_end(text, low, header.end())
        if end is not None:
            yield place, end, "private-key"
        place = low.find(b"-----begin", max(header.end(), end or 0))
    for match in _PUTTY.finditer(text) if b"putty-user-key" in low else ():
        lines = _PUTTY_PRIVATE.search(text, match.end(), match.end() + _MAX_PRIVATE_KEY)
        if lines is not None:
            yield *lines.span(1), "private-key"


def _private_key_end(text: bytes, low: bytes, start: int) -> int | None:
    limit = start + _MAX_PRIVATE_KEY
    closing = low.find(b"-----end", start, limit)
    if closing < 0:
        ending = _ENDING.search(low, start, limit)
        closing = ending.start() if ending is not None else -1
    opening = low.find(b"-----begin", start, limit)
    if closing >= 0 and not 0 <= opening < closing:
        if (closing - start < 64 and _KEY_BYTES.search(text, start, closing) is None) or is_placeholder(text[start:closing][:400]):
            return None
        end = low.find(b"-----", closing + 8, closing + 80)
        return end + 5 if end >= 0 else closing + 8
    body = _BODY.match(text, start, opening if opening >= 0 else limit)
    if body is None or _KEY_BYTES.search(body.group()) is None:
        return None
    return start + len(body.group().rstrip(b" \t\r\n\"',"))


def _addresses(text: bytes, low: bytes) -> Iterator[Found]:
    yield from _at(low, b"://", lambda place: _userinfo(text, place + 3))
    yield from _at(low, b"thin:", lambda place: _login(_ORACLE.match(text, place)))
    if b"@tcp(" in low or b"@unix(" in low:
        for literal in (b"@tcp(", b"@unix("):
            yield from _at(low, literal, lambda place: _login(_DSN.search(b" " + text[max(0, place - 180) : place + 6]), max(0, place - 180) - 1))


def _login(match: "re.Match[bytes] | None", offset: int = 0) -> Iterator[Found]:
    if match is not None and not _is_usual(match.group(2)):
        start, end = match.span(2)
        yield start + offset, end + offset, "password"


def _userinfo(text: bytes, start: int) -> Iterator[Found]:
    match = _USERINFO.match(text, start) or _SLASHED.match(text, start)
    if match is not None:
        user, password = match.groups()
        if not _is_usual(password) and not (b"@" in password and password.isalpha()):
            yield *match.span(2), "password"
        if len(user) >= 20 and is_key(user) and not is_placeholder(user):
            yield *match.span(1), "token"
        return
    alone = _TOKEN_USER.match(text, start)
    if alone is not None and is_key(alone.group(1)):
        yield *alone.span(1), "token"


def _is_usual(password: bytes) -> bool:
    """What documents write for a password."""
    return (
        len(password) < 4
        or password.lower() in _USUAL_WORDS
        or is_reference(password)
        or b"${" in password
        or b"{" in password[:2]
        or (is_placeholder(password) and (len(set(password)) > 3 or set(password) <= set(b"*x.X-_#")))
    )


def _headers(text: bytes, low: bytes) -> Iterator[Found]:
    for literal in (b"bearer", b"basic ", b"ssws ", b"geniekey "):
        yield from _at(low, literal, lambda place: _scheme(text, place))
    yield from _at(low, b"authorization", lambda place: _authorization(text, place))
    yield from _lines_with(low, b"cookie", lambda place: _cookies(text, place))


def _scheme(text: bytes, place: int) -> Iterator[Found]:
    match = _SCHEME.match(text, place)
    if match is None:
        return
    scheme, value = match.group(1).lower(), match.group(2).rstrip(b".:")
    start = match.start(2)
    if scheme == b"basic":
        if _is_login(value):
            yield start, start + len(value), "basic-auth"
    elif is_key(value) or (len(value) >= 20 and is_opaque(value)):
        yield start, start + len(value), f"{scheme.decode().replace(' ', '')}-token"


def _is_login(value: bytes) -> bool:
    """`user:password` in base64."""
    if len(value) < 8 or is_placeholder(value):
        return False
    try:
        plain = b64decode(value + b"=" * (-len(value) % 4), validate=True)
    except NotBase64:
        return False
    return b":" in plain and plain.isascii() and plain.decode("ascii").isprintable() and not _is_usual(plain.partition(b":")[2] or b"pass")


def _authorization(text: bytes, place: int) -> Iterator[Found]:
    match = _AUTHORIZATION.match(text, place)
    if match is None:
        return
    scheme, value = (match.group(1) or b"").lower(), match.group(2)
    if scheme == b"basic":
        if _is_login(value):
            yield *match.span(2), "basic-auth"
    elif (is_key(value) or is_password(value, quoted=False, assigned=False)) and not is_placeholder(value):
        yield *match.span(2), "bearer-token" if scheme in (b"bearer", b"") else "authorization"


def _cookies(text: bytes, place: int) -> Iterator[Found]:
    match = _COOKIE.match(text, place)
    if match is None:
        return
    for part in _COOKIE_PART.finditer(match.group(1)):
        if _SESSION.search(part.group(1)) and is_key(part.group(2)):
            start, end = part.span(2)
            yield match.start(1) + start, match.start(1) + end, "cookie"


def _command_lines(text: bytes, low: bytes) -> Iterator[Found]:
    yield from _lines_with(low, b"curl", lambda place: _curl(text, place))
    for literal, pattern in _COMMANDS:
        yield from _at(low, literal, lambda place, pattern=pattern: _command(text, place, pattern))


def _curl(text: bytes, place: int) -> Iterator[Found]:
    stop = text.find(b"\n", place, place + _WINDOW * 4)
    while stop > 0 and text[stop - 1] == 0x5C:  # a command that goes on in the next line
        stop = text.find(b"\n", stop + 1, place + _WINDOW * 4)
    for match in _CURL_USER.finditer(text, place, stop if stop > 0 else place + _WINDOW * 4):
        if not _is_usual(match.group(3)):
            yield *match.span(3), "password"


def _command(text: bytes, place: int, pattern: "re.Pattern[bytes]") -> Iterator[Found]:
    match = pattern.match(text, place, place + _WINDOW)
    if match is not None and not _is_usual(match.group(2)) and (match.group(1) or chance(match.group(2)) > 0.05 or not match.group(2).isalpha()):
        yield *match.span(2), "password"


def _manifests(text: bytes, low: bytes) -> Iterator[Found]:
    """The data of a Kubernetes secret: every value under `data`, whatever its name."""
    for kind in _SECRET_KIND.finditer(low):
        first = low.rfind(b"\n---", max(0, kind.start() - _MANIFEST), kind.start())
        last = low.find(b"\n---", kind.end(), kind.end() + _MANIFEST)
        start = first if first >= 0 else max(0, kind.start() - _MANIFEST)
        stop = last if last >= 0 else min(len(text), kind.end() + _MANIFEST)
        data = _DATA.search(low, start, stop)
        for match in _DATUM.finditer(text, data.end(), stop) if data is not None else ():
            if match.group(1).lower() in _NOT_DATA:
                if match.group(1).lower() in (b"metadata", b"kind", b"apiversion", b"type"):
                    break
                continue
            if not is_placeholder(match.group(2)) and not is_reference(match.group(2)):
                yield *match.span(2), "kubernetes-secret"
