"""Compute a key that recognises an error on another day, another machine, with other data. Pure, and linear.

Paths, locations, numbers, addresses, times and values are removed from the line that says what is wrong; the class, the
code and the names from code stay. It hides no secrets: the caller redacts the text before it keeps or shows any of this.
"""

import re
from dataclasses import dataclass

from recollect.text.error_lines import error_line, says_nothing

MAX_HEADLINE_CHARS = 300
MAX_KEY_CHARS = 200
MAX_TERMS = 12
MAX_NUMBERS_IN_NAME = 2  # with more, a machine has made it
MIN_CHARS = 20  # a shorter key fits any error

_VALUE, _PLACE, _NUMBER = "…", "/…", "#"  # replace in a key: a quoted value, a path or an address, a number

_DRIFTS = re.compile(
    r"""(?P<url>\b[a-z][a-z0-9+.-]{1,15}://[^\s'"`<>)\]]+)
    |(?P<mail>[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[A-Za-z]{2,24}\b)
    |(?P<status>\b(?:status(?:[ ]code)?|HTTP(?:/\d(?:\.\d)?)?|http[ ]code)[ :=]{1,3}(?P<code>[1-5]\d\d)\b)
    |(?P<hex>\b0x[0-9a-fA-F]+\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b
        |\b(?=[0-9a-f]{0,64}\d)(?=[0-9a-f]{0,64}[a-f])[0-9a-f]{7,64}\b
        |\b(?=[a-z]{0,9}\d{1,9}[a-z]{1,9}\d{1,9}[a-z]{1,9}\d)[a-z0-9]{16,64}\b)
    |(?P<quoted>"(?P<in2>(?:[^"\\\n]|\\.){0,300})"|(?<!\w)'(?P<in1>[^'\n]{0,300})'(?!\w)|`(?P<in0>[^`'\n]{0,300})[`']
        |[‘“](?P<in3>[^’”\n]{0,300})[’”])
    |(?P<path>(?:(?<![\w.)])(?:[A-Za-z]:\\|~?/(?=[\w.@])|\.{1,2}/)|\b[\w.-]{1,80}[/\\](?=[\w.-]*[/\\.]))[\w.@+$%~/\\-]*
        (?::\d+(?::\d+)?)?)
    |(?P<number>(?:(?<![\w:]):{2,3})?\d+(?:[.,:/T_-]?\d+)*(?:Z\b|(?:ms|[sμµ]s|s|m|h|KB|MB|GB|KiB|MiB|GiB|B)\b|%)?)""",
    re.VERBOSE,
)
# Before or after a quoted word, these show that it is a name from code and not a value of that day.
_NAMES_BEFORE = re.compile(
    r"\b(?:modules?|named?|packages?|crate|types?|property|properties|attributes?|functions?|methods?|class|variable|"
    r"commands?|table|column|relation|keys?|import|imported|from|field|constraint|rule|target|script|options?|"
    r"arguments?|"
    r"keyword|symbol|macro|trait|struct|interface|member|identifier|plugin|loader|extension|reading|setting|called|"
    r"call|"
    r"resource|"
    r"reference(?: to)?|provider|service|export|entry for|value:|label|binding|KeyError:|NameError:|required|"
    r"provided|of|"
    r"parameter|dependency|peer|find|resolve|schema|header|library|feature|flag|binary|executable|"
    r"program)(?: named)?[ :]{1,2}$",
    re.IGNORECASE,
)
_NAMES_BEHIND = re.compile(
    r"^ (?:is (?:not|un|defined|declared|assigned|possibly|never|read|missing|required)|has |was not |undeclared|"
    r"undefined|"
    r"not (?:defined|declared|found|exported|in)|object |does not|imported but|from |must |cannot|module|package|"
    r"before )",
    re.IGNORECASE,
)
_ROOTED = re.compile(r"(?:[A-Za-z]:\\|~?/|\.{1,2}/)[^\s'\"]*$")
_NAME = re.compile(r"[@A-Za-z_$][\w.$:/@+#<>()-]{0,79}")
_RANDOM = re.compile(r"(?:^|[/\\])(?:tmp|temp|var|private|T|cache|\.cache)(?:[/\\]|$)|\btmp\w", re.IGNORECASE)
_FILE = re.compile(r"[A-Za-z_.][A-Za-z_.-]{0,60}")  # a file with the same name everywhere
_DIGITS = re.compile(r"\d+")
_LABEL = re.compile(r"^(?:(?:error|fatal|critical|uncaught|unhandled|npm err)[:!]\s*)+")
_LISTED = re.compile(r"\{?…\}?(?:\s?[:,=]{1,2}\s?\{?…\}?)*")  # any number of values or objects
_GAPS = re.compile(r"#(?:[\s.,:/x×_-]{0,2}#)+")

