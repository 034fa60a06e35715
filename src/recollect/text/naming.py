"""Whether a prompt calls something by its name: a title, or an alias. Pure.

A name may be written as one word or as several (`ReactJS`, `react.js`, `react js`), in another form of its words, for
short where it is (`k8s`), by its initials (`DLQ`), or with a slip of the finger. Its words stand near each other.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from recollect.text.aliases import PURPOSES, SHORT_FORMS
from recollect.text.intent import TECHNOLOGIES
from recollect.text.query import FUNCTION_WORDS, IDLE, MAX_QUERY_CHARS
from recollect.text.slips import MIN_SLIP_CHARS, is_slip
from recollect.text.words import EDGE, MAX_WORD_CHARS, as_one_word, chunks, index_words, readings

ORDINARY_WORD = 0.58  # how surely a word of the language that is a name too (`relay`, `theme`) was meant as one
FAMILIAR_TOOL = 0.8  # the same for a thing that all developers know by such a word (`spring`, `react`)
MAX_WORD_DISTANCE = 8  # words of a name that are further apart were not said together
MIN_INITIALS = 3  # two letters stand for too many things
MAX_PROMPT_CHUNKS = 400  # chunks of a prompt that are looked at: names are said where the question is
MAX_MEANT_CHARS = 2000  # of a text whose words may have been mistyped
MAX_MENDED = 12  # words of a prompt that may be slips; of a text in a language that nobody knows, all would be

KnowsWord = Callable[[str], bool]

_CAPITALS = re.compile(r"[A-Z]{2,8}s?")
_HEAD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_HUMP = re.compile(r"[a-z][A-Z]")
_DIALECTS = (".js", "js", "css")
_ENDINGS = ("s", "es", "d", "ed", "ing", "er")
_PLAIN = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Every word of a prompt, idle ones too, with the places where it stands."""

    places: Mapping[str, tuple[int, ...]]
    together: frozenset[str]  # each run of letters and marks as one word: `rate-limiter` is there as `ratelimiter`
    capitals: frozenset[str]  # what is written in capitals alone
    plain: tuple[str, ...]  # words as they were typed, in small letters

    def calls(self, name: str) -> bool:
        """Whether it has the words of the name, together."""
        whole, pieces, initials = _name(name)
        if whole in self.together or initials in self.capitals:
            return True
        found = []
        for piece in pieces:
            where = self._where(piece)
            if len(where) < pieces.count(piece):  # `end to end` has it twice
                return False
            found.append(where)
        return bool(found) and (len(found) == 1 or _are_near(found))

    def surely(self, names: Iterable[str], knows: KnowsWord | None) -> float:
        """How surely something with these names is called: from not at all (0) to plainly (1).

        Without anybody who knows the language, a word without a mark of a name is an ordinary one.
        """
        called = [name for name in names if self.calls(name)] if self.places else []
        return max((1.0 if name.upper() in self.capitals else _plainness(name, knows) for name in called), default=0.0)

    def _where(self, piece: tuple[frozenset[str], ...]) -> set[int]:
        """Where one of the readings of a piece of a name stands."""
        found: set[int] = set()
        for reading in piece:
            if reading <= self.places.keys() and _are_near([self.places[word] for word in reading]):
                found.update(*(self.places[word] for word in reading))
        return found


def said(prompt: str, *, without: Collection[str] = ()) -> Said:
    """`without`: words that call nothing here, such as the name of the project."""
    places: dict[str, list[int]] = {}
    together: set[str] = set()
    capitals: set[str] = set()
    plain: dict[str, None] = {}
    for place, chunk in enumerate(chunks(prompt[:MAX_QUERY_CHARS])[:MAX_PROMPT_CHUNKS]):
        words = index_words(chunk)
        if all(word in without for word in words):
            continue
        core = chunk.strip(EDGE)
        whole = as_one_word(chunk)
        for word in {*words, core.lower(), whole, *_bare(core)}.difference(without, _ending(core)):
            places.setdefault(word, []).append(place)
        together.add(whole)
        if _CAPITALS.fullmatch(core):
            capitals.add(core.rstrip("s"))
        if _PLAIN.fullmatch(core.lower()):
            plain[core.lower()] = None
    return Said(
        places={word: tuple(found) for word, found in places.items()},
        together=frozenset(together - {""}),
        capitals=frozenset(capitals),
        plain=tuple(plain),
    )


