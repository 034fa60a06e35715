"""Decide whether a prompt mentions something by its name: a title, or an alias. Pure.

A name may be written as one word or as several (`ReactJS`, `react.js`, `react js`), with other endings, in short
(`k8s`), as initials (`DLQ`), or with a typing slip. Its words must be near each other.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from recollect.text.aliases import PURPOSES, SHORT_FORMS
from recollect.text.intent import TECHNOLOGIES
from recollect.text.query import FUNCTION_WORDS, IDLE_WORDS, MAX_QUERY_CHARS
from recollect.text.words import EDGE_MARKS, MAX_WORD_CHARS, as_one_word, chunks, index_words, readings

ORDINARY_WORD = 0.58  # confidence that an ordinary word (`relay`, `theme`) was meant as a name
FAMILIAR_TOOL = 0.8  # the same for a tool that all developers know by such a word (`spring`, `react`)
MAX_WORD_DISTANCE = 8  # between the words of a name
MIN_INITIALS = 3  # two letters can mean too many things
MAX_PROMPT_CHUNKS = 400  # that are searched: names are where the question is
MAX_TEXT_CHARS = 2000  # of a text whose words may have been mistyped
MIN_SLIP_CHARS = 5  # too many shorter words differ by one letter
MIN_WRONG_LETTER_CHARS = 7  # a wrong letter turns one word into another more often than a missing one
MAX_SLIPS = 12  # in a prompt; in a language that the checker does not know, every word would be one

KnowsWord = Callable[[str], bool]

_CAPITALS = re.compile(r"[A-Z]{2,8}s?")
_HEAD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_HUMP = re.compile(r"[a-z][A-Z]")
_DIALECTS = (".js", "js", "css")
_ENDINGS = ("s", "es", "d", "ed", "ing", "er")
_PLAIN = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptWords:
    """The words of a prompt, and where they are."""

    places: Mapping[str, tuple[int, ...]]
    together: frozenset[str]  # each run of letters and marks as one word: `rate-limiter` as `ratelimiter`
    capitals: frozenset[str]  # words in capitals only
    plain: tuple[str, ...]  # words as typed, in small letters

    def mentions(self, name: str) -> bool:
        """Return True if the prompt has the words of the name near each other."""
        parsed = _parse_name(name)
        if parsed.as_one_word in self.together or parsed.initials in self.capitals:
            return True
        found = []
        for piece in parsed.pieces:
            places = self._places_of(piece)
            if len(places) < parsed.pieces.count(piece):  # `end to end` has a word twice
                return False
            found.append(places)
        return bool(found) and _are_near(found)

    def name_confidence(self, names: Iterable[str], knows: KnowsWord | None) -> float:
        """Return how confidently the prompt mentions something with these names, 0..1. Without `knows`, which recognises
        words of the language, a word that does not look like a name is ordinary."""
        confidence = 0.0
        for name in names if self.places else ():
            if self.mentions(name):
                is_shouted = name.upper() in self.capitals
                confidence = max(confidence, 1.0 if is_shouted else _confidence(name, knows))
        return confidence

    def _places_of(self, piece: "_Piece") -> set[int]:
        found: set[int] = set()
        for reading in piece:
            if reading <= self.places.keys() and _are_near([self.places[word] for word in reading]):
                found.update(*(self.places[word] for word in reading))
        return found


def read_prompt_words(prompt: str, *, without: Collection[str] = ()) -> PromptWords:
    """Read a prompt. `without`: words that name nothing here, such as the project's own name."""
    places: dict[str, list[int]] = {}
    together: set[str] = set()
    capitals: set[str] = set()
    plain: dict[str, None] = {}
    for place, chunk in enumerate(chunks(prompt[:MAX_QUERY_CHARS])[:MAX_PROMPT_CHUNKS]):
        words = index_words(chunk)
        if set(words).issubset(without):
            continue
        core = chunk.strip(EDGE_MARKS)
        whole = as_one_word(chunk)
        for word in {*words, core.lower(), whole, *_bare_name(core)}.difference(without, _file_ending(core)):
            places.setdefault(word, []).append(place)
        together.add(whole)
        if _CAPITALS.fullmatch(core):
            capitals.add(core.rstrip("s"))
        if _PLAIN.fullmatch(core.lower()):
            plain[core.lower()] = None
    return PromptWords(
        places={word: tuple(found) for word, found in places.items()},
        together=frozenset(together - {""}),
        capitals=frozenset(capitals),
        plain=tuple(plain),
    )


def _file_ending(chunk: str) -> list[str]:
    """`package.json` is a file and does not mention JSON."""
    stem, _, ending = chunk.rpartition(".")
    return index_words(ending) if stem else []


def _bare_name(chunk: str) -> list[str]:
    """`reactjs` is React, and `tailwindcss` is Tailwind."""
    word = chunk.lower()
    if word.endswith(_DIALECTS):
        for ending in _DIALECTS:
            name = word.removesuffix(ending)
            if name in TECHNOLOGIES:
                return index_words(name)
    return []