_CODES = re.compile(
    r"\b(?:[A-Z]{1,6}-?\d{2,6}|E(?!RR)[A-Z]{3,20}|ERR_[A-Z_]{3,60}|SIG[A-Z]{3,8}|"
    r"(?=\d{0,4}[A-Z])[0-9A-Z]{5}(?=\b)(?<=\d)|"
    r"SQLSTATE)\b"
)
_CALLED = re.compile(
    r"\b(?:[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)+|[A-Za-z]+(?:_[A-Za-z0-9]+)+|"
    r"[A-Z]+[a-z0-9]+(?:[A-Z][a-z0-9]*)+|"
    r"[a-z]+[0-9]*(?:[A-Z][a-z0-9]*)+|[A-Z]\w*(?:Error|Exception))\b"
)
_CLASSES = ("Error", "Exception", "Exit", "Interrupt")
_COMMAND = re.compile(r"^[\w.+-]{2,40}(?=: (?:command )?not found$)|(?<=command not found: )\S{2,40}")
_FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]{1,40}")
_QUOTED = re.compile(r"'[^'\s]{2,80}'")


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    key: str  # the same for the same error; empty: there was no text
    headline: str  # what is wrong, for people
    terms: tuple[str, ...]  # what it is about: classes, codes, names
    is_generic: bool  # nothing in it distinguishes it from other errors


def signature(error: str) -> Signature:
    line = error_line(error)
    key, terms = _key(line), _terms(line)
    headline = line if len(line) <= MAX_HEADLINE_CHARS else f"{line[: MAX_HEADLINE_CHARS - 1]}…"
    return Signature(key=key, headline=headline, terms=terms, is_generic=_is_generic(key, terms))


def _key(line: str) -> str:
    lasting = _DRIFTS.sub(_lasting, line)
    lowered = _LISTED.sub(_VALUE, _GAPS.sub(_NUMBER, lasting)).lower().replace("`", "").replace("'", "")
    return " ".join(_LABEL.sub("", lowered).split())[:MAX_KEY_CHARS].rstrip(" .:;,")


def _lasting(found: re.Match[str]) -> str:
    match found.lastgroup:
        case "url" | "mail":
            return _PLACE
        case "status":
            # The status identifies a failed request; as a number it would be removed next.
            return f"status {found['code'].translate(_SPELT)}"
        case "quoted":
            return _lasting_name(found)
        case "path":
            return _lasting_path(found[0])
        case _:
            return _NUMBER


_SPELT = str.maketrans("0123456789", "abcdefghij")


def _lasting_name(found: re.Match[str]) -> str:
    quotes = (found["in0"], found["in1"], found["in2"], found["in3"])
    inside = next(quoted for quoted in quotes if quoted is not None).strip()
    if _ROOTED.match(inside):
        return _lasting_path(inside)
    if not _NAME.fullmatch(inside) or len(_DIGITS.findall(inside)) > MAX_NUMBERS_IN_NAME:
        return _VALUE
    line = found.string
    before, after = line[max(0, found.start() - 40) : found.start()], line[found.end() : found.end() + 20]
    if _NAMES_BEFORE.search(before) or _NAMES_BEHIND.match(after):
        return _DIGITS.sub(_NUMBER, inside)
    return _VALUE


def _lasting_path(path: str) -> str:
    """`package.json` has the same name everywhere; a temporary file has not."""
    if _RANDOM.search(path):
        return _PLACE
    name = re.split(r"[/\\]", path.rstrip("/\\.,:"))[-1].partition(":")[0]
    is_known = ("." in name or path.startswith(".")) and _FILE.fullmatch(name)
    return f"{_PLACE}{name}" if is_known else _PLACE


def _is_generic(key: str, terms: tuple[str, ...]) -> bool:
    """A short key is recognised by a name in it, not by its class alone."""
    if len(key) < MIN_CHARS and all(term.endswith(_CLASSES) for term in terms):
        return True
    return says_nothing(key)


def _terms(line: str) -> tuple[str, ...]:
    """Return terms in the order of the line, without parts of values, paths and addresses."""
    kept = _DRIFTS.sub(_keep_names, line)
    found: list[tuple[int, str]] = []
    for pattern in (_CODES, _CALLED, _COMMAND, _FLAG, _QUOTED):
        found += [(term.start(), term[0].strip("'")) for term in pattern.finditer(kept)]
    return tuple(dict.fromkeys(term for _, term in sorted(found) if len(term) > 2))[:MAX_TERMS]


def _keep_names(found: re.Match[str]) -> str:
    if found.lastgroup == "quoted":
        inside = _lasting_name(found)
        return f"'{found[0][1:-1].strip()}'" if inside != _VALUE and _PLACE not in inside else " "
    return found[0] if found.lastgroup in ("number", "status") else " "
