"""Whether a prompt only says how things are, and what of it holds for good: neither is a request. Pure."""

import re

from recollect.capture import recap_cues as cues
from recollect.capture.clauses import sentences
from recollect.capture.cues import Cue, cues_of
from recollect.capture.masking import read
from recollect.capture.outright import states
from recollect.capture.patterns import Pattern

MOST_SENTENCES = 12  # that are looked at

_LIKING = Pattern(
    r"^(?:(?:and|but|also|so)[\s,]+)*i(?:'d| would)?(?: (?:really|also|generally|usually|much|strongly|always))*"
    r" (?:prefer|like|love|hate|dislike|don't like)\b(?! to\b)",
    re.IGNORECASE,
)
_IS = r"(?:is|are|uses|runs|has|lives|keeps|stores|stays|belongs|goes)"
_FACT = Pattern(  # a subject, and then its verb
    rf"^(?:(?:our|my|all|the|this (?:project|repo|app|service)) (?:[\w'./-]+ ){{1,4}}?{_IS}|[a-z][\w-]+ {_IS}|"
    r"(?:we|our \w+s|all \w+s) (?:use|run|have|keep|store|deploy|host|are|live|write|ship|test))\b",
    re.IGNORECASE,
)
_WANTED = frozenset({Cue.TASK, Cue.WANT, Cue.HYPOTHESIS, Cue.NARRATION, Cue.EVENT})


def is_for_good(sentence: str) -> bool:
    """What is to be remembered, or what somebody likes: a memory of its own, and nothing that a session decided."""
    return bool(_LIKING.match(sentence)) or Cue.ASKED in cues_of(sentence)


def only_states(prompt: str) -> bool:
    """Whether it asks for nothing."""
    said = sentences(read(cues.without_greeting(prompt)))[:MOST_SENTENCES]
    return bool(said) and all(not one.is_question and _states(one.text) for one in said)


def _states(sentence: str) -> bool:
    if is_for_good(sentence) or states(sentence):
        return True
    is_fact = _FACT.match(sentence) and not cues.tells_problem(sentence)
    return bool(is_fact) and not cues_of(sentence) & _WANTED
