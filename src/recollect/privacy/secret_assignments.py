"""Finds values beside the name of a secret: `api_key: ...`, `--password ...`, `set("token", "...")`, prose. Pure.

The name is found first, then the frame that puts a value beside it, then the value. Each step is one bounded match, and
most names are settled by the first or second. `secret_names` judges the name, `secret_values` the value.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import replace
from string import ascii_lowercase, ascii_uppercase, digits

from recollect.privacy.secret_columns import TableRange, find_in_column
from recollect.privacy.secret_names import NameClue, Strength, classify_name, find_names
from recollect.privacy.secret_reading import Found, Match, find_places, line_start
from recollect.privacy.secret_values import Frame, is_digest, is_key, is_obvious, is_password, is_secret
from recollect.text.lazy_pattern import LazyPattern

_CLOSES = rb"(?:\\{0,3}[\"'`])?[\]*]{0,2}[\s\"']{0,3}"
_ASSIGNS = LazyPattern(
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
# Words of another script.
_FOREIGN = LazyPattern(rb"[\"'`*]{0,3}[ \x02]{0,40}\x02[ \x02]{0,40}[:=\-]?[ ]{0,3}(?=[^\s\x02])")
_NEAR = LazyPattern(rb"[\"'`*]{0,3}(?:\s?[(:]|\s(?:of|to|=)|\s?\.{3,40})?[ \t]{1,8}(?=\S)")
_PROSE = LazyPattern(
    rb"[\"'`*]{0,3}(?:\s[^\s;=|{}()\[\]<>]{0,29}[^\s.;:=|{}()\[\]<>!?]){0,6}?\s"
    rb"(?:(?:is|are|was|to|it's|equals|will be|set to|changed to|ist|lautet|war|est|es|era|jest|je|er|\xe4r|[\xe8\xe9])"
    rb"(?:\s(?:now|still|currently|set to|changed to|just|simply|actually|jetzt))?:?|\S{1,30}:)\s{1,3}(?=\S)"
)
_STRING = LazyPattern(
    rb"[fFrRbBuU@$]{0,2}(?:\\{1,3}[\"'](?P<a>[^\"'\\\n]{1,400})(?=\\)|\"(?P<b>(?:[^\"\\\n]{1,400}+|\\.){1,40}+)(?=\"|\n|$)"
    rb"|'(?P<c>(?:[^'\\\n]{1,400}+|\\.){1,40}+)(?='|\n|$)|`{1,3}(?P<d>[^`\n]{1,400})(?=`))"
)
_BARE = LazyPattern(rb"(?:[^\s\"'`<>,;&|(){}\[\]\\\x01\x02]{1,300}+|\\(?![nrt\"'\\])){1,3}+")
# The same for passwords: they may contain signs that usually end a value.
_PASSWORD = LazyPattern(
    rb"(?:[^\s\"'`<>,;&|(){}\[\]\\\x01\x02]{1,60}+|[,;&|](?![\s\"'`]|$|[\w.\-]{1,40}[ ]?[=:])|\\(?![nrt\"'\\])){1,8}+"
)
_LINE = LazyPattern(rb"(?:[^\s\"'`\\\x01\x02]{1,300}+|\\(?![nrt\"'\\])){1,3}+")
_CONTENT = LazyPattern(rb"[^\s<>\"'\]]{1,300}")
_MIXED = LazyPattern(rb"[\s\"'`=\\]{0,6}")
_CALL = LazyPattern(rb"[\"']?(?:(?:::|\.)\w{1,20})?\s{0,2}(?:[=:]?\s{0,2}[(\[{]{1,2}|(?='))")
_ARGUMENT = LazyPattern(
    rb"[^\"'`;\n)]{0,80}[fFrRbBuU]?(?:\"([^\"\n]{0,200})\"|'([^'\n]{0,200})'|`([^`\n]{0,200})`)(?=[\s,).\]}:;]|$)"
)
_MAX_ARGUMENTS = 8
_GROUPS = LazyPattern(rb"[A-Za-z0-9]{3,9}(?:[ \-][A-Za-z0-9]{3,9}){3,15}(?![\w\-])")
_LOGIN = LazyPattern(rb"[\"'`]?[\w.@+\-]{2,60}[\"'`]?(?:[ ]{0,2}[:/|][ ]{0,2}|[ ]and[ ])(?=\S)")
# `Buffer.from("...", "base64")`, `new SecretStr("...")`; not a call that looks something up.
_WRAPPED = LazyPattern(
    rb"(?:new )?(?!(?i:[\w.]{0,40}(?:get|env|read|load|fetch|find|decrypt|lookup|require|prompt|input|ask|hash)))"
    rb"[A-Za-z_][\w.:]{0,40}\((?:[A-Za-z_][\w.]{0,40}\()?\s{0,6}(?=[bru]?[\"'`])"
)
_WRAPPED_CHARS = 14
_SETS = LazyPattern(rb"(?:^|\n|\\n|\n[ ]{0,20}- |^[ ]{0,20}- |export |set |ENV |-e |env )$")
_WORD_BEFORE = LazyPattern(rb"([A-Za-z0-9]{2,20})[ \-]$")
_INNER = LazyPattern(rb"[A-Za-z_][\w.\-]{2,60}=[^=]")
_WORDS = LazyPattern(
    rb"(?<![^\s\"'`,(|])[A-Za-z0-9][^\s\"'`<>,;:/\\(){}\[\]=|\x01\x02]{7,63}={0,2}(?=[\s\"'`,;:.)|]|$)"
)
_HASHED = LazyPattern(
    rb"hash|sha|commit|digest|checksum|merge|revert|cherry|md5|etag|trace|\bbuild\b|image|fingerprint|gpg|\bids?\b", 2
)
_AS_WORDS = bytes(0x20 if chr(byte) in " \t\r\n\f\v\"'`<>,;:/\\(){}[]=|\1\2" else byte for byte in range(256))


def _shape_table() -> bytes:
    """Map every byte to its kind: `a`, `A`, `0`, `!` or `-`, and all others to a blank."""
    table = bytearray(b" " * 256)
    for kind, characters in zip(b"aA0!-", (ascii_lowercase, ascii_uppercase, digits, "!@#$%^&*+?~", "-"), strict=True):
        for character in characters:
            table[ord(character)] = kind
    return bytes(table)


_SHAPES = _shape_table()
_ODD = tuple(b"a0 A0 0a 0A 00 a! A! 0! aAA AaA -aaaa-".split())
_LINE_BACK, _LINE_AHEAD, _TABLE_AHEAD = 80, 160, 1200
_NEEDS_WORD_BEFORE = (b"key", b"keys", b"seed", b"code")  # the word before them says which kind
_PLACES = frozenset(b"for of on to in at there from".split())
_NEST = LazyPattern(rb"[\"']?[ ]?[:=][ ]{0,3}[{\[]?[ ]{0,3}\r?\n")
_NESTED = LazyPattern(
    rb"([ ]{0,40})(?:-[ ]{1,3})?(?:[\"']?([\w.\-]{1,60})[\"']?[ ]?[:=][ ]{1,3})?"
    rb"[\"']?([^\s\"',]{0,300})[^\n]{0,200}(?:\n|$)"
)
_MAX_NESTED_LINES = 12
_BLOCK = LazyPattern(rb"([ \t]{1,40})([^\s#][^\n]{3,400})(?:\r?\n\1[ \t]{0,40}[^\s][^\n]{0,400}){0,80}")


def find_assigned(text: bytes, names: bytes, words: Iterable[bytes]) -> Iterator[Found]:
    found = [*find_names(names, words)]
    if not found:
        return
    table, odd = TableRange(), OddWords(text)
    for start, end in found:
        clue = _clue_at(text, start, end)
        if clue.strength is not Strength.NOTHING:
            yield from _find_near_name(text, start, end, clue, table, odd)


class OddWords:
    """Places that ordinary words do not have: a letter beside a digit or a sign, two digits, capitals inside a word. Without
    any, there is nothing to judge. Remembers per strength how far words were returned: none is twice."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._words = text.translate(_AS_WORDS)
        self._places = sorted(find_places(text.translate(_SHAPES), _ODD))
        self._done: dict[Strength, int] = {}

    def has_any(self, start: int, end: int) -> bool:
        place = bisect_left(self._places, start)
        return place < len(self._places) and self._places[place] < end

    def words(self, start: int, end: int, strength: Strength) -> Iterator[Match]:
        start = max(start, self._done.get(strength, 0))
        self._done[strength] = max(start, end)
        for place in self._places[bisect_left(self._places, start) : bisect_left(self._places, end)]:
            if place < start:
                continue
            word = _WORDS.match(self._text, max(0, self._words.rfind(b" ", max(0, place - 64), place) + 1), end)
            if word is not None:
                start = word.end()
                yield word


