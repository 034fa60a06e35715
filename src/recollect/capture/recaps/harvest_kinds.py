"""Find the kind of memory that a line of a summary is: by its label, by its heading, by its words. Pure."""

import re
from dataclasses import dataclass

from recollect.domain.memory import KINDS_ELSEWHERE, Kind
from recollect.text.lazy_pattern import LazyPattern

_NAMES: dict[str, Kind] = {
    **{kind.value: kind for kind in Kind},
    **KINDS_ELSEWHERE,
    "pref": Kind.PREFERENCE,
    "dec": Kind.DECISION,
    "error": Kind.ERROR_PATTERN,
    "err": Kind.ERROR_PATTERN,
    "fix": Kind.ERROR_PATTERN,
    "bug": Kind.ERROR_PATTERN,
    "file": Kind.FILE_CONTEXT,
    "res": Kind.RESEARCH,
    "finding": Kind.RESEARCH,
    "fact": Kind.RESEARCH,
    "out": Kind.OUTCOME,
    "result": Kind.OUTCOME,
}
_LABEL = LazyPattern(r"^\W{0,4}([A-Za-z]+(?:[ _-][A-Za-z]+)?)\W{0,3}?(?:[\])}*]+\s*[:\-–—]?|\s*[:\-–—])\s+(\S.*)$")


@dataclass(frozen=True, slots=True)
class Section:
    kind: Kind | None  # of a line whose words do not decide it
    durability: float


# Words of a heading, and the kind of its lines; None: nothing below it outlives the session.
_SECTIONS: tuple[tuple[str, Section | None], ...] = (
    (
        (
            r"user messages|pending|current work|next step|todo|to do|in progress|technical concepts|request|intent|"
            r"goal|remaining|open|left|what's next|follow-?up|context"
        ),
        None,
    ),
    (r"decision|decided|design|architecture|approach|trade-?off|rationale", Section(Kind.DECISION, 0.45)),
    (r"instruction|preference|rule|constraint|convention|guideline", Section(Kind.PREFERENCE, 0.5)),
    (r"error|fix|bug|troubleshoot|root cause|problem|issue", Section(Kind.ERROR_PATTERN, 0.45)),
    (r"discover|finding|learn|insight|investigat|note|gotcha|caveat", Section(Kind.RESEARCH, 0.45)),
    (r"file|director|code section|structure|module", Section(Kind.FILE_CONTEXT, 0.4)),
    (
        r"accomplish|done|complete|result|outcome|change|implement|summary|progress|verif|test",
        Section(Kind.OUTCOME, 0.3),
    ),
)
_OTHER = Section(None, 0.3)

_BY_WORDS = {
    Kind.PREFERENCE: LazyPattern(
        r"\b(?:the )?user (?:explicitly |clearly |also |strongly )*(?:prefers?|wants?|likes?|dislikes?|asked (?:for|"
        r"to|that|not)|requested|insists?|said (?:to|not|never|always))\b|\bprefer(?:s|red)? \w+ (?:over|to|instead)\b",
        re.IGNORECASE,
    ),
    Kind.ERROR_PATTERN: LazyPattern(
        r"\b(?:root cause|caused by|the (?:fix|cause|culprit|bug) (?:is|was)|fixed by|resolved by|solved by|"
        r"workaround)\b|\b(?:error|exception|fail(?:s|ed|ure)?|crash(?:es|ed)?|panic|deadlock|"
        r"race)\b.{0,120}\b(?:because|due to|since|fix(?:ed)?|when|resolved|solved|needs?)\b|"
        r"^fix(?:ed)?\b.{0,80}\b(?:by|because|where|that|when)\b",
        re.IGNORECASE,
    ),
    Kind.DECISION: LazyPattern(
        r"\b(?:decided|decision|chose|chosen|opted|went with|settled on|agreed|instead of|rather than|in favou?r of|"
        r"switch(?:ed)? .{0,60}?(?:from|to)|replaced .{2,60} with|migrated (?:from|to)|we (?:will )?use|"
        r"standardi[sz]ed on|deliberately|intentionally|by design)\b",
        re.IGNORECASE,
    ),
    Kind.FILE_CONTEXT: LazyPattern(
        r"(?:[\w@.-]+/)*[\w-]+\.\w{1,5}\b.{0,40}\b(?:handles?|contains?|defines?|implements?|holds?|provides?|"
        r"is (?:the|where|responsible)|exports?|manages?|entry point|lives in|stores?|parses?|owns?)\b",
        re.IGNORECASE,
    ),
    Kind.RESEARCH: LazyPattern(
        r"\b(?:turns out|found (?:that|out)|discovered|it appears|does not support|doesn't support|only works"
        r"|requires?|limited to|"
        r"undocumented|behaves?|by default|defaults to|compatible|incompatible|deprecated|because)\b",
        re.IGNORECASE,
    ),
    Kind.OUTCOME: LazyPattern(
        r"\b(?:all (?:\d+ )?tests? pass|tests? (?:now )?pass|verified|deployed|released|merged|reduced .{2,40} (?:to|"
        r"by)|from \S+ to \S+|improved|now works?|successfully)\b",
        re.IGNORECASE,
    ),
}


def split_kind(line: str) -> tuple[Kind | None, str]:
    """Split `[decision] Auth uses JWT.`, `**Decision**: ...` or `decision - ...` into kind and text."""
    label = _LABEL.match(line)
    if label is None:
        return None, line
    name = label[1].lower()
    kind = _NAMES.get(re.sub(r"[ -]", "_", name)) or _NAMES.get(name.split(" ")[0])
    return (kind, label[2]) if kind else (None, line)


def section_of(heading: str) -> Section | None:
    """None: lines below this heading matter only today."""
    lowered = heading.lower()[:120]
    for cue, section in _SECTIONS:
        if lowered and re.search(rf"\b(?:{cue})", lowered):
            return section
    return _OTHER


def kind_by_words(line: str) -> Kind | None:
    return next((kind for kind, words in _BY_WORDS.items() if words.search(line)), None)
