"""Values beside a name that tells: `api_key: ...`, `--password ...`, `set("token", "...")`, or in a sentence. Pure.

The name is found first, then the frame that puts a value beside it, then the value; each step is one bounded match, and
most names end at the first or second. `secret_names` decides what a name tells, `secret_values` what a value is like.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from string import ascii_lowercase, ascii_uppercase, digits

from recollect.privacy.secret_columns import Table, in_column
from recollect.privacy.secret_names import Strength, Telling, classify_name, names_in
from recollect.privacy.secret_patterns import BytesPattern, Match, line_start, places_of
from recollect.privacy.secret_values import Frame, is_digest, is_key, is_loud, is_password, is_secret

Found = tuple[int, int, str]  # start, end, rule

_CLOSES = rb"(?:\\{0,3}[\"'`])?[\]*]{0,2}[\s\"']{0,3}"
_ASSIGNS = BytesPattern(
    _CLOSES + rb"(?:"
    # `token: str = `, `var token string = `, `const TOKEN: &'static str = `
    rb"(?P<typed>[ ]?:?[ ]{0,2}&?(?:'static )?[A-Za-z_][\w.\[\]<>?*]{0,40}[ ]{0,3}:?=(?![=>])[ ]{0,3}(?=[\"'`fbru@$]))"
    # the name is itself a value: `name="password" value="..."`, `- name: TOKEN` and `value: ...` below
    rb"|(?P<beside>(?:[,\s]{1,40}|\s{0,3}\{[^{}]{0,160}?\s)[\"']?(?:value|Value|VALUE|default|content)[\"']?\s{0,3}[=:]\s{0,3})"
    rb"|(?P<block>[ ]{0,3}:[ ]{0,3}[|>][-+1-9]{0,2}[ \t]{0,3}\r?\n)"  # YAML: in the lines below
    rb"|(?P<sign>\s{0,12}(?:={1,3}>?|!==?|:{1,3}=?|[|?&+.]{1,2}=|[-~]>|<-|=>|\?:|\|\|)(?:\*\*)?"
    rb"(?:[ ][|>][-+1-9]{0,2}(?:\\[nr]){0,2}(?=[ ])|[ ]?\r?\n[ ]{0,20}-(?=[ ])|[ ]?\[[ ]?"  # in YAML
    rb"|[ ](?:!!?[\w/]{1,40}|&\w{1,40})(?=[ ])|\{(?=[^\s{}\"']{4,60}\}[;\"']))?"
    rb"(?:\s{0,20}(?=\\{0,3}[\"'`])|[ \t]{0,20}))"
    rb"|(?P<comma>[ ]{0,3},\s{0,12}(?=\\{0,3}[\"'`]))"
    rb"|(?P<call>\(\s{0,6}(?=\\{0,3}[\"'`]))"
    # the name is a tag, an attribute or the text of a tag
    rb"|(?P<element>(?:>|\s{0,3}</\w{1,20}>)\s{0,12}(?:<\w[^<>\n]{0,60}>\s{0,12}){0,3}(?:<!\[CDATA\[)?)"
    rb"|(?P<beyond>[ ]{1,4}(?:\||-)[ ]{1,4}(?=[^\s|\-]))"  # in the next cell of a table, after a dash
    rb")"
)
_FOREIGN = BytesPattern(
    rb"[\"'`*]{0,3}[ \x02]{0,40}\x02[ \x02]{0,40}[:=\-]?[ ]{0,3}(?=[^\s\x02])"
)  # words of another script
_NEAR = BytesPattern(rb"[\"'`*]{0,3}(?:\s?[(:]|\s(?:of|to|=)|\s?\.{3,40})?[ \t]{1,8}(?=\S)")
_PROSE = BytesPattern(
    rb"[\"'`*]{0,3}(?:\s[^\s;=|{}()\[\]<>]{0,29}[^\s.;:=|{}()\[\]<>!?]){0,6}?\s"
    rb"(?:(?:is|are|was|to|it's|equals|will be|set to|changed to|ist|lautet|war|est|es|era|jest|je|er|\xe4r|[\xe8\xe9])"
    rb"(?:\s(?:now|still|currently|set to|changed to|just|simply|actually|jetzt))?:?|\S{1,30}:)\s{1,3}(?=\S)"
)
_STRING = BytesPattern(
    rb"[fFrRbBuU@$]{0,2}(?:\\{1,3}[\"'](?P<a>[^\"'\\\n]{1,400})(?=\\)|\"(?P<b>(?:[^\"\\\n]{1,400}+|\\.){1,40}+)(?=\"|\n|$)"
    rb"|'(?P<c>(?:[^'\\\n]{1,400}+|\\.){1,40}+)(?='|\n|$)|`{1,3}(?P<d>[^`\n]{1,400})(?=`))"
)
_BARE = BytesPattern(rb"(?:[^\s\"'`<>,;&|(){}\[\]\\\x01\x02]{1,300}+|\\(?![nrt\"'\\])){1,3}+")
# The same where a password may have signs in it that usually end a value.
_PASSWORD = BytesPattern(
    rb"(?:[^\s\"'`<>,;&|(){}\[\]\\\x01\x02]{1,60}+|[,;&|](?![\s\"'`]|$|[\w.\-]{1,40}[ ]?[=:])|\\(?![nrt\"'\\])){1,8}+"
)
_LINE = BytesPattern(rb"(?:[^\s\"'`\\\x01\x02]{1,300}+|\\(?![nrt\"'\\])){1,3}+")
_CONTENT = BytesPattern(rb"[^\s<>\"'\]]{1,300}")
_MIXED = BytesPattern(rb"[\s\"'`=\\]{0,6}")
_CALL = BytesPattern(rb"[\"']?(?:(?:::|\.)\w{1,20})?\s{0,2}(?:[=:]?\s{0,2}[(\[{]{1,2}|(?='))")
_ARGUMENT = BytesPattern(
    rb"[^\"'`;\n)]{0,80}[fFrRbBuU]?(?:\"([^\"\n]{0,200})\"|'([^'\n]{0,200})'|`([^`\n]{0,200})`)(?=[\s,).\]}:;]|$)"
)
_MOST_ARGUMENTS = 8
_GROUPS = BytesPattern(rb"[A-Za-z0-9]{3,9}(?:[ \-][A-Za-z0-9]{3,9}){3,15}(?![\w\-])")
_LOGIN = BytesPattern(rb"[\"'`]?[\w.@+\-]{2,60}[\"'`]?(?:[ ]{0,2}[:/|][ ]{0,2}|[ ]and[ ])(?=\S)")
# `Buffer.from("...", "base64")`, `new SecretStr("...")`; not what looks something up.
_WRAPPED = BytesPattern(
    rb"(?:new )?(?!(?i:[\w.]{0,40}(?:get|env|read|load|fetch|find|decrypt|lookup|require|prompt|input|ask|hash)))"
    rb"[A-Za-z_][\w.:]{0,40}\((?:[A-Za-z_][\w.]{0,40}\()?\s{0,6}(?=[bru]?[\"'`])"
)
_WRAPPED_CHARS = 14
_SETS = BytesPattern(rb"(?:^|\n|\\n|\n[ ]{0,20}- |^[ ]{0,20}- |export |set |ENV |-e |env )$")
_WORD_BEFORE = BytesPattern(rb"([A-Za-z0-9]{2,20})[ \-]$")
_INNER = BytesPattern(rb"[A-Za-z_][\w.\-]{2,60}=[^=]")
_WORDS = BytesPattern(
    rb"(?<![^\s\"'`,(|])[A-Za-z0-9][^\s\"'`<>,;:/\\(){}\[\]=|\x01\x02]{7,63}={0,2}(?=[\s\"'`,;:.)|]|$)"
)
_HASHED = BytesPattern(
    rb"hash|sha|commit|digest|checksum|merge|revert|cherry|md5|etag|trace|\bbuild\b|image|fingerprint|gpg|\bids?\b", 2
)
_AS_WORDS = bytes(0x20 if chr(byte) in " \t\r\n\f\v\"'`<>,;:/\\(){}[]=|\1\2" else byte for byte in range(256))
_KINDS = bytes(
    next(
        (
            kind
            for kind, some in zip(b"aA0!-", (ascii_lowercase, ascii_uppercase, digits, "!@#$%^&*+?~", "-"), strict=True)
            if chr(byte) in some
        ),
        0x20,
    )
    for byte in range(256)
)
_ODD = tuple(b"a0 A0 0a 0A 00 a! A! 0! aAA AaA -aaaa-".split())
_LINE_BACK, _LINE_AHEAD, _TABLE_AHEAD = 80, 160, 1200
_WITH_A_WORD = (b"key", b"keys", b"seed", b"code")  # the word before says which one
_PLACES = frozenset(b"for of on to in at there from".split())
_NEST = BytesPattern(rb"[\"']?[ ]?[:=][ ]{0,3}[{\[]?[ ]{0,3}\r?\n")
_NESTED = BytesPattern(
    rb"([ ]{0,40})(?:-[ ]{1,3})?(?:[\"']?([\w.\-]{1,60})[\"']?[ ]?[:=][ ]{1,3})?"
    rb"[\"']?([^\s\"',]{0,300})[^\n]{0,200}(?:\n|$)"
)
_MOST_NESTED = 12
_BLOCK = BytesPattern(rb"([ \t]{1,40})([^\s#][^\n]{3,400})(?:\r?\n\1[ \t]{0,40}[^\s][^\n]{0,400}){0,80}")


def assigned(text: bytes, names: bytes, words: set[bytes]) -> Iterator[Found]:
    table, lines = Table(), Lines(text)
    for start, end in names_in(names, words):
        told = _told(text, start, end)
        if told.strength is not Strength.NOTHING:
            yield from _beside(text, start, end, told, table, lines)


class Lines:
    """Where the text has what words of a language have not: a letter beside a digit or a sign, four digits, capitals in
    the middle. Far from all of them there is nothing to judge. And how far words were judged for the sake of a name, by
    what it tells: none is judged twice."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._words = text.translate(_AS_WORDS)
        self._places = sorted(places_of(text.translate(_KINDS), _ODD))
        self._done: dict[Strength, int] = {}

    def is_odd(self, start: int, end: int) -> bool:
        place = bisect_left(self._places, start)
        return place < len(self._places) and self._places[place] < end

    def odd_words(self, start: int, end: int, strength: Strength) -> Iterator[Match]:
        start = max(start, self._done.get(strength, 0))
        self._done[strength] = max(start, end)
        for place in self._places[bisect_left(self._places, start) : bisect_left(self._places, end)]:
            if place < start:
                continue
            word = _WORDS.match(self._text, max(0, self._words.rfind(b" ", max(0, place - 64), place) + 1), end)
            if word is not None:
                start = word.end()
                yield word


