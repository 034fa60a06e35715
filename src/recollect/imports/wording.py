"""Which kind a sentence of a foreign file is: by its own words, by the path that it begins with, by its section. Pure.

`docs/reference/kinds.md` says the same to people.
"""

import re

from recollect.domain.memory import Kind


def _any(*wordings: str, begins: str = r"\b") -> re.Pattern[str]:
    return re.compile(begins + "(?:" + "|".join(wordings).replace("'", "['’]") + ")", re.IGNORECASE)


# The first that fits decides. What a sentence says itself is stronger than the section that it stands in.
WORDINGS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        Kind.RULE,
        _any(
            *(r"always\b", r"never\b", r"do not\b", r"don't\b", r"avoid\b", r"must\b", r"ensure\b", r"make sure\b"),
            *(r"only use\b", "no "),
            begins="^(?:please |you |we |code )?",
        ),
    ),
    (Kind.RULE, _any(r"(?:use|follow|keep|be|treat|write|ask)\b", begins="^(?:please )?")),
    (
        Kind.PREFERENCE,
        _any(
            r"prefer(?:s|red)?\b",
            r"favou?rs?\b",
            r"i(?: really)? (?:like|want|love|hate|dislike)\b",
            "i'd rather",
            "we like",
        ),
    ),
    (
        Kind.ERROR_PATTERN,
        _any(
            *(
                "fails? (?:with|when|if|because)",
                "errors? (?:means|when|like|out)",
                "error:",
                "throws?\\b",
                "crash(?:es|ed)",
            ),
            *("workaround", "traceback", "segfault", "if you (?:see|get|hit)", "symptom", "root cause"),
            *("to fix (?:this|it)", "(?:fixed|caused) by"),
            *("(?-i:E(?:NO|ACC|ADDR|CONN|PERM|TIMED|EXIST|PIPE)[A-Z]*\\b)", r"(?-i:[A-Z]\w+(?:Error|Exception)\b)"),
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
ORDERS = tuple(pattern for kind, pattern in WORDINGS[:2] if kind is Kind.RULE)  # that a sentence begins with
SECTIONS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        Kind.ERROR_PATTERN,
        _any(
            *(
                "troubleshoot",
                "known (?:issue|problem|error|bug)",
                "gotcha",
                "pitfall",
                r"errors?\b",
                r"faq\b",
                "debugging",
            ),
            *("common (?:error|mistake|problem)", "workaround"),
        ),
    ),
    (Kind.PREFERENCE, _any("preference", r"likes\b", "how i work", "about me", "working with me")),
    (
        Kind.RULE,
        _any(
            *(
                r"rules?\b",
                "convention",
                "guideline",
                "guidance",
                "standard",
                "polic(?:y|ies)",
                r"style\b",
                "best practice",
            ),
            *(
                "do'?s? and don",
                r"don'?ts\b",
                r"must\b",
                r"never\b",
                r"always\b",
                "important",
                "requirement",
                "security",
            ),
            "instruction",
        ),
    ),
    (
        Kind.FILE_CONTEXT,
        _any(
            "(?:\\w+ )?structure",
            "layout",
            r"files?\b",
            "director(?:y|ies)",
            "folder",
            "where things",
            r"tree\b",
            "entry point",
        ),
    ),
    (
        Kind.OUTCOME,
        _any(
            "change ?log",
            "release notes",
            r"done\b",
            "completed",
            "progress",
            "status",
            "what (?:was )?changed",
            "recent changes",
        ),
    ),
    (
        Kind.RESEARCH,
        _any(
            "research",
            "finding",
            "learn(?:ed|t|ing)",
            "investigat",
            "insight",
            "notes on",
            "reference",
            r"links\b",
            "resource",
        ),
    ),
    (
        Kind.DECISION,
        _any(
            "decision",
            "architecture",
            r"adrs?\b",
            "rationale",
            "stack",
            "design",
            "command",
            "overview",
            "setup",
            "build",
            "deploy",
        ),
    ),
)
# Where a sentence begins with a path: `src/app.py`, src/app.py: ..., **docs/** - ...
_PATH = re.compile(
    r"^(?:`(?P<ticked>[^`\s]+)`|(?P<bare>(?:[\w.@~-]+/)+[\w.@*-]*))(?=$|[\s:,(\u2013\u2014-])",
)
_FILE_NAME = re.compile(r"^(?:\.{0,2}~?/)?(?:[\w.@*\[\]-]+/)*[\w.@*\[\]-]*(?:/|\.[A-Za-z]\w{0,9})$")
_NO_FILE = re.compile(r"^(?:https?:|[\d.]+$|\w+\(\)|.*\.(?:com|org|net|io|dev|js(?=\.)))", re.IGNORECASE)


def is_order(text: str) -> bool:
    """Whether it tells what to do, by its first words."""
    return any(pattern.search(text.strip()) for pattern in ORDERS)


def kind_of(text: str, sections: tuple[str, ...] = (), otherwise: Kind = Kind.DECISION) -> Kind:
    """`sections`: the headings that it stands under, from the outermost; `otherwise`: where nothing tells."""
    own = next((kind for kind, words in WORDINGS if words.search(text)), None)
    if own is not None:
        return own
    section = next((kind for heading in reversed(sections) if (kind := _of_section(heading)) is not None), None)
    if _path(text) is not None and section not in (Kind.ERROR_PATTERN, Kind.OUTCOME):
        return Kind.FILE_CONTEXT
    return otherwise if section is None or section is Kind.FILE_CONTEXT else section


def _of_section(heading: str) -> Kind | None:
    return next((kind for kind, words in SECTIONS if words.search(heading)), None)


def path_in(text: str) -> str | None:
    """The file or folder that a sentence begins with, and so is about; not a pattern of several."""
    path = _path(text)
    return None if path is None or "*" in path else path.removeprefix("./")


def _path(text: str) -> str | None:
    begins = _PATH.match(text)
    path = "" if begins is None else begins["ticked"] or begins["bare"]
    if not _FILE_NAME.match(path) or _NO_FILE.match(path) or not path.strip("./~*"):
        return None
    return path
