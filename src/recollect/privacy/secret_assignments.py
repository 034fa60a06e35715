"""Values beside a name that tells: `api_key: ...`, `--password ...`, `set("token", "...")`, or in a sentence. Pure.

The name is found first, then the frame that puts a value beside it, then the value; each step is one bounded match, and
most names end at the first or second. `secret_names` decides what a name tells, `secret_values` what a value is like.
"""

from collections.abc import Iterator
from dataclasses import replace

from recollect.privacy.secret_columns import Table, in_column
from recollect.privacy.secret_names import ANCHORS, Strength, Telling, telling
from recollect.privacy.secret_patterns import Match, Pattern, line_start, places_of
from recollect.privacy.secret_values import Frame, is_key, is_password, is_secret, is_strong, is_worded

Found = tuple[int, int, str]  # start, end, rule

_NAME_BYTES = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")
_NAMES = bytes(byte if byte in _NAME_BYTES else 0x20 for byte in range(256))
_NAME_REACH = 60  # how far a name goes on to either side of the word that tells

_CLOSES = rb"(?:\\{0,3}[\"'`])?[\]*]{0,2}[\s\"']{0,3}"
_ASSIGNS = Pattern(
    _CLOSES + rb"(?:"
    # `token: str = `, `var token string = `, `const TOKEN: &'static str = `
    rb"(?P<typed>[ ]?:?[ ]{0,2}&?(?:'static )?[A-Za-z_][\w.\[\]<>?*]{0,40}[ ]{0,3}:?=(?![=>])[ ]{0,3}(?=[\"'`fbru@$]))"
    # the name is itself a value: `name="password" value="..."`, `- name: TOKEN` and `value: ...` below
    rb"|(?P<beside>[,\s]{1,40}[\"']?(?:value|Value|VALUE|default|content)[\"']?\s{0,3}[=:]\s{0,3})"
    rb"|(?P<block>[ ]{0,3}:[ ]{0,3}[|>][-+1-9]{0,2}[ \t]{0,3}\r?\n)"  # YAML: in the lines below
    rb"|(?P<sign>\s{0,12}(?:={1,3}>?|!==?|:{1,3}=?|[|?&+.]{1,2}=|[-~]>|<-|=>|\?:|\|\|)(?:\*\*)?"
    rb"(?:[ ][|>][-+1-9]{0,2}(?:\\[nr]){0,2}(?=[ ])|[ ]?\r?\n[ ]{0,20}-(?=[ ])|[ ]?\[[ ]?)?"  # in YAML
    rb"(?:\s{0,20}(?=\\{0,3}[\"'`])|[ \t]{0,20}))"
    rb"|(?P<comma>[ ]{0,3},\s{0,12}(?=\\{0,3}[\"'`]))"
    rb"|(?P<call>\(\s{0,6}(?=\\{0,3}[\"'`]))"
    rb"|(?P<cell></t[dh]>\s{0,20}<td[^<>]{0,60}>)"
    rb"|(?P<element>>\s{0,12}(?:<!\[CDATA\[)?)"
    rb"|(?P<beyond>[ ]{1,4}(?:\||-)[ ]{1,4}(?=[^\s|\-]))"  # in the next cell of a table, after a dash
    rb")"
)
_FOREIGN = Pattern(
    rb"[\"'`*]{0,3}[ \x02]{0,40}\x02[ \x02]{0,40}[:=\-]?[ ]{0,3}(?=[^\s\x02])"
)  # words of another script
_NEAR = Pattern(rb"[\"'`*]{0,3}(?:\s?[(:]|\s(?:of|to|=)|\s?\.{3,40})?[ \t]{1,8}(?=\S)")
_PROSE = Pattern(
    rb"[\"'`*]{0,3}(?:\s[^\s;=|{}()\[\]<>]{0,29}[^\s.;:=|{}()\[\]<>!?]){0,6}?\s"
    rb"(?:(?:is|are|was|it's|equals|will be|set to|changed to|ist|lautet|war|est|es|era|jest|je|er|\xe4r|[\xe8\xe9])"
    rb"(?:\s(?:now|still|currently|set to|changed to|just|simply|actually|jetzt))?:?|\S{1,30}:)\s{1,3}(?=\S)"
)
_STRING = Pattern(
    rb"[fFrRbBuU@$]{0,2}(?:\\{1,3}[\"'](?P<a>[^\"'\\\n]{1,400})(?=\\)|\"(?P<b>(?:[^\"\\\n]{1,400}+|\\.){1,40}+)(?=\"|\n|$)"
    rb"|'(?P<c>(?:[^'\\\n]{1,400}+|\\.){1,40}+)(?='|\n|$)|`{1,3}(?P<d>[^`\n]{1,400})(?=`))"
)
_BARE = Pattern(rb"(?:[^\s\"'`<>,;&|(){}\[\]\\\x01\x02]{1,300}+|\\(?![nrt\"'\\])){1,3}+")
# The same where a password may have signs in it that usually end a value.
_PASSWORD = Pattern(
    rb"(?:[^\s\"'`<>,;&|(){}\[\]\\\x01\x02]{1,300}+|[,;&|](?![\s\"'`]|$|[\w.\-]{1,40}[ ]?[=:])|\\(?![nrt\"'\\])){1,40}+"
)
_LINE = Pattern(rb"(?:[^\s\"'`\\\x01\x02]{1,300}+|\\(?![nrt\"'\\])){1,3}+")
_CONTENT = Pattern(rb"[^\s<>\"'\]]{1,300}")
_MIXED = Pattern(rb"[\s\"'`=\\]{0,6}")
_CALL = Pattern(rb"[\"']?\s{0,2}[=:]?\s{0,2}[(\[{]{1,2}")
_ARGUMENT = Pattern(
    rb"[^\"'`;\n)]{0,80}[fFrRbBuU]?(?:\"([^\"\n]{0,200})\"|'([^'\n]{0,200})'|`([^`\n]{0,200})`)(?=[\s,).\]}:])"
)
_MOST_ARGUMENTS = 5
_GROUPS = Pattern(rb"[A-Za-z0-9]{3,8}(?:[ \-][A-Za-z0-9]{3,8}){3,15}(?![\w\-])")
_LOGIN = Pattern(rb"[\"'`]?[\w.@+\-]{2,60}[\"'`]?(?:[ ]{0,2}[:/|][ ]{0,2}|[ ]and[ ])(?=\S)")
# `Buffer.from("...", "base64")`, `new SecretStr("...")`; not what looks something up.
_WRAPPED = Pattern(
    rb"(?:new )?(?!(?i:[\w.]{0,40}(?:get|env|read|load|fetch|find|decrypt|lookup|require|prompt|input|ask|hash)))"
    rb"[A-Za-z_][\w.:]{0,40}\((?:[A-Za-z_][\w.]{0,40}\()?\s{0,6}(?=[bru]?[\"'`])"
)
_WRAPPED_CHARS = 14
_SETS = Pattern(rb"(?:^|\n|\\n|\n[ ]{0,20}- |^[ ]{0,20}- |export |set |ENV |-e |env )$")
_WORD_BEFORE = Pattern(rb"([A-Za-z0-9]{2,20})[ \-]$")
_INNER = Pattern(rb"[A-Za-z_][\w.\-]{2,60}=[^=]")
_WORDS = Pattern(rb"(?<![^\s\"'`,(|])[A-Za-z0-9][^\s\"'`<>,;:/\\(){}\[\]=|\x01\x02]{7,63}(?=[\s\"'`,;:.)|]|$)")
_LINE_BACK, _LINE_AHEAD = 80, 160
_WITH_A_WORD = (b"key", b"keys", b"seed")  # the word before says which one
_PLACES = frozenset(b"for of on to in at there from".split())
_BLOCK = Pattern(rb"([ \t]{1,40})([^\s#][^\n]{3,400})(?:\r?\n\1[ \t]{0,40}[^\s][^\n]{0,400}){0,80}")


