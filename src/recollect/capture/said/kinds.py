"""Find the kind of memory that a statement is: the first rule over its cues that fits. Pure."""

import re

from recollect.capture.said.cues import Cue, cues_of, fix_spelling
from recollect.capture.said.development import names_in, paths_in
from recollect.capture.said.outright import states
from recollect.domain.memory import Kind, Role, ScopeLevel
from recollect.privacy.trust import kind_for
from recollect.text.lazy_pattern import LazyPattern

_ERROR = LazyPattern(
    r"\b(?:bugs?|fix(?:ed|es)?|fails?|failed|failing|error|crash\w*|panic\w*|broken|breaks?|wrong(?:ly)?|race|leak\w*|"
    r"timeout|timed out|root cause|the (?:issue|problem|culprit)|doesn't work|mismatch|missing|silently|regression|"
    r"workaround|gotcha|corrupt\w*|flaky)\b",
    re.IGNORECASE,
)
_LOCATED = LazyPattern(
    r"\b(?:lives?|sits?|located|is (?:at|in|under)|are in|moved (?:in)?to|belongs? in)\b", re.IGNORECASE
)
# "let's" and "we decided" choose once; a lasting rule is phrased as an order.
_CHOOSES = LazyPattern(
    r"^(?:(?:ok|okay|so|and|then|yes|alright)[\s,]+)*(?:let's (?:use|go with|take|pick|choose|stick|run|move)|"
    r"(?:we|i)(?:'ve| have)? (?:decided|chose|chosen|opted|settled|agreed)|decision:)\b",
    re.IGNORECASE,
)
_LIKING = LazyPattern(
    r"^(?:i (?:(?:really|also|just|usually|generally) )?(?:like|love|enjoy|dislike)|(?:the|our|my) team prefers) \S",
    re.I,
)
# Without such a verb it says how to work: "tests next to the file", "commit messages in English".
_STATE_VERB = LazyPattern(
    r"\b(?:is|are|was|were|has|have|had|uses?|using|used|runs?|running|lives?|goes|deploys?|supports?|renamed|moved|"
    r"switched|stays?|will|would|isn't|aren't|doesn't|we're|it's|decided|chose|ist|sind|wird|läuft|es|son|está|usa|est|"
    r"sont|utilise|é|são|roda)\b|['’]s |是|です|ます",
    re.IGNORECASE,
)
_DENIES = LazyPattern(r"\b(?:don't|no|not|never|only)\b", re.IGNORECASE)
_ORDERS = frozenset({Cue.LASTING, Cue.REFUSAL, Cue.TASK})


def kind_of(text: str, role: Role, *, scolds: bool = False) -> Kind:
    """`scolds`: the message has a rebuke, which makes a rule a correction."""
    kind = _kind_of_user_text(text, scolds=scolds) if role is Role.USER else _kind_of_agent_text(text)
    return kind_for(kind, role)


def kind_of_statement(text: str, *, scolds: bool) -> Kind:
    """The kind of what a user states outright: a rule, unless it says how something is."""
    kind = kind_of(text, Role.USER, scolds=scolds)
    return Kind.RULE if kind is Kind.DECISION and not _STATE_VERB.search(text) else kind


def level_of(text: str, role: Role) -> ScopeLevel:
    is_universal = role is Role.USER and Cue.UNIVERSAL in cues_of(text)
    return ScopeLevel.UNIVERSAL if is_universal else ScopeLevel.PROJECT


def _kind_of_user_text(text: str, *, scolds: bool) -> Kind:
    cues = cues_of(text)
    if Cue.PREFERENCE in cues or _LIKING.match(text):
        return Kind.PREFERENCE
    if _CHOOSES.match(text) and Cue.LASTING not in cues:
        return Kind.DECISION
    is_order = bool(cues & _ORDERS) or (Cue.OURS in cues and bool(_DENIES.search(fix_spelling(text))))
    if (scolds or Cue.REBUKE in cues) and (is_order or states(text)):
        return Kind.CORRECTION
    if is_order:
        return Kind.RULE
    if Cue.CAUSE in cues and _ERROR.search(text):
        return Kind.ERROR_PATTERN
    return Kind.FILE_CONTEXT if paths_in(text) and _LOCATED.search(text) else Kind.DECISION


def _kind_of_agent_text(text: str) -> Kind:
    cues = cues_of(text)
    if _ERROR.search(text) and cues & {Cue.CAUSE, Cue.REASON}:
        return Kind.ERROR_PATTERN
    if Cue.REASON in cues:
        return Kind.DECISION
    return Kind.OUTCOME if Cue.PASSED in cues or not names_in(text) else Kind.RESEARCH
