"""Read who speaks, if a text says so: `Maria: we moved the meeting`. Pure."""

import re

from recollect.text.words import index_words

SPEAKER_CHARS = 40  # longest name

_OPENING = re.compile(r"\s*(?:\*\*|<|\[)?([^\W\d_][\w.'-]{0,24})(?:\*\*|>|\])?:\s")


def speaker_of(text: str) -> str:
    """Return the name as the index writes it, or "". A name of several words is a heading, not a person."""
    opening = _OPENING.match(text[:SPEAKER_CHARS])
    words = index_words(opening[1]) if opening else []
    return words[0] if len(words) == 1 else ""


def without_speaker(text: str) -> str:
    opening = _OPENING.match(text)
    return text[opening.end() :] if opening and speaker_of(text) else text
