"""Which kind of memory a passage is: by rules over its cues, the first that fits. Pure."""

import re
from collections.abc import Sequence

from recollect.capture.cues import Cue, cues_of
from recollect.capture.explicit import is_rule
from recollect.capture.patterns import Pattern
from recollect.capture.traits import names_in, paths_in
from recollect.domain.memory import Kind, Role, ScopeLevel
from recollect.privacy.trust import kind_for

_ERROR = Pattern(
    r"\b(?:bugs?|fix(?:ed|es)?|fails?|failed|failing|error|crash\w*|panic\w*|broken|breaks?|wrong(?:ly)?|race|leak\w*|"
    r"timeout|timed out|root cause|the (?:issue|problem|culprit)|doesn't work|mismatch|truncat\w+|missing|silently|"
    r"duplicate[ds]?|regression|workaround|gotcha|corrupt\w*|never (?:ran|runs|fires?|matches)|flaky)\b",
    re.IGNORECASE,
)
_LOCATED = Pattern(
    r"\b(?:lives?|sits?|located|is (?:at|in|under|here|the parent)|are in|moved (?:in)?to|repo|folder|directory|"
    r"package|module)\b",
    re.IGNORECASE,
)
_TASTE = Pattern(
    r"\b(?:sprawl|clutter(?:ed)?|nois[ey]|friendly|beautiful|fun|readable|pretty|simple|short|small|self-explanatory|"
    r"style|naming|table[- ]driven|step by step|incremental\w*|verbose|ugly|clean|elegant|concise|terse|minimal|tidy|"
    r"compact|nice|review)\b",
    re.IGNORECASE,
)
# Somebody who says "let's" chooses, once; what is always to be done is said as an order.
_CHOOSES = Pattern(
    r"^(?:(?:ok|okay|so|and|then|yes|alright)[\s,]+)*let's (?:use|go with|take|pick|choose|stick|run|move)\b", re.I
)
_LIKES = Pattern(r"^i (?:(?:really|also|just|usually|generally) )?(?:like|love|enjoy|dislike) \S", re.IGNORECASE)
_SET_RIGHT = Pattern(
    r"\b(?:everywhere else|that's what (?:the |our )?\S+ (?:\w+ )?(?:is|are) for|(?:just )?use \S+ like|"
    r"like the others|(?:should not|shouldn't|doesn't belong|does not belong|don't belong) (?:be )?in|not in \S+)\b",
    re.IGNORECASE,
)


def kind_of(text: str, role: Role, turn_cues: frozenset[Cue] = frozenset()) -> Kind:
    """`turn_cues`: what the rest of the message says; a rebuke there makes a rule a correction."""
    cues = cues_of(text)
    kind = _of_user(text, cues, turn_cues) if role is Role.USER else _of_agent(text, cues)
    return kind_for(kind, role)


def level_of(sentences: Sequence[str], role: Role) -> ScopeLevel:
    """Of a passage: one sentence that speaks of this project alone keeps all of it there."""
    universal = role is Role.USER and all(Cue.UNIVERSAL in cues_of(one) for one in sentences)
    return ScopeLevel.UNIVERSAL if universal else ScopeLevel.PROJECT


def _of_user(text: str, cues: frozenset[Cue], turn_cues: frozenset[Cue]) -> Kind:
    is_asked = Cue.ASKED in cues
    if not is_asked and _SET_RIGHT.search(text):
        return Kind.CORRECTION
    by_form = is_rule(text)
    if Cue.REBUKE in cues | turn_cues and (by_form or cues & {Cue.ALIKE, Cue.NORM, Cue.STANDING, Cue.USAGE, Cue.STATE}):
        return Kind.CORRECTION
    if Cue.STANDING not in cues and _CHOOSES.match(text) and Cue.PREFERENCE not in cues:
        return Kind.DECISION
    if Cue.PREFERENCE in cues or _LIKES.match(text):
        return Kind.PREFERENCE
    if by_form or cues & {Cue.STANDING, Cue.ALIKE} or is_asked:
        return Kind.RULE
    if Cue.WANT in cues:
        return Kind.PREFERENCE if _TASTE.search(text) and Cue.DESIGN not in cues else Kind.DECISION
    if Cue.CAUSE in cues and _ERROR.search(text) and Cue.NORM not in cues:
        return Kind.ERROR_PATTERN
    if Cue.DESIGN in cues:
        return Kind.DECISION
    if Cue.NORM in cues:
        return Kind.PREFERENCE if _TASTE.search(text) else Kind.RULE if Cue.EVERY in cues else Kind.DECISION
    if cues & {Cue.USAGE, Cue.PURPOSE, Cue.FORMER} and (_LOCATED.search(text) or paths_in(text)):
        return Kind.FILE_CONTEXT
    return Kind.RESEARCH if Cue.LEARNT in cues else Kind.DECISION


def _of_agent(text: str, cues: frozenset[Cue]) -> Kind:
    if _ERROR.search(text) and cues & {Cue.CAUSE, Cue.FIX}:
        return Kind.ERROR_PATTERN
    if cues & {Cue.DESIGN, Cue.NORM, Cue.HYPOTHESIS} and cues & {Cue.REASON, Cue.CONTRAST, Cue.STATE}:
        return Kind.DECISION
    if cues & {Cue.CHANGE, Cue.NOW, Cue.PASSED}:
        return Kind.OUTCOME
    if Cue.LEARNT in cues:
        return Kind.RESEARCH
    if Cue.REASON in cues:
        return Kind.DECISION
    return Kind.FILE_CONTEXT if Cue.PURPOSE in cues and (paths_in(text) or names_in(text)) else Kind.RESEARCH
