"""The passages of a turn: what is compared with a question on its own. Pure."""

import re

from recollect.text.speakers import without_speaker

MIN_WORDS, MAX_WORDS = 6, 50  # shorter sentences go with the next one, longer ones are cut
MAX_PASSAGES = 12  # people say what matters first, and paste after it
BEFORE_WORDS = 40  # so much of what was said just before belongs to a turn
MAX_CHARS = 20_000  # of a turn that are looked at

_END = re.compile(r"(?<=[.!?:;])\s+|(?<=[。！？；])|\n+|(?=\[)")
_PIECE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{1,8}|[^\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")


def passages(text: str) -> list[str]:
    """Sentences, or lines, short ones joined; the first ones of a long text."""
    found: list[str] = []
    waiting: list[str] = []
    for sentence in _END.split(without_speaker(text[:MAX_CHARS])):
        waiting += _words(sentence)
        if len(waiting) >= MIN_WORDS:
            found += [" ".join(waiting[at : at + MAX_WORDS]) for at in range(0, len(waiting), MAX_WORDS)]
            waiting = []
            if len(found) >= MAX_PASSAGES:
                return found[:MAX_PASSAGES]
    return [*found, " ".join(waiting)] if waiting else found


def _words(sentence: str) -> list[str]:
    """Where a language has no blanks, a run of letters is many words."""
    return [piece for word in sentence.split() for piece in _PIECE.findall(word)]


def in_context(text: str, before: str | None) -> str:
    """The turn, and the end of what it answers: `yes, the second one` means nothing alone."""
    said = without_speaker(text[:MAX_CHARS])
    if not before:
        return said
    end = " ".join(without_speaker(before)[-MAX_CHARS:].split()[-BEFORE_WORDS:])
    return f"{end}\n{said}"
