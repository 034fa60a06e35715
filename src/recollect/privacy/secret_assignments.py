"""Values beside a name that tells: `api_key: ...`, `--password ...`, `set("token", "...")`, or in a sentence. Pure.

The name is found first, then what assigns, then the value; each step is one bounded match, and most names end at the
second. What the name and the value must be like is decided by `secret_names` and `secret_values`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from recollect.privacy.secret_names import Strength, Telling, telling
from recollect.privacy.secret_patterns import Match, Pattern
from recollect.privacy.secret_values import is_key, is_opaque, is_password

Found = tuple[int, int, str]  # start, end, rule

_ANCHORS = tuple(b"pass pwd pw secret token key cred auth jwt access api".split())
_NAME_BYTES = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")
_NAME_BACK = 60

_ASSIGNS = Pattern(
    rb"(?P<rest>[\w.\-]{0,60}+)(?P<close>(?:\\{0,3}[\"'`])?[\]*]{0,2}[\s\"']{0,3})"
    rb"(?:"
    # `token: str = `, `var token string = `, `const TOKEN: &'static str = `
    rb"(?P<typed>[ ]?:?[ ]{0,2}&?(?:'static )?[A-Za-z_][\w.\[\]<>?*]{0,40}[ ]{0,3}:?=(?![=>])[ ]{0,3}(?=[\"'`fbru@$]))"
    # the name is itself a value: `name="password" value="..."`, `- name: TOKEN` and `value: ...` below
    rb"|(?P<beside>[,\s]{1,40}[\"']?(?:value|Value|VALUE|default|content)[\"']?\s{0,3}[=:]\s{0,3})"
    rb"|(?P<sign>\s{0,12}(?:={1,3}>?|!==?|:{1,3}=?|[|?&+.]{1,2}=|[-~]>|<-|=>|\?:|\|\|)(?:\*\*)?"
    rb"(?:\s{0,20}(?=\\{0,3}[\"'`])|[ \t]{0,20}))"
    rb"|(?P<comma>[ ]{0,3},\s{0,12}(?=\\{0,3}[\"'`]))"
    rb"|(?P<call>\(\s{0,6}(?=\\{0,3}[\"'`]))"
    rb"|(?P<element>>\s{0,12})"
    rb"|(?P<prose>(?:\s(?:for|of|on|to|in|at|there)\s[\w .\-/@']{1,50}?)?\s(?:is|was|equals|will be|set to|changed to)"
    rb"(?:\s(?:now|still|currently|set to|just|simply))?:?\s(?=\S))"
    rb"|(?P<beyond>[ ]{1,4}(?:\||-)[ ]{1,4}(?=[^\s|\-]))"  # in the next cell of a table, after a dash
    rb"|(?P<space>[ ]{1,4}(?=\S))"
    rb")"
)
_STRING = Pattern(
    rb"[fFrRbBuU@$]{0,2}(?:\\{1,3}[\"'](?P<a>[^\"'\\\n]{1,400})(?=\\)|\"(?P<b>(?:[^\"\\\n]{1,400}+|\\.){1,40}+)(?=\"|\n|$)"
    rb"|'(?P<c>(?:[^'\\\n]{1,400}+|\\.){1,40}+)(?='|\n|$)|`{1,3}(?P<d>[^`\n]{1,400})(?=`))"
)
_BARE = Pattern(rb"(?:[^\s\"'`<>,;&|(){}\[\]\\\x01]{1,300}+|\\(?![nrt\"'\\])){1,3}+")
_LINE = Pattern(rb"(?:[^\s\"'`\\\x01]{1,300}+|\\(?![nrt\"'\\])){1,3}+")
_CONTENT = Pattern(rb"[^\s<>\"']{1,300}")
_MIXED = Pattern(rb"[\s\"'`=\\]{0,6}")
_SETS = Pattern(rb"(?:^|\n|\\n|\n[ ]{0,20}- |^[ ]{0,20}- |export |set |ENV |-e |env )$")
_WORD_BEFORE = Pattern(rb"([A-Za-z]{2,20})[ \-]$")
_IN_PASSWORDS, _QUERY, _WHOLE = (b"&", b"|", b";"), (b"?", b"&"), ("sign", "prose")
_INNER = Pattern(rb"[A-Za-z_][\w.\-]{2,60}=[^=]")
_LOOSE = frozenset(("prose", "beyond"))  # no sign that assigns: the value must speak for itself


def assigned(text: bytes, low: bytes) -> Iterator[Found]:
    done = 0
    for start, end in _anchors(low):
        if start < done:  # another part of the same name
            continue
        match = _ASSIGNS.match(text, end)
        if match is not None:
            done = match.end("rest")
            found = _value(text, start, match)
            if found is not None:
                yield found


def _anchors(low: bytes) -> list[tuple[int, int]]:
    """Where a name may tell. One search for each word: together they are quicker than one pattern for all."""
    places = []
    for word in _ANCHORS:
        place = low.find(word)
        while place >= 0:
            end = place + len(word)
            places.append((place, end))
            place = low.find(word, end)
    places.sort()
    return places


def _value(text: bytes, anchor: int, match: Match) -> Found | None:
    start = anchor
    floor = max(0, anchor - _NAME_BACK)
    while start > floor and text[start - 1] in _NAME_BYTES:
        start -= 1
    how = match.lastgroup
    if how == "space" and not text.startswith(b"-", start):
        return None
    if how == "element" and text[start - 1 : start] != b"<":
        return None
    told = _told(text, start, match.end("rest"))
    if told.strength is Strength.NOTHING:
        return None
    return _judged(text, start, match, told)


def _told(text: bytes, start: int, end: int) -> Telling:
    told = telling(text[start:end])
    if told.strength is Strength.WEAK and start and text[start - 1] == 0x20:
        before = _WORD_BEFORE.search(text, max(0, start - 22), start)
        if before is not None:
            return telling(before.group(1) + b" " + text[start:end])
    return told


def _judged(text: bytes, start: int, match: Match, told: Telling) -> Found | None:
    how = match.lastgroup or ""
    at = match.end()
    string = _STRING.match(text, at)
    if string is not None:
        begin, end = string.span(string.lastgroup or 0)
        found = _named(text, begin, end, told, _Place(quoted=True, prose=how in _LOOSE))
        if found is not None or how != "sign" or text[begin : begin + 1].isalnum():
            return found
    if how in ("typed", "comma", "call"):
        return None
    sets = match.group().endswith(b"=") and _SETS.search(text, max(0, start - 8), start) is not None
    sets = sets and text[at : at + 1] not in (b"\r", b"\n")
    if how == "sign" and not text[at : at + 1].isalnum():
        at += len(_MIXED.match(text, at).group())  # type: ignore[union-attr]  # it matches nothing, too
    bare = (_LINE if sets else _CONTENT if how == "element" else _BARE).match(text, at)
    if bare is None:
        return None
    end = bare.end()
    if text[end : end + 1] in (b"(", b"[", b"{") and not sets:
        return None
    if how == "element" and not text.startswith(b"<", end):
        return None
    prose = how == "prose" or match.group().endswith(b" ")
    value = bare.group()
    if how in _WHOLE and told.strength is Strength.PASSWORD and text[end : end + 1] in _IN_PASSWORDS:
        whole = _LINE.match(text, at)
        if whole is not None and text[start - 1 : start] not in _QUERY:
            value = whole.group()
    if how in _LOOSE and _INNER.match(value):  # `the key is API_KEY=...`: the inner name is the nearer one
        return None
    value = value.rstrip(b".,;:?)*" if prose else b",;")
    return _named(text, at, at + len(value), told, _Place(prose=how in _LOOSE, sets=sets))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a value stands."""

    quoted: bool = False
    prose: bool = False
    sets: bool = False  # in the environment


def _named(text: bytes, start: int, end: int, told: Telling, place: _Place) -> Found | None:
    value = text[start:end]
    match told.strength:
        case Strength.PASSWORD:
            found = is_password(value, quoted=place.quoted, assigned=not place.prose, sets=place.sets)
        case Strength.KEY:
            found = is_key(value, assigned=not place.prose)
        case Strength.VENDOR:
            found = len(value) >= 14 and is_key(value, vendor=True)
        case _:
            found = is_opaque(value)
    return (start, end, told.rule) if found else None