def _ending(chunk: str) -> list[str]:
    """`package.json` is a file, and calls nothing that is named JSON."""
    stem, _, ending = chunk.rpartition(".")
    return index_words(ending) if stem else []


def _bare(chunk: str) -> list[str]:
    """`reactjs` is React, and `tailwindcss` is Tailwind."""
    word = chunk.lower()
    if not word.endswith(_DIALECTS):
        return []
    names = (word.removesuffix(ending) for ending in _DIALECTS)
    return next((index_words(name) for name in names if name in TECHNOLOGIES), [])


def slips(heard: Said, texts: Iterable[str], knows: KnowsWord) -> dict[str, str]:
    """For each word that seems to be the slip of a word of these texts, that word; both as the index has them.

    A word of the language, or the name of another thing, is never a slip.
    """
    unknown = [word for word in heard.plain if len(word) >= MIN_SLIP_CHARS - 1 and not _is_known(word, knows)]
    if not unknown:
        return {}
    meant = sorted(frozenset().union(*map(_plain_words, texts)).difference(heard.plain))
    found: dict[str, str] = {}
    for word in unknown[:MAX_MENDED]:
        best = next((name for name in meant if is_slip(word, name)), None)
        typed = "".join(index_words(word))
        if best is not None and typed in heard.places:  # the name of the project is not, and nothing is its slip
            found[typed] = index_words(best)[0]
    return found


def mended(heard: Said, instead: Mapping[str, str]) -> Said:
    """As if no finger had slipped."""
    if not instead:
        return heard
    places = {**heard.places, **{right: heard.places[wrong] for wrong, right in instead.items()}}
    return replace(heard, places=places)


def _plainness(name: str, knows: KnowsWord | None) -> float:
    """One word may mean something else too; several, or one that is only a name, hardly."""
    word = name.lower()
    if not _PLAIN.fullmatch(word) or _HUMP.search(name):
        return 1.0
    if knows is None:
        return 1.0 if _is_thing(word) else ORDINARY_WORD
    if not _has_form(word, knows):
        return 1.0
    return FAMILIAR_TOOL if _is_thing(word) else ORDINARY_WORD


def _is_thing(word: str) -> bool:
    return word in SHORT_FORMS or word in PURPOSES or word in TECHNOLOGIES


def _has_form(word: str, knows: KnowsWord) -> bool:
    """Whether the word, or what it is a form of, is one of the language."""
    return any(knows(form) for form in (word, *(word.removesuffix(ending) for ending in _ENDINGS)))


def _is_known(word: str, knows: KnowsWord) -> bool:
    return _is_thing(word) or _has_form(word, knows)


@lru_cache(maxsize=4096)
def _name(name: str) -> tuple[str, tuple[tuple[frozenset[str], ...], ...], str]:
    """Written together; the readings of each of its pieces; its initials. A name of idle words alone has nothing."""
    said_in_it = chunks(name)
    pieces = tuple(
        piece for piece in map(_piece, said_in_it) if not all(reading <= FUNCTION_WORDS for reading in piece)
    )
    if all(reading <= IDLE for piece in pieces for reading in piece):
        return "", (), ""
    initials = "".join(head[0] for chunk in said_in_it for head in _HEAD.findall(chunk)).upper()
    is_short = len(initials) >= MIN_INITIALS and initials.isalpha()
    return as_one_word(name), pieces, initials if is_short else ""


def _piece(chunk: str) -> tuple[frozenset[str], ...]:
    bare = _bare(chunk)
    return (*readings(chunk), frozenset(bare)) if bare else tuple(readings(chunk))


@lru_cache(maxsize=2048)
def _plain_words(text: str) -> frozenset[str]:
    """Those that could be mistyped and still be known."""
    words = {word for chunk in chunks(text[:MAX_MEANT_CHARS]) for word in re.split(r"[^a-z]+", chunk.lower())}
    return frozenset(word for word in words - IDLE if MIN_SLIP_CHARS <= len(word) <= MAX_WORD_CHARS)


def _are_near(found: Sequence[Collection[int]]) -> bool:
    """Whether one place of each lies within a few words of one place of the first."""
    return any(
        all(any(abs(place - start) <= MAX_WORD_DISTANCE for place in one) for one in found) for start in found[0]
    )
