"""The prose of a message, and what of an agent's closing words reports how things ended. Pure.

Headings, lists, tables, quotes and code are left out, as are questions and talk about what comes next: English phrases
for that, in other languages only what a question mark or a colon shows.
"""

import re
from collections.abc import Iterator

from recollect.capture.patterns import LazyPattern
from recollect.capture.recaps.points import strip_markdown
from recollect.text.sentences import sentences, shortened

MAX_CHARS = 8000  # that are looked at
MIN_WORDS = 3

_TAG = LazyPattern(r"<([a-zA-Z][\w-]{1,40})(?:\s[^<>\n]{0,200})?>.{0,8000}?</\1>", re.DOTALL)
_FENCE = LazyPattern(r"^\s*(?:```|~~~)")
_MARK = LazyPattern(r"^\s*(?:#{1,6}\s|[-*+•–]\s|\d{1,2}[.)]\s|>\s?)\s*")
_NO_PROSE = LazyPattern(r"^\s*(?:#{1,6}\s|[-*+•–]\s|\d{1,2}[.)]\s|>|\||\S.*\|.*\|)|^[\s|:=_*-]*$|^[ \t]")
_TALK = LazyPattern(
    r"^(?:(?:ok(?:ay)?|good|great|perfect|now|so|next|first|then|and|but|also|wait|hmm?|actually)\b[\s,.!:—–-]*)*"
    r"(?:let me|let's|lets|let us|i'll|i will|i'm (?:going|about) to|i am going to|i'd|i would|i need to|i can|i could"
    r"|i should|i see\b|i understand|we can|we could|we should|here(?:'s| is| are)|want me|would you|do you want"
    r"|shall i|should i|if you|when you(?:'re| are)|once you|you can|you could|you may|you might|you'll|feel free"
    r"|happy to|ready (?:when|to)|tell me|just say|say the word|(?:please )?let me know|look(?:ing|s) (?:at|for|like)"
    r"|check(?:ing)?\b|read(?:ing)?\b|runn?(?:ing)?\b|you(?:'re| are) (?:absolutely |completely )?right"
    r"|(?:still )?waiting\b|interesting\b|noted\b|you should|you need"
    r"|thanks|thank you|sorry|understood|got it|no response requested|api error|prompt is too long)(?:\b|$)",
    re.IGNORECASE,
)


def prose_sentences(message: str, *, is_typed: bool = False) -> Iterator[str]:
    """Its sentences without their marks. `is_typed`: by a user, whose headings and lists are part of the request."""
    text = _TAG.sub("\n", message[:MAX_CHARS]) if is_typed else message[:MAX_CHARS]
    paragraph: list[str] = []
    in_code = False
    for line in (line.rstrip(" \\") for line in [*text.splitlines(), ""]):
        is_fence = bool(_FENCE.match(line))
        is_code = in_code or is_fence
        is_apart = not line or is_code or bool((_MARK if is_typed else _NO_PROSE).match(line))
        if not is_apart:
            paragraph.append(line.strip())
        if is_apart or (is_typed and line.endswith(":")):
            yield from filter(None, map(strip_markdown, sentences(" ".join(paragraph))))
            paragraph = []
        if is_apart and is_typed and not is_code:
            yield from filter(None, map(strip_markdown, sentences(_MARK.sub("", line))))
        in_code ^= is_fence


def report_of(reply: str, *, chars: int) -> str:
    """The first sentences that report something, as many as find room; "" where there are none."""
    told = ""
    for sentence in prose_sentences(reply):
        if len(sentence.split()) < MIN_WORDS or sentence.endswith(("?", ":")) or _TALK.match(sentence):
            continue
        longer = f"{told} {sentence}".strip()
        if told and len(longer) > chars:
            break
        told = longer
    return shortened(told, chars=chars) if chars >= MIN_WORDS else ""
