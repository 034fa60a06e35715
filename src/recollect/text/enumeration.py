"""Recognise questions that ask for all of something: `list all decisions about auth`. Pure.

They want every memory, not the best ten. A question that merely contains `all` is not one of them.
"""

import re
from dataclasses import dataclass

from recollect.domain.memory import Kind

_KINDS: dict[str, frozenset[Kind]] = {
    "preference": frozenset({Kind.PREFERENCE}),
    "rule": frozenset({Kind.RULE}),
    "convention": frozenset({Kind.RULE, Kind.PREFERENCE}),
    "guideline": frozenset({Kind.RULE}),
    "correction": frozenset({Kind.CORRECTION}),
    "decision": frozenset({Kind.DECISION}),
    "choice": frozenset({Kind.DECISION}),
    "error": frozenset({Kind.ERROR_PATTERN}),
    "known error": frozenset({Kind.ERROR_PATTERN}),
    "error pattern": frozenset({Kind.ERROR_PATTERN}),
    "known problem": frozenset({Kind.ERROR_PATTERN}),
    "bug": frozenset({Kind.ERROR_PATTERN}),
    "file": frozenset({Kind.FILE_CONTEXT}),
    "file context": frozenset({Kind.FILE_CONTEXT}),
    "finding": frozenset({Kind.RESEARCH}),
    "research": frozenset({Kind.RESEARCH}),
    "outcome": frozenset({Kind.OUTCOME}),
    "result": frozenset({Kind.OUTCOME}),
    "memory": frozenset(),
    "memorie": frozenset(),
    "note": frozenset(),
    "thing": frozenset(),
}
_NAMES = "|".join(sorted(map(re.escape, _KINDS), key=len, reverse=True))
_ASKING = r"(?:please )?(?:can you |could you )?"
_SHOW = r"(?:list|enumerate|show|give|tell|name|recall|print)(?: (?:me|us))?(?: about)?"
_ALL = r"(?:all|every|each)"
_OUR = r"(?:(?:of )?(?:the|our|my|your|these|those|known|stored|past|previous) )*"
_FORMS = (
    # list all decisions about auth; show me every rule; what are all the preferences
    rf"{_ASKING}(?:{_SHOW}|(?:what|which) (?:are|were)) {_ALL} {_OUR}(?:(?P<kind>{_NAMES})s?\b)?(?P<topic>.*)",
    # list the decisions about auth; show our rules
    rf"{_ASKING}{_SHOW} {_OUR}(?P<kind>{_NAMES})s\b(?P<topic>.*)",
    # all decisions about auth; every rule on testing
    rf"{_ALL} {_OUR}(?P<kind>{_NAMES})s?\b(?P<topic>.*)",
    # which decisions did we make about auth; what rules do we have for tests
    rf"(?:what|which) {_OUR}(?P<kind>{_NAMES})s (?:did|do|have|has|were|are|exist)\b(?P<topic>.*)",
)
_LEADING = (
    r"[\s,:]*(?:(?:that|which|we|i|you|did|do|have|has|had|were|was|are|is|been|there|make|made|take|taken|took|decide|"
    r"decided|choose|chose|chosen|know|known|remember|remembered|stored|about|on|for|of|in|regarding|concerning|"
    r"related to|to do with|with)\b[\s,:]*)+"
)
_FIRST_WORDS = re.compile(
    r"(please|can|could|list|enumerate|show|give|tell|name|recall|print|what|which|all|every|each)\b", re.I
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Enumeration:
    kinds: frozenset[Kind]  # empty: every kind
    topic: str  # empty: any topic


def enumeration(query: str) -> Enumeration | None:
    query = " ".join(query[:500].split()).rstrip("?.! ")
    if not _FIRST_WORDS.match(query):  # most questions end here and skip the slow patterns
        return None
    for form in _FORMS:
        if found := re.fullmatch(form, query, re.IGNORECASE):
            kind = (found["kind"] or "thing").lower()
            topic = re.sub(f"^{_LEADING}", "", found["topic"], flags=re.IGNORECASE)
            return Enumeration(kinds=_KINDS[kind], topic=topic.strip(" ,:"))
    return None