def assigned(text: bytes, low: bytes) -> Iterator[Found]:
    names = text.translate(_NAMES)
    done, table = 0, Table()
    for place in sorted(places_of(low, ANCHORS)):
        if place < done:  # another part of the same name
            continue
        start = names.rfind(b" ", max(0, place - _NAME_REACH), place) + 1 or max(0, place - _NAME_REACH)
        done = names.find(b" ", place, place + _NAME_REACH)
        done = done if done >= 0 else min(len(text), place + _NAME_REACH)
        end = start + len(names[start:done].rstrip(b".-"))
        told = _told(text, start, end)
        if told.strength is not Strength.NOTHING:
            yield from _beside(text, start, end, told, table)


def _told(text: bytes, start: int, end: int) -> Telling:
    told = telling(text[start:end])
    if told.strength is Strength.WEAK and start and text[start - 1] == 0x20 and text[start:end].lower() in _WITH_A_WORD:
        before = _WORD_BEFORE.search(text, max(0, start - 22), start)
        if before is not None:
            return telling(before.group(1) + b" " + text[start:end])
    return told


def _beside(text: bytes, start: int, end: int, told: Telling, table: Table) -> Iterator[Found]:
    if told.is_login:
        yield from _given(text, end, told)
    elif told.strength in (Strength.PASSWORD, Strength.KEY) and text[end : end + 4].endswith(b"["):
        yield from _given(text, end, replace(told, is_signer=True))
    match = _ASSIGNS.match(text, end)
    if match is not None:
        found = _assigned(text, start, match, told)
    else:
        found = _spoken(text, start, end, told) if told.is_spoken or told.is_login else None
    if found is None and told.is_spoken and text[start - 1 : start] == b" ":
        found = _before(text, start, told)
    if found is not None:
        yield found
    elif told.strength in (Strength.PASSWORD, Strength.KEY):
        yield from in_column(text, start, end, told, table)
        yield from _in_line(text, start, end, told)
    elif told.is_login:
        yield from _in_line(text, start, end, told)