def find_slips(prompt: PromptWords, texts: Iterable[str], knows: KnowsWord) -> dict[str, str]:
    """Map each word that looks like a mistyped word of these texts to that word, both as the index writes them. A word of
    the language, or the name of another thing, is never a slip."""
    unknown = _unknown_words(prompt.plain, knows)
    if not unknown:
        return {}
    meant = sorted(frozenset().union(*map(_plain_words, texts)).difference(prompt.plain))
    found: dict[str, str] = {}
    for word in unknown[:MAX_SLIPS]:
        best = next((name for name in meant if is_slip(word, name)), None)
        indexed = "".join(index_words(word))
        if best is not None and indexed in prompt.places:  # the project's own name is not there: it is no slip
            found[indexed] = index_words(best)[0]
    return found


@lru_cache(maxsize=8)  # asked for each place where a prompt searches
def _unknown_words(plain: tuple[str, ...], knows: KnowsWord) -> tuple[str, ...]:
    words = [word for word in plain if len(word) >= MIN_SLIP_CHARS - 1]
    return tuple(word for word in words if not (_is_tool(word) or _has_form(word, knows)))


def is_slip(typed: str, meant: str) -> bool:
    """Return True if one letter was dropped, doubled, swapped or mistyped, but not the first: people take care there."""
    if typed == meant or len(meant) < MIN_SLIP_CHARS or typed[:1] != meant[:1]:
        return False
    differences = (n for n, (one, other) in enumerate(zip(typed, meant, strict=False)) if one != other)
    at = next(differences, min(len(typed), len(meant)))
    if len(typed) == len(meant):
        is_swapped = typed[at : at + 2] == meant[at : at + 2][::-1] and typed[at + 2 :] == meant[at + 2 :]
        return is_swapped or (len(meant) >= MIN_WRONG_LETTER_CHARS and typed[at + 1 :] == meant[at + 1 :])
    if len(typed) + 1 == len(meant):
        return typed[at:] == meant[at + 1 :]
    return len(typed) == len(meant) + 1 and typed[at + 1 :] == meant[at:]


def correct_slips(prompt: PromptWords, instead: Mapping[str, str]) -> PromptWords:
    if not instead:
        return prompt
    meant = {right: prompt.places[wrong] for wrong, right in instead.items()}
    return replace(prompt, places={**prompt.places, **meant})


def _confidence(name: str, knows: KnowsWord | None) -> float:
    """One ordinary word may mean something else; several words, or a word that is only a name, hardly."""
    word = name.lower()
    if not _PLAIN.fullmatch(word) or _HUMP.search(name):
        return 1.0
    if knows is None:
        return 1.0 if _is_tool(word) else ORDINARY_WORD
    if not _has_form(word, knows):
        return 1.0
    return FAMILIAR_TOOL if _is_tool(word) else ORDINARY_WORD


def _is_tool(word: str) -> bool:
    return word in SHORT_FORMS or word in PURPOSES or word in TECHNOLOGIES


def _has_form(word: str, knows: KnowsWord) -> bool:
    """Return True if the language has the word, or the word without its ending."""
    return any(map(knows, (word, *map(word.removesuffix, _ENDINGS))))


_Piece = tuple[frozenset[str], ...]  # the ways to read one chunk of a name


@dataclass(frozen=True, slots=True)
class _ParsedName:
    as_one_word: str
    pieces: tuple[_Piece, ...]
    initials: str  # "": too few


@lru_cache(maxsize=4096)
def _parse_name(name: str) -> _ParsedName:
    """A name of idle words only is empty: nothing mentions it."""
    pieces = tuple(piece for piece in map(_piece, chunks(name)) if not _has_only(piece, FUNCTION_WORDS))
    if all(_has_only(piece, IDLE_WORDS) for piece in pieces):
        return _ParsedName("", (), "")
    initials = "".join(head[0] for head in _HEAD.findall(" ".join(chunks(name)))).upper()
    if len(initials) < MIN_INITIALS or not initials.isalpha():
        initials = ""
    return _ParsedName(as_one_word(name), pieces, initials)


def _piece(chunk: str) -> _Piece:
    bare = _bare_name(chunk)
    return (*readings(chunk), frozenset(bare)) if bare else tuple(readings(chunk))


def _has_only(piece: _Piece, words: frozenset[str]) -> bool:
    return all(reading <= words for reading in piece)


@lru_cache(maxsize=2048)
def _plain_words(text: str) -> frozenset[str]:
    """Words that are recognisable even with a slip."""
    words: set[str] = set()
    for chunk in chunks(text[:MAX_TEXT_CHARS]):
        words.update(re.split(r"[^a-z]+", chunk.lower()))
    return frozenset(word for word in words - IDLE_WORDS if MIN_SLIP_CHARS <= len(word) <= MAX_WORD_CHARS)


def _are_near(groups: Sequence[Collection[int]]) -> bool:
    """Return True if every group has a place within a few words of one place of the first group."""

    def has_near(group: Collection[int], start: int) -> bool:
        return any(abs(place - start) <= MAX_WORD_DISTANCE for place in group)

    return any(all(has_near(group, start) for group in groups) for start in groups[0])
