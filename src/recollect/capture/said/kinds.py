"""Which kind of memory a statement is: by rules over its cues, the first that fits. Pure."""

import re

from recollect.capture.patterns import LazyPattern
from recollect.capture.said.cues import Cue, cues_of, fix_spelling
from recollect.capture.said.names import names_in, paths_in
from recollect.capture.said.outright import states
from recollect.domain.memory import Kind, Role, ScopeLevel
from recollect.privacy.trust import kind_for

_ERROR = LazyPattern(
    r"\b(?:bugs?|fix(?:ed|es)?|fails?|failed|failing|error|crash\w*|panic\w*|broken|breaks?|wrong(?:ly)?|race|leak\w*|"
    r"timeout|timed out|root cause|the (?:issue|problem|culprit)|doesn't work|mismatch|missing|silently|regression|"
    r"workaround|gotcha|corrupt\w*|flaky)\b",
    re.IGNORECASE,
)
_LOCATED = LazyPattern(
    r"\b(?:lives?|sits?|located|is (?:at|in|under)|are in|moved (?:in)?to|belongs? in)\b", re.IGNORECASE
)
# Who says "let's" or "we decided" chooses, once; what is always to be done is said as an order.
_CHOOSES = LazyPattern(
    r"^(?:(?:ok|okay|so|and|then|yes|alright)[\s,]+)*(?:let's (?:use|go with|take|pick|choose|stick|run|move)|"
    r"(?:we|i)(?:'ve| have)? (?:decided|chose|chosen|opted|settled|agreed)|decision:)\b",
    re.IGNORECASE,
)
_LIKING = LazyPattern(
    r"^(?:i (?:(?:really|also|just|usually|generally) )?(?:like|love|enjoy|dislike)|(?:the|our|my) team prefers) \S",
    re.I,
)
# How something is; what has no such verb says how to work: "tests next to the file", "commit messages in English".
_STATE_VERB = LazyPattern(
    r"\b(?:is|are|was|were|has|have|had|uses?|using|used|runs?|running|lives?|goes|deploys?|supports?|renamed|moved|"
    r"switched|stays?|will|would|isn't|aren't|doesn't|we're|it's|decided|chose|ist|sind|wird|läuft|es|son|está|usa|est|"
    r"sont|utilise|é|são|roda)\b|['’]s |是|です|ます",
    re.IGNORECASE,
)
_DENIES = LazyPattern(r"\b(?:don't|no|not|never|only)\b", re.IGNORECASE)
_ORDERS = frozenset({Cue.LASTING, Cue.REFUSAL, Cue.TASK})


def kind_of(text: str, role: Role, turn_cues: frozenset[Cue] = frozenset()) -> Kind:
    """`turn_cues`: what the rest of the message says; a rebuke there makes a rule a correction."""
    cues = cues_of(text)
    return kind_for(
        _kind_of_user_text(text, cues, turn_cues) if role is Role.USER else _kind_of_agent_text(text, cues), role
    )


def kind_of_statement(text: str, turn_cues: frozenset[Cue] = frozenset()) -> Kind:
    """Of what a user states outright: what does not say how something is, is a rule."""
    kind = kind_of(text, Role.USER, turn_cues)
    return Kind.RULE if kind is Kind.DECISION and not _STATE_VERB.search(text) else kind


def level_of(text: str, role: Role) -> ScopeLevel:
    is_universal = role is Role.USER and Cue.UNIVERSAL in cues_of(text)
    return ScopeLevel.UNIVERSAL if is_universal else ScopeLevel.PROJECT


def _kind_of_user_text(text: str, cues: frozenset[Cue], turn_cues: frozenset[Cue]) -> Kind:
    if Cue.PREFERENCE in cues or _LIKING.match(text):
        return Kind.PREFERENCE
    if _CHOOSES.match(text) and Cue.LASTING not in cues:
        return Kind.DECISION
    is_order = bool(cues & _ORDERS) or (Cue.OURS in cues and bool(_DENIES.search(fix_spelling(text))))
    if Cue.REBUKE in cues | turn_cues and (is_order or states(text)):
        return Kind.CORRECTION
    if is_order:
        return Kind.RULE
    if Cue.CAUSE in cues and _ERROR.search(text):
        return Kind.ERROR_PATTERN
    return Kind.FILE_CONTEXT if paths_in(text) and _LOCATED.search(text) else Kind.DECISION


def _kind_of_agent_text(text: str, cues: frozenset[Cue]) -> Kind:
    if _ERROR.search(text) and cues & {Cue.CAUSE, Cue.REASON}:
        return Kind.ERROR_PATTERN
    if Cue.REASON in cues:
        return Kind.DECISION
    return Kind.OUTCOME if Cue.PASSED in cues or not names_in(text) else Kind.RESEARCH