def _assigned(text: bytes, start: int, match: Match, told: Telling) -> Found | None:
    how, at = match.lastgroup, match.end()
    if how == "element" and text[start - 1 : start] != b"<" and not match.group().startswith((b'"', b"'")):
        return None
    if how == "block":
        return _block(text, at, told)
    if told.is_login and how == "sign":
        found = _login(text, at)
        if found is not None:
            return found
    string = _STRING.match(text, at)
    if string is not None:
        begin, stop = string.span(string.lastgroup or 0)
        found = _judged(text, begin, stop, told, Frame.TOLD_QUOTED if how == "beyond" else Frame.QUOTED)
        if found is not None or how != "sign" or text[begin : begin + 1].isalnum():
            return found
    if how in ("typed", "comma", "call"):
        return None
    wrapped = _WRAPPED.match(text, at) if how == "sign" else None
    if wrapped is not None:
        inside = _STRING.match(text, wrapped.end())
        if inside is None or len(inside.group()) < _WRAPPED_CHARS:
            return None
        return _judged(text, *inside.span(inside.lastgroup or 0), told, Frame.TOLD_QUOTED)
    sets = match.group().endswith(b"=") and _SETS.search(text, max(0, start - 8), start) is not None
    sets = sets and text[at : at + 1] not in (b"\r", b"\n")
    if how == "sign" and not text[at : at + 1].isalnum():
        at += len(_MIXED.match(text, at).group())  # type: ignore[union-attr]  # it matches nothing, too
    is_query = text[start - 1 : start] in (b"?", b"&")
    pattern = _PASSWORD if told.strength is Strength.PASSWORD and not is_query else _BARE
    bare = (_LINE if sets else _CONTENT if how == "element" else pattern).match(text, at)
    if bare is None:
        return None
    after = text[bare.end() : bare.end() + 1]
    if (after in (b"(", b"[", b"{") and not sets) or (how == "element" and after not in (b"<", b"]")):
        return None
    if how == "beyond" and _INNER.match(bare.group()):  # `the key - API_KEY=...`: the inner name is the nearer one
        return None
    grouped = _grouped(text, at, told)
    if grouped is not None:
        return grouped
    value = bare.group().rstrip(b".,;:?)*" if match.group().endswith(b" ") else b",;")
    return _judged(
        text, at, at + len(value), told, Frame.SET if sets else Frame.TOLD if how == "beyond" else Frame.ASSIGNED
    )


def _spoken(text: bytes, start: int, end: int, told: Telling) -> Found | None:
    match = _FOREIGN.match(text, end)
    if match is not None:
        return _said(text, match.end(), told, Frame.TOLD)
    match = _NEAR.match(text, end)
    if match is None:
        return None
    if told.is_login:
        found = _login(text, match.end())
        if found is not None or not told.is_spoken:
            return found
    if text.startswith(b"-", start):
        return _said(text, match.end(), told, Frame.ASSIGNED)
    if told.is_doubtful and not _is_first(text, start):
        return None
    found = _said(text, match.end(), told, Frame.TOLD if _is_first(text, start) else Frame.NEAR)
    prose = _PROSE.match(text, end) if found is None else None
    if prose is None or _tells_of_another(text, start, end, prose.end()):
        return found
    return (_login(text, prose.end()) if told.is_login else None) or _said(text, prose.end(), told, Frame.TOLD)


def _said(text: bytes, at: int, told: Telling, frame: Frame) -> Found | None:
    quoted = _STRING.match(text, at)
    if quoted is not None:
        frame = Frame.QUOTED if frame is Frame.ASSIGNED else Frame.TOLD_QUOTED
        return _judged(text, *quoted.span(quoted.lastgroup or 0), told, frame)
    grouped = _grouped(text, at, told) if frame is Frame.TOLD else None
    word = (_LINE if frame is Frame.ASSIGNED else _PASSWORD).match(text, at)
    if grouped is not None or word is None or _INNER.match(word.group()):
        return grouped
    value = word.group().rstrip(b",;" if frame is Frame.ASSIGNED else b".,;:?)*")
    if frame is Frame.TOLD and told.is_doubtful and not _is_last(text, at + len(value)):
        return None
    return _judged(text, at, at + len(value), told, frame)


