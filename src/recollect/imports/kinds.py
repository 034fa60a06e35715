"""Decide the kind of a sentence of a foreign file: by its words, the path that it begins with, or its section. Pure.

`docs/reference/kinds.md` explains the same to users.
"""

import re

from recollect.domain.memory import Kind
from recollect.text.orders import ORDERS


def _any(*wordings: str, begins: str = r"\b") -> re.Pattern[str]:
    return re.compile(begins + "(?:" + "|".join(wordings).replace("'", "['’]") + ")", re.IGNORECASE)


# The first match decides. The words of a sentence count more than its section.
WORDINGS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    *((Kind.RULE, pattern) for pattern in ORDERS),
    (
        Kind.PREFERENCE,
        _any(
            *(r"prefer(?:s|red)?\b", r"favou?rs?\b", r"i(?: really)? (?:like|want|love|hate|dislike)\b", "i'd rather"),
            "we like",
        ),
    ),
    (
        Kind.ERROR_PATTERN,
        _any(
            *("fails? (?:with|when|if|because)", "errors? (?:means|when|like|out)", "error:", r"throws?\b"),
            *("crash(?:es|ed)", "workaround", "traceback", "segfault", "if you (?:see|get|hit)", "symptom"),
            *("root cause", "to fix (?:this|it)", "(?:fixed|caused) by"),
            *(r"(?-i:E(?:NO|ACC|ADDR|CONN|PERM|TIMED|EXIST|PIPE)[A-Z]*\b)", r"(?-i:[A-Z]\w+(?:Error|Exception)\b)"),
        ),
    ),
    (
        Kind.RULE,
        _any(
            *(r"must\b", r"never\b", r"always\b", r"do not\b", r"don't\b", "not allowed", "forbidden", r"shall\b"),
            *("instead of", "rather than", r"should(?:n't)?\b", r"avoid\b", r"required\b"),
        ),
    ),
)
SECTIONS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        Kind.ERROR_PATTERN,
        _any(
            *("troubleshoot", "known (?:issue|problem|error|bug)", "gotcha", "pitfall", r"errors?\b", r"faq\b"),
            *("debugging", "common (?:error|mistake|problem)", "workaround"),
        ),
    ),
    (Kind.PREFERENCE, _any("preference", r"likes\b", "how i work", "about me", "working with me")),
    (
        Kind.RULE,
        _any(
            *(r"rules?\b", "convention", "guideline", "guidance", "standard", "polic(?:y|ies)", r"style\b"),
            *("best practice", "do'?s? and don", r"don'?ts\b", r"must\b", r"never\b", r"always\b", "important"),
            *("requirement", "security", "instruction"),
        ),
    ),
    (
        Kind.FILE_CONTEXT,
        _any(
            *(r"(?:\w+ )?structure", "layout", r"files?\b", "director(?:y|ies)", "folder", "where things"),
            *(r"tree\b", "entry point"),
        ),
    ),
    (
        Kind.OUTCOME,
        _any(
            *("change ?log", "release notes", r"done\b", "completed", "progress", "status"),
            *("what (?:was )?changed", "recent changes"),
        ),
    ),
    (
        Kind.RESEARCH,
        _any(
            *("research", "finding", "learn(?:ed|t|ing)", "investigat", "insight", "notes on", "reference"),
            *(r"links\b", "resource"),
        ),
    ),
    (
        Kind.DECISION,
        _any(
            *("decision", "architecture", r"adrs?\b", "rationale", "stack", "design", "command", "overview"),
            *("setup", "build", "deploy"),
        ),
    ),
)
# A path at the beginning of a sentence: `src/app.py`, src/app.py: ..., **docs/** - ...
_PATH = re.compile(r"^(?:`(?P<ticked>[^`\s]+)`|(?P<bare>(?:[\w.@~-]+/)+[\w.@*-]*))(?=$|[\s:,(\u2013\u2014-])")
_FILE_NAME = re.compile(r"^(?:\.{0,2}~?/)?(?:[\w.@*\[\]-]+/)*[\w.@*\[\]-]*(?:/|\.[A-Za-z]\w{0,9})$")
_NO_FILE = re.compile(r"^(?:https?:|[\d.]+$|\w+\(\)|.*\.(?:com|org|net|io|dev|js(?=\.)))", re.IGNORECASE)


def kind_of(text: str, sections: tuple[str, ...] = (), default: Kind = Kind.DECISION) -> Kind:
    """`sections`: the headings above the sentence, outermost first."""
    by_wording = _first_kind(WORDINGS, text)
    if by_wording is not None:
        return by_wording
    by_section = None
    for heading in reversed(sections):
        by_section = by_section or _first_kind(SECTIONS, heading)
    if _path(text) is not None and by_section not in (Kind.ERROR_PATTERN, Kind.OUTCOME):
        return Kind.FILE_CONTEXT
    return default if by_section in (None, Kind.FILE_CONTEXT) else by_section


def _first_kind(patterns: tuple[tuple[Kind, re.Pattern[str]], ...], text: str) -> Kind | None:
    return next((kind for kind, pattern in patterns if pattern.search(text)), None)


def path_in(text: str) -> str | None:
    """Return the file or folder that a sentence begins with, and so is about; not a pattern for several."""
    path = _path(text)
    return None if path is None or "*" in path else path.removeprefix("./")


def _path(text: str) -> str | None:
    found = _PATH.match(text)
    path = "" if found is None else found["ticked"] or found["bare"]
    if not _FILE_NAME.match(path) or _NO_FILE.match(path) or not path.strip("./~*"):
        return None
    return path