def _clue_at(text: bytes, start: int, end: int) -> NameClue:
    clue = classify_name(text[start:end])
    if clue.strength is not Strength.WEAK or not start or text[start - 1] != 0x20:
        return clue
    if text[start:end].lower().rstrip(b"12") not in _NEEDS_WORD_BEFORE:
        return clue
    before = _WORD_BEFORE.search(text, max(0, start - 22), start)
    return clue if before is None else classify_name(before.group(1) + b" " + text[start:end])


def _find_near_name(
    text: bytes, start: int, end: int, clue: NameClue, table: TableRange, odd: OddWords
) -> Iterator[Found]:
    is_odd = odd.has_any(start - _LINE_BACK, end + _LINE_AHEAD) or b"phrase" in text[start:end].lower()
    if not is_odd and clue.strength is not Strength.PASSWORD:
        if clue.may_be_in_prose and odd.has_any(end, end + _TABLE_AHEAD):
            yield from find_in_column(text, start, end, clue, table)
        return
    if clue.is_login and is_odd:
        yield from _find_arguments(text, end, clue)
    elif is_odd and text[end : end + 4].endswith(b"["):
        yield from _find_arguments(text, end, replace(clue, is_signer=True))
    match, found = _ASSIGNS.match(text, end), None
    if match is not None:
        nest = _NEST.match(text, end)
        if nest is not None:
            yield from _find_in_lines_below(text, start, nest.end(), clue)
        found = _value_after_sign(text, start, match, clue)
    elif is_odd and (clue.may_be_in_prose or clue.is_login):
        found = _value_in_prose(text, start, end, clue)
    if found is None and is_odd and clue.may_be_in_prose and text[start - 1 : start] == b" ":
        found = _value_before(text, start, clue)
    if found is not None:
        yield found
    elif clue.may_be_in_prose and clue.strength is not Strength.PIN and odd.has_any(end, end + _TABLE_AHEAD):
        yield from find_in_column(text, start, end, clue, table)
    if is_odd and (clue.strength in (Strength.PASSWORD, Strength.KEY) or (clue.is_login and not clue.is_signer)):
        yield from _find_in_line(text, start, end, clue, odd)


