"""Read the prose of a message, and the report in an agent's closing words. Pure.

Leaves out headings, lists, tables, quotes and code, as well as questions and talk about next steps: the latter by
English phrases; in other languages only by a question mark or a colon.
"""

import re
from collections.abc import Iterator

from recollect.capture.recaps.message_points import strip_markdown
from recollect.text.lazy_pattern import LazyPattern
from recollect.text.sentences import sentences, shorten

MAX_CHARS = 8000  # that are read
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
    """Yield its sentences without marks. `is_typed`: a user typed it, so headings and lists belong to the request."""
    text = message[:MAX_CHARS]
    if is_typed:
        text = _TAG.sub("\n", text)
    marks = _MARK if is_typed else _NO_PROSE
    paragraph: list[str] = []
    in_code = False
    for raw in [*text.splitlines(), ""]:
        line = raw.rstrip(" \\")
        is_fence = bool(_FENCE.match(line))
        is_code = in_code or is_fence
        in_code ^= is_fence
        is_prose = bool(line) and not is_code and not marks.match(line)
        if is_prose:
            paragraph.append(line.strip())
        if not is_prose or (is_typed and line.endswith(":")):
            yield from _clean_sentences(" ".join(paragraph))
            paragraph = []
        if is_typed and not is_prose and not is_code:
            yield from _clean_sentences(_MARK.sub("", line))


def _clean_sentences(text: str) -> Iterator[str]:
    return filter(None, map(strip_markdown, sentences(text)))


def report_of(reply: str, *, chars: int) -> str:
    """The first sentences that report something, as many as fit; empty if there are none."""
    report = ""
    for sentence in prose_sentences(reply):
        if len(sentence.split()) < MIN_WORDS or sentence.endswith(("?", ":")) or _TALK.match(sentence):
            continue
        longer = f"{report} {sentence}".strip()
        if report and len(longer) > chars:
            break
        report = longer
    return shorten(report, chars=chars) if chars >= MIN_WORDS else ""
