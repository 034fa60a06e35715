"""Choose the part of a long text that answers a question. Pure."""

import re
from collections.abc import Collection, Iterator

from recollect.text.words import index_words

MAX_CHARS = 100_000  # of a text that are searched
MAX_PLACES = 200  # where words of the question are found
CUT = "…"

_CHUNK = re.compile(r"\S+")
_SENTENCE_END = re.compile(r"[.!?:;。！？]\s*")


def excerpt(text: str, words: Collection[str], *, chars: int) -> str:
    """Return at most `chars` characters around most of the words; the beginning if the text has none of them."""
    if len(text) <= chars:
        return text
    begin = min(_begin(text[:MAX_CHARS], frozenset(words), chars), len(text) - chars)
    end = begin + chars
    if begin > 0 and not text[begin - 1].isspace():  # not in the middle of a word, unless it has no end
        begin += max(0, text[begin : begin + chars // 4].find(" ") + 1)
    if end < len(text) and " " in text[end - chars // 4 : end]:
        end = text.rindex(" ", begin, end)
    return (CUT if begin else "") + text[begin:end].strip() + (CUT if end < len(text) else "")


def _begin(text: str, words: frozenset[str], chars: int) -> int:
    places = list(_places(text, words))
    if not places:
        return 0
    room = 2 * chars // 3  # the rest shows what comes before

    def count_words_from(start: int) -> int:
        return len(frozenset().union(*(found for at, found in places if start <= at < start + room)))

    first = max((at for at, _ in places), key=count_words_from)  # of equal ones the first
    earliest = max(0, first - chars + room)
    sentence_end = _SENTENCE_END.search(text, earliest, first)
    return sentence_end.end() if sentence_end else earliest


def _places(text: str, words: frozenset[str]) -> Iterator[tuple[int, frozenset[str]]]:
    count = 0
    for chunk in _CHUNK.finditer(text):
        found = words.intersection(index_words(chunk[0]))
        if found:
            # Text without spaces is one chunk, however long: look inside.
            yield chunk.start() + max(0, min(map(chunk[0].find, found))), found
            count += 1
        if count >= MAX_PLACES:
            return