def _find_in_lines_below(text: bytes, start: int, at: int, clue: NameClue) -> Iterator[Found]:
    """Find values in the lines below that belong to the name: items of a list, or each under a name of its own."""
    begin = line_start(text, start, _LINE_BACK)
    indent = len(text[begin:start]) - len(text[begin:start].lstrip(b" "))
    if text[begin:start].strip(b" \"'-"):
        return
    for _ in range(_MAX_NESTED_LINES):
        line = _NESTED.match(text, at)
        if line is None or len(line.group(1)) <= indent - line.group().lstrip().startswith(b"-"):
            return
        value = line.group(3) or b""
        if is_obvious(value, clue.strength) or (clue.strength is Strength.KEY and is_key(value)):
            yield *line.span(3), clue.rule
        at = line.end()


def _value_after_sign(text: bytes, start: int, match: Match, clue: NameClue) -> Found | None:
    how, at = match.lastgroup, match.end()
    if how == "element" and match.group()[:1] == b">" and text[start - 1 : start] != b"<":
        return None
    if how == "block":
        return _yaml_block(text, at, clue)
    if clue.is_login and how == "sign":
        found = _password_after_user(text, at)
        if found is not None:
            return found
    string = _STRING.match(text, at)
    if string is not None:
        begin, stop = string.span(string.lastgroup or 0)
        found = _judge(text, begin, stop, clue, Frame.PROSE_QUOTED if how == "beyond" else Frame.QUOTED)
        if found is not None or how != "sign" or text[begin : begin + 1].isalnum():
            return found
    if how in ("typed", "comma", "call"):
        return None
    wrapped = _WRAPPED.match(text, at) if how == "sign" else None
    if wrapped is not None:
        return _string_in_call(text, wrapped.end(), clue)
    return _bare_value(text, start, match, clue)


def _string_in_call(text: bytes, at: int, clue: NameClue) -> Found | None:
    inside = _STRING.match(text, at)
    if inside is None or len(inside.group()) < _WRAPPED_CHARS:
        return None
    return _judge(text, *inside.span(inside.lastgroup or 0), clue, Frame.PROSE_QUOTED)


