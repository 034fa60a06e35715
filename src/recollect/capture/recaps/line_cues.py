"""Recognise lines of a summary that are talk or matter only today, and count the facts in a line. Pure.

The words are English; lines in other languages are judged by their names and numbers alone.
"""

import re
from functools import lru_cache

from recollect.text.lazy_pattern import LazyPattern


class CuePattern(LazyPattern[str]):
    """A pattern for words in any case. Lower-casing the text is several times as fast as IGNORECASE."""

    def match(self, text: str) -> re.Match[str] | None:
        return self._compiled.match(text.lower())

    def search(self, text: str) -> re.Match[str] | None:
        return self._compiled.search(text.lower())


_NEXT = CuePattern(
    r"^(?:next(?: steps?| up)?|todo|to do|to-do|pending|remaining|left(?: to do)?|still (?:open|to do|pending|"
    r"missing)|follow-?ups?|later|open(?: points?| items?| tasks?)?|upcoming|outstanding|not (?:yet )?(?:done|"
    r"started))\b\s*[:\-–—(]|\btodo\b|\b(?:still|yet) (?:need|needs|have|has|pending|open|missing|to be|to do|todo|"
    r"left|needed|required)\b|\bremains? (?:to be|open|to)\b|\bremaining (?:work|tasks?|steps?|items?|pieces?)\b|"
    r"\bwhat(?:'s| is) (?:left|next|missing)\b|\bnext (?:session|time|week|sprint|up|step)\b|\bcoming next\b|"
    r"\btomorrow\b|\bcritical path\b|\bnot (?:yet )?implemented\b|\b(?:is|are|still) pending\b|\b(?:is|are|"
    r"still) in progress\b|\bbefore (?:launch|release|the release|we (?:can )?(?:ship|launch|release|merge))\b"
)
_NARRATION = CuePattern(
    r"^(?:let me|let's|lets|now (?:let|i'll|i will|i)\b|i'll|i will|i'm going to|i am going to|first,? (?:let|i)|"
    r"ok(?:ay)?,? (?:let|i)|looking at|checking|searching|reading|running|here(?:'s| is| are)\b|sure\b|great\b|good\b|"
    r"perfect\b|excellent\b|got it\b|on it\b|understood\b|absolutely\b|of course\b|certainly\b|"
    r"you're (?:absolutely )?right|i see\b|i can see\b|i understand\b|ready when|solid\b|nice\b|noted\b|hope (?:this|"
    r"that)|feel free|happy to|anything (?:else|to)\b|would you like|do you want|should i\b|shall i\b|want me to|"
    r"what(?:'s| is) the (?:core|data|first)|thanks\b|thank you|sounds good|no problem|my (?:guess|bad)|wait\b|hmm?\b|"
    r"actually,? let|common trap|starting with|in (?:summary|short)|to summari[sz]e|as (?:you can see|mentioned|"
    r"noted))"
)
_FILLER = LazyPattern(
    r"^(?:(?:got it|yes|yep|ok(?:ay)?|sure|noted|also|and|so|then|plus|right|done|confirmed|perfect|great|good|"
    r"finally|now|well)\s*[—–:,.!-]+\s+|(?:and|also|so|then|plus)\s+(?:also\s+|please\s+)*|(?:here(?:'s| is|"
    r" are)(?: the| a| an| my)?|these are(?: the)?|this is the)\s+)+",
    re.IGNORECASE,
)
_OPTION = CuePattern(r"^\W*(?:option|approach|alternative|choice|variant) (?:\d{1,2}|[a-h])\b")
_TALK = CuePattern(
    r"\b(?:good to have|worth knowing|for future reference|keep .{2,40} in your toolkit|huge improvement"
    r"|widely understood"
    r"|let me know|if you (?:want|like|need|have)|you (?:can|could|might|may) (?:also )?(?:consider|want|try))\b"
)
_QUESTION = LazyPattern(r"\?\s*[\"')\]]*$")
_COURTESY = CuePattern(
    r"\b(?:anything (?:else|to)|what(?:'s| is) next|what would you like|how (?:can|may) i help|sound good|make sense|"
    r"any (?:other )?questions|ready to|need anything|is there anything|next steps)\b"
)
_NAME = LazyPattern(
    r"--?[a-z][\w-]+(?:=\S+)?|[\w.-]*[A-Za-z][\w.-]*=[^\s,;)]+|[@~.]?/?[\w.@{}*-]+(?:/[\w.@{}*-]+)+|/[\w{}*-]+|"
    r"\b[A-Za-z]+_\w+|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z0-9]+[A-Z]\w*|\b[A-Z][A-Z0-9]{2,}\b|\b[\w-]+\.(?:[a-z]{2,5})\b|"
    r"\b\w+\(\)|\b(?:GET|POST|PUT|PATCH|DELETE) "
)
_NUMBER = LazyPattern(r"(?<![\w.])v?\d[\d.,:]*(?:%|[a-zA-Z]{1,3}\b)?")
_PROPER = LazyPattern(r"(?<=[a-z,;:(] )[A-Z][a-zA-Z]{2,}\b")


def is_to_do(line: str) -> bool:
    return bool(_NEXT.search(line))


def is_talk(line: str) -> bool:
    """Return True if it belongs to the conversation, not to the work. An option on offer is not a decision."""
    return bool(_NARRATION.match(line)) or bool(_TALK.search(line)) or bool(_OPTION.match(line))


def without_filler(line: str) -> str:
    """`Also: always log` -> `Always log`."""
    rest = _FILLER.sub("", line, count=1)
    return rest[:1].upper() + rest[1:] if rest and rest != line else line


def is_question(line: str) -> bool:
    return bool(_QUESTION.search(line))


@lru_cache(maxsize=2048)
def specificity(line: str) -> int:
    """Count its names, numbers, commands and paths."""
    names = _NAME.findall(line)
    rest = _NAME.sub(" ", line)
    return len(dict.fromkeys(names)) + len(_NUMBER.findall(rest)) + len(dict.fromkeys(_PROPER.findall(rest)))
