"""Whether what an agent says only repeats what it was shown. Pure.

A model reads our block and tells it back in its own words: that makes nothing truer, and nothing new.
"""

from collections.abc import Iterable

from recollect.text.query import content_words
from recollect.text.sentences import sentences

MIN_SHARE = 0.6  # of a sentence's words in one line that was shown
MIN_WORDS = 2  # of a shorter sentence nothing can be told


def is_echo(said: str, shown: Iterable[frozenset[str]]) -> bool:
    """`shown`: the words of each line, see `words_of`. Every sentence of it that says something was shown before."""
    lines = list(shown)
    telling = [words for words in map(words_of, sentences(said)) if len(words) >= MIN_WORDS]
    return bool(telling) and all(any(_covers(words, line) for line in lines) for words in telling)


def words_of(line: str) -> frozenset[str]:
    return frozenset(content_words(line))


def _covers(words: frozenset[str], line: frozenset[str]) -> bool:
    return len(words & line) >= MIN_SHARE * len(words)