def _bare_value(text: bytes, start: int, match: Match, clue: NameClue) -> Found | None:
    how, at = match.lastgroup, match.end()
    is_setting = match.group().endswith(b"=") and _SETS.search(text, max(0, start - 8), start) is not None
    is_setting = is_setting and text[at : at + 1] not in (b"\r", b"\n")
    is_query = text[start - 1 : start] in (b"?", b"&")
    if how == "sign" and not text[at : at + 1].isalnum():
        at += len(_MIXED.match(text, at).group())  # type: ignore[union-attr]  # it always matches, if only nothing
    bare = _bare_pattern(clue, is_setting=is_setting, is_element=how == "element", is_query=is_query).match(text, at)
    if bare is None:
        return None
    after = text[bare.end() : bare.end() + 1]
    if (after in (b"(", b"[", b"{") and not is_setting) or (how == "element" and after not in (b"<", b"]")):
        return None
    if how == "beyond" and b"{{" in text[max(0, start - _LINE_BACK) : start]:
        return None
    if how == "beyond" and _INNER.match(bare.group()):  # `the key - API_KEY=...`: the inner name is the nearer one
        return None
    groups = _groups_at(text, at, clue)
    if groups is not None:
        return groups
    frame = Frame.PROSE if how == "beyond" else Frame.ASSIGNED
    if is_setting or is_query:
        frame = Frame.SET
    value = bare.group().rstrip(b".,;:?)*" if match.group().endswith(b" ") else b",;")
    return _judge(text, at, at + len(value), clue, frame)


def _bare_pattern(clue: NameClue, *, is_setting: bool, is_element: bool, is_query: bool) -> LazyPattern[bytes]:
    if is_setting:
        return _LINE
    if is_element:
        return _CONTENT
    return _PASSWORD if clue.strength is Strength.PASSWORD and not is_query else _BARE


def _value_in_prose(text: bytes, start: int, end: int, clue: NameClue) -> Found | None:
    match = _FOREIGN.match(text, end) if text.find(b"\x02", end, end + 4) >= 0 else None
    if match is not None:
        return _value_at(text, match.end(), clue, Frame.PROSE)
    match = _NEAR.match(text, end)
    if match is None:
        return None
    if clue.is_login and not clue.is_signer:
        found = _password_after_user(text, match.end())
        if found is not None or not clue.may_be_in_prose:
            return found
    if text.startswith(b"-", start):
        return _value_at(text, match.end(), clue, Frame.ASSIGNED)
    # A line of settings may begin here: `requirepass ...`, `ENV TOKEN ...`, `config set token ...`.
    starts_setting = _SETS.search(text, max(0, start - 24), start) is not None
    if clue.is_ordinary_word and not starts_setting:
        return None
    found = _value_at(text, match.end(), clue, Frame.PROSE if starts_setting else Frame.NEAR)
    prose = _PROSE.match(text, end) if found is None else None
    if prose is None or _is_about_another(text, start, end, prose.end()):
        return found
    if clue.is_login:
        found = _password_after_user(text, prose.end())
    return found or _value_at(text, prose.end(), clue, Frame.PROSE)


def _value_at(text: bytes, at: int, clue: NameClue, frame: Frame) -> Found | None:
    quoted = _STRING.match(text, at)
    if quoted is not None:
        frame = Frame.QUOTED if frame is Frame.ASSIGNED else Frame.PROSE_QUOTED
        return _judge(text, *quoted.span(quoted.lastgroup or 0), clue, frame)
    groups = _groups_at(text, at, clue) if frame is Frame.PROSE else None
    word = (_LINE if frame is Frame.ASSIGNED else _PASSWORD).match(text, at)
    if groups is not None or word is None or _INNER.match(word.group()):
        return groups
    value = word.group().rstrip(b",;" if frame is Frame.ASSIGNED else b".,;:?)*")
    end = at + len(value)
    ends_line = text[end : end + 1] in (b"", b"\r", b"\n")
    if frame is Frame.PROSE and clue.is_ordinary_word and not ends_line:
        return None
    return _judge(text, at, end, clue, frame)


