"""Split a turn into passages, which are compared with a question one by one and may be quoted. Pure."""

import re
from collections.abc import Iterator
from itertools import islice

from recollect.text.words import index_words

MIN_WORDS, MAX_WORDS = 6, 50  # shorter sentences join the next one, longer ones are cut
MAX_PASSAGES = 12  # people say what matters first, and paste after it
MAX_QUOTABLE = 48  # passages beyond MAX_PASSAGES have no vector, but their words can match
PREVIOUS_WORDS = 40  # of the turn before, embedded with a turn
SPEAKER_CHARS = 40  # longest name
MAX_TURN_CHARS = 20_000  # that are read

_OPENING = re.compile(r"\s*(?:\*\*|<|\[)?([^\W\d_][\w.'-]{0,24})(?:\*\*|>|\])?:\s")  # `Maria: we moved the meeting`
_END = re.compile(r"(?<=[.!?:;])\s+|(?<=[。！？；])|\n+|(?=\[)")
_CHUNK = re.compile(r"\S+")
_PIECE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{1,8}|[^\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_FENCE = re.compile(r"```[\w+-]*|~~~[\w+-]*")
_MARKS = re.compile(r"\*\*|`")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_COURTESY = re.compile(
    r"(?:ok(?:ay)?|yes|no|sure|got it|noted|done|thanks?|thank you|great|perfect|sounds good|understood|will do|right|"
    r"good|nice|you're welcome|let me know(?: if .*)?|happy to help.*|(?:option|approach|step|choice) ?[\da-h]?)\W*",
    re.IGNORECASE,
)

_LISTED = re.compile(r"\s*(?:\d{1,2}[.)]|[|#>]|[-+]{2,}|@@)")
_LEADS = (
    r"\W*(?:(?:ok(?:ay)?|now|first|next|then|good|great|perfect|so|also|and|please|pls|yes|no|just)\b[\s,.!:—-]*){0,4}"
)
_NARRATION = re.compile(
    rf"{_LEADS}(?:let me|i'll|i will|i'm (?:going|now)|i need to|i should|i can see|i see|looking at|checking|running|"
    r"here's|here is|here are|you're|want me|would you|do you|if you|shall i|should i|waiting)\b",
    re.IGNORECASE,
)

Span = tuple[int, int]


def passages(text: str) -> list[str]:
    """Return sentences or lines, short ones joined; of a long text only the first."""
    spoken = without_speaker(text[:MAX_TURN_CHARS])
    return [" ".join(spoken[begin:end] for begin, end in words) for words in islice(_passages(spoken), MAX_PASSAGES)]


def quotable_passages(text: str) -> list[str]:
    """Return more passages, with the original spacing of words, each in one line and without Markdown marks."""
    spoken = without_speaker(text[:MAX_TURN_CHARS])
    return [without_marks(spoken[words[0][0] : words[-1][1]]) for words in islice(_passages(spoken), MAX_QUOTABLE)]


def is_informative(passage: str) -> bool:
    """Return False for a numbered item, and if it has only questions, courtesies, labels and an agent's next steps."""
    return not _LISTED.match(passage) and any(map(_states_something, _SENTENCE_END.split(passage)))


def _states_something(sentence: str) -> bool:
    if sentence.rstrip("\"')]* ").endswith("?"):
        return False
    return not _COURTESY.fullmatch(sentence) and not _NARRATION.match(sentence)


def without_marks(text: str) -> str:
    """Return one line without the Markdown marks that mean nothing in one."""
    return " ".join(_MARKS.sub("", _FENCE.sub(" ", text)).split())


def _passages(spoken: str) -> Iterator[list[Span]]:
    """Yield each passage as the places of its words."""
    waiting: list[Span] = []
    for begin, end in _sentences(spoken):
        waiting += _words(spoken, begin, end)
        if len(waiting) >= MIN_WORDS:
            for at in range(0, len(waiting), MAX_WORDS):
                yield waiting[at : at + MAX_WORDS]
            waiting = []
    if waiting:
        yield waiting


def _sentences(spoken: str) -> Iterator[Span]:
    begin = 0
    for end in _END.finditer(spoken):
        yield begin, end.start()
        begin = end.end()
    yield begin, len(spoken)


def _words(spoken: str, begin: int, end: int) -> list[Span]:
    """In a language without blanks, a run of letters counts as many words."""
    chunks = [chunk.span() for chunk in _CHUNK.finditer(spoken, begin, end)]
    if spoken.isascii():
        return chunks
    return [piece.span() for chunk in chunks for piece in _PIECE.finditer(spoken, *chunk)]


def with_previous_turn(text: str, before: str | None) -> str:
    """Return the turn after the end of the turn that it answers: `yes, the second one` means nothing alone."""
    spoken = without_speaker(text[:MAX_TURN_CHARS])
    if not before:
        return spoken
    end = " ".join(without_speaker(before)[-MAX_TURN_CHARS:].split()[-PREVIOUS_WORDS:])
    return f"{end}\n{spoken}"


def speaker_of(text: str) -> str:
    """Return the name as the index writes it, or "". A name of several words is a heading, not a person."""
    opening = _OPENING.match(text[:SPEAKER_CHARS])
    words = index_words(opening[1]) if opening else []
    return words[0] if len(words) == 1 else ""


def without_speaker(text: str) -> str:
    opening = _OPENING.match(text)
    return text[opening.end() :] if opening and speaker_of(text) else text