def _told(text: bytes, start: int, end: int) -> Telling:
    told = classify_name(text[start:end])
    if (
        told.strength is Strength.WEAK
        and start
        and text[start - 1] == 0x20
        and text[start:end].lower().rstrip(b"12") in _WITH_A_WORD
    ):
        before = _WORD_BEFORE.search(text, max(0, start - 22), start)
        if before is not None:
            return classify_name(before.group(1) + b" " + text[start:end])
    return told


def _beside(text: bytes, start: int, end: int, told: Telling, table: Table, lines: Lines) -> Iterator[Found]:
    is_odd = lines.is_odd(start - _LINE_BACK, end + _LINE_AHEAD) or b"phrase" in text[start:end].lower()
    if not is_odd and told.strength is not Strength.PASSWORD:
        if told.is_spoken and lines.is_odd(end, end + _TABLE_AHEAD):
            yield from in_column(text, start, end, told, table)
        return
    if told.is_login and is_odd:
        yield from _given(text, end, told)
    elif is_odd and text[end : end + 4].endswith(b"["):
        yield from _given(text, end, replace(told, is_signer=True))
    match, found = _ASSIGNS.match(text, end), None
    if match is not None:
        nest = _NEST.match(text, end)
        if nest is not None:
            yield from _nested(text, start, nest.end(), told)
        found = _assigned(text, start, match, told)
    elif is_odd and (told.is_spoken or told.is_login):
        found = _spoken(text, start, end, told)
    if found is None and is_odd and told.is_spoken and text[start - 1 : start] == b" ":
        found = _before(text, start, told)
    if found is not None:
        yield found
    elif told.is_spoken and told.strength is not Strength.PIN and lines.is_odd(end, end + _TABLE_AHEAD):
        yield from in_column(text, start, end, told, table)
    if is_odd and (told.strength in (Strength.PASSWORD, Strength.KEY) or (told.is_login and not told.is_signer)):
        yield from _in_line(text, start, end, told, lines)


