"""One way of putting an order, and the parts that many of them share."""

import re
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Sign:
    """How some orders read, and how the ordinary sentences near them do."""

    reason: str  # for people: "asks to ..."
    hints: tuple[str, ...]  # one of them is in every text that the pattern matches: most texts cost no more than that
    pattern: str
    unless: str = ""  # in the same sentence: then it is an ordinary rule about users or agents

    def is_in(self, text: str) -> bool:
        if not any(hint in text for hint in self.hints):
            return False
        return any(not self._is_ordinary(found) for found in _compile(self.pattern).finditer(text))

    def _is_ordinary(self, found: re.Match[str]) -> bool:
        if not self.unless:
            return False
        earliest = max(0, found.start() - _SENTENCE_CHARS)
        begin = max(earliest, *(found.string.rfind(end, earliest, found.start()) + 1 for end in _ENDS))
        return _compile(self.unless).search(found.string, begin, found.end() + _AFTER_CHARS) is not None


@cache  # a pattern is made when its hint is first met: most processes make none
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_ENDS = (".", "!", "?", ">", ";")
_SENTENCE_CHARS = 200  # of it, before the order
_AFTER_CHARS = 40  # and behind it
NEGATED = r"\b(?:never|not|don'?t|doesn'?t|cannot|can'?t|must ?n[o']t|no|avoid|refuse|forbid\w*|prevent\w*)\b"

# Where an order begins; a description ("the worker sends", "we send") has a subject before its verb.
ORDER = (
    r"(?:^|[.!?:;,>)\]\"'*-] ?|\b(?:please|kindly|must|should|shall|then|now|first|also|just|always"
    r"|immediately|you|will|can|finally|instead|silently|secretly|quietly|and|to|or) )"
)
# Instructions that are out of date in a document may well be ignored.
IN_A_DOCUMENT = (
    r"(?! (?:\w+ )?(?:in|from|on|of|at) (?:the |our |their |its )?[`'\"]?[\w./-]{0,60}(?:readme|wiki"
    r"|docs?\b|guide|manual|file|page|runbook|ticket|\.[a-z]{2,12}\b))"
)
AI = (
    r"(?:ai|a\.i\.|llm|language model|large language model|ai assistant|ai agent|ai model|coding agent"
    r"|coding assistant|chatbot|claude|chatgpt|copilot|gemini|gpt)"
)
