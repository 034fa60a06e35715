"""Finds secrets in the arguments of commands. Pure. The work is bounded as in `secret_addresses`."""

import re
from collections.abc import Iterator

from recollect.privacy.secret_addresses import is_sample_password
from recollect.privacy.secret_reading import Found, find_places, line_start
from recollect.privacy.secret_values import Frame, is_key, is_password, is_strong_password, is_words_and_number
from recollect.text.lazy_pattern import LazyPattern

_MAX_LINE_CHARS = 1600
_CURL_USER = LazyPattern(
    rb"(?:\s-[uaU]|\s--user|\s--proxy-user|\s--auth)(?:\s{1,3}|=)?[\"']?([^\s:\"'/]{0,200}):([^\s\"']{2,200}|(?=[\"'\s]|$))"
)
_FLAG = LazyPattern(rb"\s[-/](?:p|P|pw|rp|a|w|k)[ =:][\"']?([^\s\"'|;~./\\][^\s\"'|;/\\]{7,63})(?=[\s\"';]|$)")
# A text with such a command has one of these words, and a line with one has one of the hints.
COMMAND_WORDS = LazyPattern(
    rb"\A(?:-[pawku]|(?:p|rp|user)\Z)|curl|passw|sshpass|identified|-literal|sqlplus|rabbitmq|secures|nickserv|base64|sudo|stdin"
    rb"|net"
)
_HINTS = tuple(
    b"curl, -p, -a , -w , -k , -u,passw,pass:,sshpass,/p:,/p ,/rp ,/user:,net user,identified,--from-literal,sqlplus,"
    b"rabbitmqctl,convertto-securestring,nickserv,| base64,sudo -s,-stdin".split(b",")
)
_ARGUMENT = rb"(?:\"([^\"\n]{4,200})\"|'([^'\n]{4,200})'|([^\s\"'|;]{4,200}))"
# A literal of each command and its shape: a blank is one or more, `...` is any text between, `@` is the secret.
_COMMANDS: tuple[tuple[bytes, LazyPattern[bytes]], ...] = tuple(
    (
        literal.encode(),
        LazyPattern(
            shape.encode()
            .replace(b"...", rb"\b[^\n|;]{0,200}?")
            .replace(b" ?", rb"\s{0,4}")
            .replace(b" ", rb"\s{1,4}")
            .replace(b"@", _ARGUMENT),
            re.IGNORECASE,
        ),
    )
    for literal, _, shape in (
        row.partition(" :: ")
        for row in r"""
mysql :: mysql(?:dump|admin|import)?... -(?-i:p)@
sshpass :: sshpass -p ?@
redis-cli :: redis-cli... -a @
login :: login... -p @
login :: login \S{1,100} password @
sqlcmd :: sqlcmd... -(?-i:P) ?@
bcp :: bcp... -(?-i:P) ?@
openssl :: openssl... pass:@
openssl :: openssl... -k @
zip :: zip... -(?-i:P) ?@
7z :: 7z[a-z]?... -(?-i:p)@
rar :: rar... -(?-i:h?p)@
ldap :: ldap[a-z]{3,9}... -(?-i:w) @
mongo :: mongo(?:sh|dump|restore|export|import)?... -p @
cqlsh :: cqlsh... -p @
mosquitto_ :: mosquitto_[a-z]{3}... -(?-i:P) @
ipmitool :: ipmitool... -(?-i:P) @
plink :: plink... -pw @
psexec :: psexec... -p @
winrm :: winrm... -p @
rdesktop :: rdesktop... -p @
freerdp :: freerdp... /p:@
smbclient :: smbclient... -(?-i:U) [^\s%]{1,60}%@
lftp :: lftp... -u [^\s,]{1,60},@
htpasswd :: htpasswd -[a-z]{0,6}b[a-z]{0,6} \S{1,100} \S{1,60} @
htpasswd :: htpasswd -[a-z]{0,6}nb[a-z]{0,6} \S{1,60} @
net :: net use... \\\\\S{1,100} @(?= /)
net :: net use... /user:\S{1,60} @
net :: net user \S{1,60} @
cmdkey :: cmdkey... /pass:@
rabbitmqctl :: rabbitmqctl (?:add_user|change_password) \S{1,60} @
wpa_passphrase :: wpa_passphrase \S{1,60} @
sqlplus :: sqlplus... [\w.]{1,60}/@
--from-literal :: --from-literal[= ][\w.\-]{1,80}=@
convertto-securestring :: convertto-securestring [^\n|;"']{0,60}@
identified :: identified(?: with \S{1,40})? by (?:password )?['"]([^'"\s]{4,200})
with password :: with password ['"]([^'"\s]{4,200})
chpasswd :: chpasswd... <<< ?["']?[\w.\-]{1,60}:([^\s"']{4,200})
chpasswd :: (?:echo|printf) [^\n:|]{0,80}?\b[\w.\-]{1,60}:([^\s"'|]{4,200})["']? ?\|[^\n]{0,40}?chpasswd
sudo :: echo (?:-n )?["']?([^\s"'|]{4,200})["']? ?\| ?sudo -(?-i:S)
stdin :: (?:echo|printf) (?:-n |%s )?["']?([^\s"'|]{4,200})["']? ?\|[^\n|]{0,80}?--(?:password-)?stdin
base64 :: ["' ]([A-Za-z0-9+/=_\-]{12,1500})["']? ?\| ?base64 -{1,2}d[^\n]{0,60}?(?:secret|pass|pwd|token|key|cred|env)
nickserv :: nickserv (?:identify|register) @
""".strip().splitlines()
    )
)


def find_in_commands(text: bytes, low: bytes) -> Iterator[Found]:
    done = 0  # each line is searched once, as a whole
    for place in sorted(find_places(low, _HINTS)):
        if place < done:
            continue
        start = max(done, line_start(text, place, _MAX_LINE_CHARS))
        end = _line_end(text, place)
        line = low[start:end]
        for command, pattern in _COMMANDS:
            if command in line:
                yield from _find_arguments(text, start, end, pattern)
        for flag in _FLAG.finditer(text, start, end):
            value = flag.group(1)
            if is_strong_password(value) or is_words_and_number(value):
                yield *flag.span(1), "password"
        yield from _find_users(text, start, end, is_curl=b"curl" in line)
        done = end


def _line_end(text: bytes, place: int) -> int:
    """A backslash at the end of a line continues the command in the next one."""
    limit = place + _MAX_LINE_CHARS
    stop = text.find(b"\n", place, limit)
    while stop > 0 and text[stop - 1] == 0x5C:
        stop = text.find(b"\n", stop + 1, limit)
    return stop if stop > 0 else min(limit, len(text))


def _find_users(text: bytes, start: int, end: int, *, is_curl: bool) -> Iterator[Found]:
    """`-u me:...`: commands other than curl need a likely password, as the flag may mean a group."""
    for match in _CURL_USER.finditer(text, start, end):
        user, password = match.groups()
        if password and not is_sample_password(password):
            if is_curl or (password[:1] != b"\\" and is_password(password, Frame.NEAR)):
                yield *match.span(2), "password"
        elif is_curl and not password and is_key(user):  # payment services take a key as the user
            yield *match.span(1), "token"


def _find_arguments(text: bytes, start: int, end: int, pattern: LazyPattern[bytes]) -> Iterator[Found]:
    for match in pattern.finditer(text, start, end):
        group = match.lastindex or 0
        if not is_sample_password(match.group(group)):
            yield *match.span(group), "password"