def _nested(text: bytes, start: int, at: int, told: Telling) -> Iterator[Found]:
    """Values in the lines below that belong to the name: items of a list, or each under a name of its own."""
    begin = line_start(text, start, _LINE_BACK)
    indent = len(text[begin:start]) - len(text[begin:start].lstrip(b" "))
    if text[begin:start].strip(b" \"'-"):
        return
    for _ in range(_MOST_NESTED):
        line = _NESTED.match(text, at)
        if line is None or len(line.group(1)) <= indent - line.group().lstrip().startswith(b"-"):
            return
        value = line.group(3) or b""
        if is_loud(value, told.strength) or (told.strength is Strength.KEY and is_key(value)):
            yield *line.span(3), told.rule
        at = line.end()


def _assigned(text: bytes, start: int, match: Match, told: Telling) -> Found | None:
    how, at = match.lastgroup, match.end()
    if how == "element" and match.group()[:1] == b">" and text[start - 1 : start] != b"<":
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
    if how == "beyond" and b"{{" in text[max(0, start - _LINE_BACK) : start]:
        return None
    if how == "beyond" and _INNER.match(bare.group()):  # `the key - API_KEY=...`: the inner name is the nearer one
        return None
    grouped = _grouped(text, at, told)
    if grouped is not None:
        return grouped
    value = bare.group().rstrip(b".,;:?)*" if match.group().endswith(b" ") else b",;")
    return _judged(
        text,
        at,
        at + len(value),
        told,
        Frame.SET if sets or is_query else Frame.TOLD if how == "beyond" else Frame.ASSIGNED,
    )