def _find_in_line(text: bytes, start: int, end: int, clue: NameClue, odd: OddWords) -> Iterator[Found]:
    """Find obvious secrets a few words from the name."""
    begin = end if clue.strength is Strength.LOGIN else line_start(text, start, _LINE_BACK)
    stop = text.find(b"\n", end, end + _LINE_AHEAD)
    if stop >= 0 and not text[end:stop].strip(b" \t\r\"'`*:=-{}[]()"):  # the name is a heading: take the next line too
        stop = text.find(b"\n", stop + 1, end + _LINE_AHEAD)
    if stop < 0:
        stop = min(len(text), end + _LINE_AHEAD)
    rule = "password" if clue.strength is Strength.LOGIN else clue.rule
    for word in odd.words(begin, stop, clue.strength):
        value = word.group().rstrip(b".,;:")
        if word.start() < end and start < word.end():  # the name itself
            continue
        is_hash = word.start() > end and clue.strength in (Strength.PASSWORD, Strength.KEY) and is_digest(value)
        if (is_hash and is_key(value) and not _HASHED.search(text, begin, stop)) or is_obvious(value, clue.strength):
            yield word.start(), word.start() + len(value), rule


def _value_before(text: bytes, start: int, clue: NameClue) -> Found | None:
    """`use ... as the password`."""
    place = text.rfind(b" as ", max(0, start - 30), start)
    if place < 0:
        return None
    floor = max(0, place - 100)
    begin = max(text.rfind(b" ", floor, place), text.rfind(b"\n", floor, place), floor - 1) + 1
    word = text[begin:place].strip(b"\"'`*")
    begin = text.find(word, begin)
    return _judge(text, begin, begin + len(word), clue, Frame.NEAR)


def _is_about_another(text: bytes, start: int, end: int, until: int) -> bool:
    """`key fingerprint is`, `password length is`: the sentence is not about the secret itself."""
    following = text[end:until].split()[:1]
    if not following or following[0] in _PLACES:
        return False
    return classify_name(text[start:end] + b" " + following[0]).strength is Strength.NOTHING


def _yaml_block(text: bytes, at: int, clue: NameClue) -> Found | None:
    """Judge the lines of a YAML block as one value."""
    match = _BLOCK.match(text, at)
    if match is None:
        return None
    parts = match.group().split()
    value = (b" " if all(map(bytes.isalpha, parts)) else b"").join(parts)
    if _judge(value, 0, len(value), clue, Frame.ASSIGNED) is None:
        return None
    return match.start(2), match.start() + len(match.group().rstrip()), clue.rule


def _groups_at(text: bytes, at: int, clue: NameClue) -> Found | None:
    groups = _GROUPS.match(text, at)
    return None if groups is None else _judge(text, *groups.span(), clue, Frame.PROSE)


def _find_arguments(text: bytes, end: int, clue: NameClue) -> Iterator[Found]:
    """Find a password or key in a call that logs in, connects or signs: `auth=("me", "...")`. The first argument is a user
    or a host, unless the call signs."""
    match = _CALL.match(text, end)
    for number in range(_MAX_ARGUMENTS):
        if match is not None:
            match = _ARGUMENT.match(text, match.end())
        if match is None:
            return
        start, stop = match.span(match.lastindex or 0)
        value = text[start:stop]
        has_own_name = text[max(0, start - 4) : start - 1].rstrip(b" bBrRuUfF")[-1:] in (b":", b"=")
        if not (number or clue.is_signer) or has_own_name:
            continue
        if clue.is_login and (is_password(value, Frame.PROSE_QUOTED) or is_key(value)):
            yield start, stop, "password"
        elif not clue.is_login and is_secret(value, clue.strength, Frame.QUOTED):
            yield start, stop, clue.rule


def _password_after_user(text: bytes, at: int) -> Found | None:
    user = _LOGIN.match(text, at)
    if user is None:
        return None
    string = _STRING.match(text, user.end())
    word = _PASSWORD.match(text, user.end())
    if string is not None:
        start, end = string.span(string.lastgroup or 0)
    elif word is not None:
        start, end = word.start(), word.start() + len(word.group().rstrip(b".,;:?)*"))
    else:
        return None
    return (start, end, "password") if is_secret(text[start:end], Strength.PASSWORD, Frame.PROSE) else None


def _judge(text: bytes, start: int, end: int, clue: NameClue, frame: Frame) -> Found | None:
    if clue.is_ordinary_word:
        frame = Frame.NEAR
    value = text[start:end].strip()
    start = text.find(value, start)
    return (start, start + len(value), clue.rule) if is_secret(value, clue.strength, frame) else None
