"""One wording of an order, and the parts that many wordings share."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Sign:
    """The wording of some orders, and of the ordinary sentences that look like them."""

    reason: str  # for people: "asks to ..."
    hints: tuple[str, ...]  # every match has one of them: for most texts nothing else is searched
    pattern: str
    unless: str = ""  # if it is in the same sentence: an ordinary rule about users or agents

    def is_in(self, text: str) -> bool:
        if any(map(text.__contains__, self.hints)):
            for found in _compile(self.pattern).finditer(text):
                if not self._is_ordinary(found):
                    return True
        return False

    def _is_ordinary(self, found: re.Match[str]) -> bool:
        if not self.unless:
            return False
        earliest = max(0, found.start() - _SENTENCE_CHARS)
        begin = earliest  # of the sentence
        for end in _ENDS:
            begin = max(begin, found.string.rfind(end, earliest, found.start()) + 1)
        return _compile(self.unless).search(found.string, begin, found.end() + _AFTER_CHARS) is not None


class SignTable:
    """Signs by their hints: each hint is looked for once, however many signs share it."""

    def __init__(self, signs: Iterable[Sign]) -> None:
        self._signs = tuple(signs)
        self._by_hint: dict[str, list[int]] = {}  # the numbers of the signs
        for number, sign in enumerate(self._signs):
            for hint in sign.hints:
                self._by_hint.setdefault(hint, []).append(number)

    def find_reason(self, text: str) -> str | None:
        """Return the reason of the first sign in the text; None: there is no sign."""
        hinted: set[int] = set()
        for hint in filter(text.__contains__, self._by_hint):
            hinted.update(self._by_hint[hint])
        for number in sorted(hinted):
            if self._signs[number].is_in(text):
                return self._signs[number].reason
        return None


def any_of(hints: str) -> tuple[str, ...]:
    return tuple(hints.split("|"))


@cache  # compiled when one of its hints is first found: most processes compile none
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_ENDS = (".", "!", "?", ">", ";")
_SENTENCE_CHARS = 200  # of the sentence before the order
_AFTER_CHARS = 40  # and after it
NEGATED = r"\b(?:never|not|don'?t|doesn'?t|cannot|can'?t|must ?n[o']t|no|avoid|refuse|forbid\w*|prevent\w*)\b"

# Where an order begins; a description ("the worker sends", "we send") has a subject before its verb.
ORDER = (
    r"(?:^|[.!?:;,>)\]\"'*-] ?|\b(?:please|kindly|must|should|shall|then|now|first|also|just|always"
    r"|immediately|you|will|can|finally|instead|silently|secretly|quietly|and|to|or) )"
)
# To ignore outdated instructions in a document is harmless.
IN_A_DOCUMENT = (
    r"(?! (?:\w+ )?(?:in|from|on|of|at) (?:the |our |their |its )?[`'\"]?[\w./-]{0,60}(?:readme|wiki"
    r"|docs?\b|guide|manual|file|page|runbook|ticket|\.[a-z]{2,12}\b))"
)
AI = (
    r"(?:ai|a\.i\.|llm|language model|large language model|ai assistant|ai agent|ai model|coding agent"
    r"|coding assistant|chatbot|claude|chatgpt|copilot|gemini|gpt)"
)