def _spoken(text: bytes, start: int, end: int, told: Telling) -> Found | None:
    match = _FOREIGN.match(text, end) if text.find(b"\x02", end, end + 4) >= 0 else None
    if match is not None:
        return _said(text, match.end(), told, Frame.TOLD)
    match = _NEAR.match(text, end)
    if match is None:
        return None
    if told.is_login and not told.is_signer:
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


def _in_line(text: bytes, start: int, end: int, told: Telling, lines: Lines) -> Iterator[Found]:
    """What can hardly be anything else, a few words from the name."""
    begin = end if told.strength is Strength.LOGIN else line_start(text, start, _LINE_BACK)
    stop = text.find(b"\n", end, end + _LINE_AHEAD)
    if stop >= 0 and not text[end:stop].strip(b" \t\r\"'`*:=-{}[]()"):  # the name is a head of its own
        stop = text.find(b"\n", stop + 1, end + _LINE_AHEAD)
    stop = stop if stop >= 0 else min(len(text), end + _LINE_AHEAD)
    for word in lines.odd_words(begin, stop, told.strength):
        value = word.group().rstrip(b".,;:")
        if word.start() < end and start < word.end():  # the name itself
            continue
        is_hash = word.start() > end and told.strength in (Strength.PASSWORD, Strength.KEY) and is_digest(value)
        if (is_hash and is_key(value) and not _HASHED.search(text, begin, stop)) or is_loud(value, told.strength):
            rule = "password" if told.strength is Strength.LOGIN else told.rule
            yield word.start(), word.start() + len(value), rule


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
    return classify_name(text[start:end] + b" " + following[0]).strength is Strength.NOTHING


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
    parts = match.group().split()
    value = (b" " if all(map(bytes.isalpha, parts)) else b"").join(parts)
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
        if not (number or told.is_signer) or has_own_name:
            continue
        if told.is_login and (is_password(value, Frame.TOLD_QUOTED) or is_key(value)):
            yield start, stop, "password"
        elif not told.is_login and is_secret(value, told.strength, Frame.QUOTED):
            yield start, stop, told.rule


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
    value = text[start:end].strip()
    start = text.find(value, start)
    return (start, start + len(value), told.rule) if is_secret(value, told.strength, frame) else None
