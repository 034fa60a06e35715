"""The passages of a turn: what is compared with a question on its own, and what may be quoted of it. Pure."""

import re
from collections.abc import Iterator
from itertools import islice

from recollect.text.speakers import without_speaker

MIN_WORDS, MAX_WORDS = 6, 50  # shorter sentences go with the next one, longer ones are cut
MAX_PASSAGES = 12  # people say what matters first, and paste after it
MAX_QUOTABLE = 48  # the others of a long reply have no vector, and may be quoted by their words
PREVIOUS_WORDS = 40  # so much of what was said just before belongs to a turn
MAX_TURN_CHARS = 20_000  # of a turn that are looked at

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
    """Sentences, or lines, short ones joined; the first ones of a long text."""
    said = without_speaker(text[:MAX_TURN_CHARS])
    return [" ".join(said[begin:end] for begin, end in words) for words in islice(_passages(said), MAX_PASSAGES)]


def quotable(text: str) -> list[str]:
    """The same and those that follow, as they stand there, but in one line and without the marks of Markdown."""
    said = without_speaker(text[:MAX_TURN_CHARS])
    found = (said[words[0][0] : words[-1][1]] for words in islice(_passages(said), MAX_QUOTABLE))
    return [without_marks(passage) for passage in found]


def tells(passage: str) -> bool:
    """Whether it says something: not only a question, a courtesy, the label of an option or what an agent is about to
    do, and no item of a numbered list."""
    if _LISTED.match(passage):
        return False
    said = (one for one in _SENTENCE_END.split(passage) if not one.rstrip("\"')]* ").endswith("?"))
    return any(not _COURTESY.fullmatch(one) and not _NARRATION.match(one) for one in said)


def without_marks(text: str) -> str:
    """In one line, and without the marks of Markdown that say nothing in one."""
    return " ".join(_MARKS.sub("", _FENCE.sub(" ", text)).split())


def _passages(said: str) -> Iterator[list[Span]]:
    """Each as the places of its words."""
    waiting: list[Span] = []
    for begin, end in _sentences(said):
        waiting += _words(said, begin, end)
        if len(waiting) >= MIN_WORDS:
            yield from (waiting[at : at + MAX_WORDS] for at in range(0, len(waiting), MAX_WORDS))
            waiting = []
    if waiting:
        yield waiting


def _sentences(said: str) -> Iterator[Span]:
    begin = 0
    for end in _END.finditer(said):
        yield begin, end.start()
        begin = end.end()
    yield begin, len(said)


def _words(said: str, begin: int, end: int) -> list[Span]:
    """Where a language has no blanks, a run of letters is many words."""
    if said.isascii():
        return [chunk.span() for chunk in _CHUNK.finditer(said, begin, end)]
    return [
        piece.span()
        for chunk in _CHUNK.finditer(said, begin, end)
        for piece in _PIECE.finditer(said, chunk.start(), chunk.end())
    ]


def in_context(text: str, before: str | None) -> str:
    """The turn, and the end of what it answers: `yes, the second one` means nothing alone."""
    said = without_speaker(text[:MAX_TURN_CHARS])
    if not before:
        return said
    end = " ".join(without_speaker(before)[-MAX_TURN_CHARS:].split()[-PREVIOUS_WORDS:])
    return f"{end}\n{said}"