def _in_line(text: bytes, start: int, end: int, told: Telling) -> Iterator[Found]:
    """What can hardly be anything else, a few words from the name."""
    begin = line_start(text, start, _LINE_BACK)
    stop = text.find(b"\n", end, end + _LINE_AHEAD)
    if stop >= 0 and not text[end:stop].strip(b" \t\r\"'`*:=-"):  # the name is a head of its own
        stop = text.find(b"\n", stop + 1, end + _LINE_AHEAD)
    is_password_line = told.strength is Strength.PASSWORD and not told.is_doubtful
    for word in _WORDS.finditer(text, begin, stop if stop >= 0 else end + _LINE_AHEAD):
        value = word.group().rstrip(b".,;:")
        if word.start() < end and start < word.end():  # the name itself
            continue
        if is_strong(value) or (is_password_line and is_worded(value)):
            yield word.start(), word.start() + len(value), told.rule or "password"


def _before(text: bytes, start: int, told: Telling) -> Found | None:
    """`use ... as the password`."""
    place = text.rfind(b" as ", max(0, start - 30), start)
    if place < 0:
        return None
    floor = max(0, place - 100)
    begin = max(text.rfind(b" ", floor, place), text.rfind(b"\n", floor, place), floor - 1) + 1
    word = text[begin:place].strip(b"\"'`*")
    begin = text.find(word, begin)
    return _judged(text, begin, begin + len(word), told, Frame.NEAR)


def _tells_of_another(text: bytes, start: int, end: int, until: int) -> bool:
    """`key fingerprint is`, `password length is`: the sentence is not about the name alone."""
    following = text[end:until].split()[:1]
    if not following or following[0] in _PLACES:
        return False
    return telling(text[start:end] + b" " + following[0]).strength is Strength.NOTHING


def _is_last(text: bytes, end: int) -> bool:
    """Whether the line ends here."""
    return text[end : end + 1] in (b"", b"\r", b"\n")


def _is_first(text: bytes, start: int) -> bool:
    """Whether a line of settings may begin here: `requirepass ...`, `ENV TOKEN ...`, `config set token ...`."""
    return _SETS.search(text, max(0, start - 24), start) is not None


def _block(text: bytes, at: int, told: Telling) -> Found | None:
    """The lines of a YAML block are one value."""
    match = _BLOCK.match(text, at)
    if match is None:
        return None
    value = b"".join(match.group().split())
    found = _judged(value, 0, len(value), told, Frame.ASSIGNED)
    return None if found is None else (match.start(2), match.start() + len(match.group().rstrip()), told.rule)


def _grouped(text: bytes, at: int, told: Telling) -> Found | None:
    groups = _GROUPS.match(text, at)
    return _judged(text, *groups.span(), told, Frame.TOLD) if groups is not None else None


def _given(text: bytes, end: int, told: Telling) -> Iterator[Found]:
    """A password or key among what is given to a call that logs in, connects or signs: `auth=("me", "...")`. What comes
    first is a user or a place, unless it signs."""
    match = _CALL.match(text, end)
    for number in range(_MOST_ARGUMENTS if match is not None else 0):
        match = _ARGUMENT.match(text, match.end())  # type: ignore[union-attr]
        if match is None:
            return
        start, stop = match.span(match.lastindex or 0)
        value = text[start:stop]
        has_own_name = text[max(0, start - 4) : start - 1].rstrip(b" bBrRuUfF")[-1:] in (b":", b"=")
        if (number or told.is_signer) and not has_own_name and (is_password(value, Frame.TOLD_QUOTED) or is_key(value)):
            yield start, stop, "password"


def _login(text: bytes, at: int) -> Found | None:
    """A password behind the name of its user."""
    user = _LOGIN.match(text, at)
    string = _STRING.match(text, user.end()) if user is not None else None
    word = _PASSWORD.match(text, user.end()) if user is not None else None
    if string is not None:
        start, end = string.span(string.lastgroup or 0)
    elif word is not None:
        start, end = word.start(), word.start() + len(word.group().rstrip(b".,;:?)*"))
    else:
        return None
    return (start, end, "password") if is_secret(text[start:end], Strength.PASSWORD, Frame.TOLD) else None


def _judged(text: bytes, start: int, end: int, told: Telling, frame: Frame) -> Found | None:
    frame = Frame.NEAR if told.is_doubtful else frame
    return (start, end, told.rule) if is_secret(text[start:end], told.strength, frame) else None
