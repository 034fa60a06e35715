"""Split texts into the words of the index, for memories and queries alike. Pure: same text, same words.

Identifiers are found whole and in parts (`snake_case`, `camelCase`, `src/auth/login.py`, `E1234`), English words by
their stem, Chinese, Japanese and Korean by bigrams. Nothing here decides which words matter; see `query` and `rank`.
"""

import re
import unicodedata
from datetime import datetime
from functools import lru_cache

from recollect.domain.memory import Memory
from recollect.text.aliases import PURPOSES, SHORT_FORMS

MAX_MARKS = 16  # on one letter
MAX_WORD_CHARS = 64  # longer runs are blobs (base64, hashes): no question names them

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_ASCII_CHUNK = re.compile(r"[\w./\\:@#+-]+", re.ASCII)
EDGE_MARKS = "./\\:@-_"  # punctuation around a name is not part of it; `c++` and `c#` keep theirs
_PART = re.compile(r"[^\W_]+[+#]*")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PLAIN = re.compile(r"[a-z]+")
_NAME_PART = re.compile(r"[_/\\.:@#+]|\d|[a-z][A-Z]")
_LETTER = re.compile(r"[^\W\d_]")


_MONTHS = "January February March April May June July August September October November December".split()


@lru_cache(maxsize=1)
def _chunk() -> re.Pattern[str]:
    """Compiled when a text needs it: it takes longer than all other patterns together."""
    return re.compile(rf"[{_CJK}]+|(?:(?![{_CJK}])[\w./\\:@#+-])+")


@lru_cache(maxsize=1)
def _cjk_run() -> re.Pattern[str]:
    return re.compile(rf"[{_CJK}]+")


def chunks(text: str) -> list[str]:
    """Return runs of letters, digits and the marks that names contain."""
    return (_ASCII_CHUNK if text.isascii() else _chunk()).findall(text)


def index_words(text: str) -> list[str]:
    found: list[str] = []
    if text.isascii():  # most texts: nothing to normalise, no bigrams
        for chunk in _ASCII_CHUNK.findall(text):
            # A long chunk seldom comes again: it would only fill the cache.
            found += _cached_parts(chunk) if len(chunk) <= MAX_WORD_CHARS else _parts(chunk)
        return found
    is_cjk = _cjk_run().match
    for chunk in chunks(unicodedata.normalize("NFKC", _limit_marks(text))):
        if is_cjk(chunk):
            found += [chunk[i : i + 2] for i in range(len(chunk) - 1)] or [chunk]  # bigrams
        else:
            found += _cached_parts(chunk) if len(chunk) <= MAX_WORD_CHARS else _parts(chunk)
    return found


def _limit_marks(text: str) -> str:
    """Keep only a few marks on one letter: sorting thousands of them takes the square of their number."""
    if len(text) <= MAX_MARKS:
        return text
    kept, marks = [], 0
    for character in text:
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks <= MAX_MARKS:
            kept.append(character)
    return "".join(kept)


def date_words(moment: datetime) -> str:
    """`8 May 2023`: questions name a month by its English word, whatever the language of this machine."""
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year}"


def words_of(memory: Memory) -> list[str]:
    """Return all words that find a memory: of its text, title and aliases, and the purposes of things in it."""
    return _all_words(memory.text, memory.title or "", memory.aliases)


def names_of(memory: Memory) -> tuple[str, ...]:
    return (memory.title, *memory.aliases) if memory.title else memory.aliases


def word_set(memory: Memory) -> frozenset[str]:
    """Return `words_of` as a set; cached, because the same few memories are ranked again and again."""
    return _word_set(memory.text, memory.title or "", memory.aliases)


@lru_cache(maxsize=2048)
def _word_set(text: str, title: str, aliases: tuple[str, ...]) -> frozenset[str]:
    return frozenset(_all_words(text, title, aliases))


def _all_words(text: str, title: str, aliases: tuple[str, ...]) -> list[str]:
    words = index_words(" ".join((text, title, *aliases)))
    return words + [purpose for word in words for purpose in _purposes().get(word, ())]


@lru_cache(maxsize=1)
def _purposes() -> dict[str, list[str]]:
    return {_stem(thing): index_words(purpose) for thing, purpose in PURPOSES.items()}


def is_identifier(chunk: str) -> bool:
    """Return True for a name from code: it has parts, digits or inner capitals."""
    core = chunk.strip(EDGE_MARKS)
    return _NAME_PART.search(core) is not None and _LETTER.search(core) is not None


def identifiers(text: str) -> list[str]:
    return [*filter(is_identifier, chunks(text))]


def readings(chunk: str) -> list[frozenset[str]]:
    """Return the ways to write a name: whole, or all of its parts. `ReactJS` is also `reactjs`, and `react` with `js`."""
    words = index_words(chunk)
    if len(words) > 2 and words[-1] == _stem(_without_accents(chunk.strip(EDGE_MARKS)).lower()):
        return [frozenset({words[-1]}), frozenset({as_one_word(chunk)}), frozenset(words[:-1])]
    return [frozenset(words)] if words else []


def as_one_word(name: str) -> str:
    """`rate limiters` and `rate-limiter` give the same word. It has no stem: stemming a rare word is slow."""
    letters = "".join(_PART.findall(_without_accents(name).lower()))
    return letters.removesuffix("s") if len(letters) <= MAX_WORD_CHARS else ""


def _parts(chunk: str) -> tuple[str, ...]:
    name = _without_accents(chunk.strip(EDGE_MARKS))
    parts = [hump for part in _PART.findall(name) for hump in _HUMP.split(part)]
    is_one_word = len(parts) == 1
    if is_one_word:
        parts = SHORT_FORMS.get(name.lower(), parts[0]).split()
    words = [_stem(part.lower()) for part in parts if len(part) <= MAX_WORD_CHARS]
    if parts and not is_one_word and len(name) <= MAX_WORD_CHARS:
        words.append(_stem(name.lower()))  # `ParseOptions` in small letters means the same
    return tuple(words)


_cached_parts = lru_cache(maxsize=8_192)(_parts)  # half a KB each


def _without_accents(name: str) -> str:
    if name.isascii():
        return name
    return "".join(c for c in unicodedata.normalize("NFKD", name) if unicodedata.category(c) != "Mn")


@lru_cache(maxsize=8_192)
def _stem(word: str) -> str:
    if not _PLAIN.fullmatch(word):
        return word
    from recollect.text.stemmer import EnglishStemmer  # imported with the first word

    # A stemmer object has a cursor, so each word gets its own object: threads never share one.
    return str(EnglishStemmer().stemWord(word))
