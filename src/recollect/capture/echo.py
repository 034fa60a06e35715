"""Recognise text in which an agent only repeats what it was shown. Pure.

A model reads our block and says the same in its own words: that makes nothing truer, and nothing new.
"""

from collections.abc import Iterable

from recollect.text.query import content_words
from recollect.text.sentences import sentences

MIN_SHARE = 0.6  # of a sentence's words in one shown line
MIN_WORDS = 2  # shorter sentences are not judged


def is_echo(said: str, shown: Iterable[frozenset[str]]) -> bool:
    """Return True if every sentence is covered by a shown line. `shown`: the words of each line (`words_of`)."""
    lines = list(shown)
    is_judged = False
    for words in map(words_of, sentences(said)):
        if len(words) >= MIN_WORDS:
            is_judged = True
            for line in lines:
                if len(words & line) >= MIN_SHARE * len(words):
                    break
            else:
                return False
    return is_judged


def words_of(text: str) -> frozenset[str]:
    return frozenset(content_words(text))
