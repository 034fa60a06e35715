"""The words that an index and a query have in common. Pure: the same text gives the same words.

Identifiers are found whole and in parts (`snake_case`, `camelCase`, `src/auth/login.py`, `E1234`), English words by
their stem, Chinese, Japanese and Korean by bigrams. Nothing here decides what matters; see `query` and `rank`.
"""

import re
import unicodedata
from functools import lru_cache

from recollect.domain.memory import Memory
from recollect.text.aliases import PURPOSES, SHORT_FORMS

MAX_MARKS = 16
MAX_WORD_CHARS = 64  # longer runs are blobs (base64, hashes): nobody asks for them by name

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_ASCII_CHUNK = re.compile(r"[\w./\\:@#+-]+", re.ASCII)
EDGE = "./\\:@-_"  # punctuation around a name is not part of it; `c++` and `c#` keep theirs
_PART = re.compile(r"[^\W_]+[+#]*")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PLAIN = re.compile(r"[a-z]+")


@lru_cache(maxsize=1)
def _chunk() -> re.Pattern[str]:
    """Made when a text needs it: it takes longer than all others together."""
    return re.compile(rf"[{_CJK}]+|(?:(?![{_CJK}])[\w./\\:@#+-])+")


@lru_cache(maxsize=1)
def _cjk_run() -> re.Pattern[str]:
    return re.compile(rf"[{_CJK}]+")


def chunks(text: str) -> list[str]:
    """Runs of letters, digits and the marks that names are made with."""
    return (_ASCII_CHUNK if text.isascii() else _chunk()).findall(text)


def index_words(text: str) -> list[str]:
    """All words of a text, in order, repetitions kept."""
    if text.isascii():  # most of it is: nothing to normalise, no bigrams
        return [word for chunk in chunks(text) for word in _name_and_parts(chunk)]
    found: list[str] = []
    for chunk in chunks(unicodedata.normalize("NFKC", _without_towers(text))):
        if _cjk_run().match(chunk):
            found += _bigrams(chunk)
        else:
            found += _name_and_parts(chunk)
    return found


def _without_towers(text: str) -> str:
    """At most a few marks on one letter: to bring thousands of them into order takes the square of their number."""
    if len(text) <= MAX_MARKS:
        return text
    kept, marks = [], 0
    for character in text:
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks <= MAX_MARKS:
            kept.append(character)
    return "".join(kept)


def words_of(memory: Memory) -> list[str]:
    """Everything that finds a memory: its text, its title and its aliases, and what the things in it are for."""
    return _all_words(memory.text, memory.title or "", memory.aliases)


def names_of(memory: Memory) -> tuple[str, ...]:
    """What it is called: its title and its aliases."""
    return (memory.title, *memory.aliases) if memory.title else memory.aliases


def word_set(memory: Memory) -> frozenset[str]:
    """The same, each once; remembered, because the same few memories are weighed again and again."""
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
    """A name from code rather than a word of the language: it has parts, digits or inner capitals."""
    core = chunk.strip(EDGE)
    return bool(re.search(r"[_/\\.:@#+]|\d|[a-z][A-Z]", core)) and bool(re.search(r"[^\W\d_]", core))


def identifiers(text: str) -> list[str]:
    return [chunk for chunk in chunks(text) if is_identifier(chunk)]


def readings(chunk: str) -> list[frozenset[str]]:
    """The ways to say a name: whole, or all of its parts. `ReactJS` is `reactjs` too, and `react` beside `js`."""
    words = _name_and_parts(chunk) if chunk.isascii() else tuple(index_words(chunk))
    if len(words) > 2 and words[-1] == _stem(_without_accents(chunk.strip(EDGE)).lower()):
        return [frozenset({words[-1]}), frozenset({as_one_word(chunk)}), frozenset(words[:-1])]
    return [frozenset(words)] if words else []


def as_one_word(name: str) -> str:
    """`rate limiters` and `rate-limiter` as one word. It has no stem: a word that nobody else has is slow to stem."""
    letters = "".join(_PART.findall(_without_accents(name).lower()))
    return letters.removesuffix("s") if len(letters) <= MAX_WORD_CHARS else ""


def _name_and_parts(chunk: str) -> tuple[str, ...]:
    # What is long comes once: it would only fill the memory.
    return _known_parts(chunk) if len(chunk) <= MAX_WORD_CHARS else _parts(chunk)


def _parts(chunk: str) -> tuple[str, ...]:
    name = _without_accents(chunk.strip(EDGE))
    parts = [hump for part in _PART.findall(name) for hump in _HUMP.split(part)]
    if len(parts) == 1:
        parts = SHORT_FORMS.get(name.lower(), parts[0]).split()
        return tuple(_stem(part.lower()) for part in parts if len(part) <= MAX_WORD_CHARS)
    words = [_stem(part.lower()) for part in parts if len(part) <= MAX_WORD_CHARS]
    if parts and len(name) <= MAX_WORD_CHARS:
        words.append(_stem(name.lower()))  # who writes `ParseOptions` in small letters means the same
    return tuple(words)


_known_parts = lru_cache(maxsize=8_192)(_parts)  # half a KB each


def _without_accents(name: str) -> str:
    if name.isascii():
        return name
    return "".join(c for c in unicodedata.normalize("NFKD", name) if unicodedata.category(c) != "Mn")


def _bigrams(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


@lru_cache(maxsize=8_192)
def _stem(word: str) -> str:
    if not _PLAIN.fullmatch(word):
        return word
    from recollect.text.stemmer import EnglishStemmer  # nobody needs it before the first word

    # A stemmer object holds its cursor, so each word gets its own: threads never meet in one.
    return str(EnglishStemmer().stemWord(word))
