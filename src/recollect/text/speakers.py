"""Who speaks, where a text says so: `Maria: we moved the meeting`. Pure."""

import re

from recollect.text.words import index_words

SPEAKER_CHARS = 40  # a name is not longer

_OPENING = re.compile(r"\s*(?:\*\*|<|\[)?([^\W\d_][\w.'-]{0,24})(?:\*\*|>|\])?:\s")


def speaker_of(text: str) -> str:
    """The name as the index has it, or nothing. One word: a longer opening is a heading, not a person."""
    opening = _OPENING.match(text[:SPEAKER_CHARS])
    words = index_words(opening[1]) if opening else []
    return words[0] if len(words) == 1 else ""


def without_speaker(text: str) -> str:
    """Only what is said."""
    opening = _OPENING.match(text)
    return text[opening.end() :] if opening and speaker_of(text) else text
