"""Which lines of many summaries are told in little room. Pure and deterministic; of equal ones the newer session's.

A line is worth what it says that is not said yet, for what it costs. Names and numbers count more than other words:
they are what a summary is read for, and what nobody can guess.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from heapq import heapify, heappop, heapreplace
from itertools import zip_longest

from recollect.domain.memory import SessionId
from recollect.domain.session import Recap, Summary
from recollect.text.block import brief_line_of, day_of, summary_line_of
from recollect.text.sentences import MORE, first_sentence, shortened
from recollect.text.tokens import estimate
from recollect.text.words import is_identifier

ALIKE = 0.7  # of the words of a line, said already: it is not told
NAME_WORTH, PART_WORTH, MOST_PARTS = 1.5, 0.5, 4  # of a name, in words; and of each of its parts, which cost as well
FIRST_WORTH = 1.1  # of the request, and of the first line of each part
TOPIC_CHARS = 90
MIN_WORD_CHARS = 3
LEAST_TOKENS = 12  # what is less is not worth another look

_PART = re.compile(r"[a-z0-9]+")
_ASKING = re.compile(
    r"^(?:(?:ok(?:ay)?|now|so|please|also|hey|hi)[, ]+)*(?:let's|lets|let us|i(?:'d| would) like(?: you)? to"
    r"|i (?:want|need)(?: you)? to|we (?:want|need)(?: to)?|i (?:want|need)|can you|could you|would you|help me(?: to)?"
    r"|time to|we're (?:hitting|seeing|getting)|i'm (?:hitting|seeing|getting)|we have|there(?:'s| is| are))\s+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Piece:
    place: int  # of its session, the newest first
    rank: int  # within it
    part: str
    line: str
    words: frozenset[str]
    tokens: int
    is_first: bool  # of its part


def told_within(
    recaps: Sequence[Recap], recent: Collection[SessionId], *, room_tokens: int, said: Sequence[str]
) -> list[Recap]:
    """Each with what is told of it; one of which nothing is told is left out. Those that are not `recent` in short."""
    choice = _Choice(recaps, [recap.session not in recent for recap in recaps], said)
    left = room_tokens - choice.take_requests(room_tokens)
    while left >= LEAST_TOKENS and choice.take(left):
        left = room_tokens - choice.tokens  # lines cost less together than one by one
    return choice.told()


class _Choice:
    def __init__(self, recaps: Sequence[Recap], is_old: Sequence[bool], said: Sequence[str]) -> None:
        self._recaps = recaps
        self._is_old = is_old
        self._known = {word for line in said for word in _words(line)}
        self._chosen: list[list[_Piece]] = [[] for _ in recaps]
        self._topics = [_piece(place, -1, "asked", _topic(recap.summary.asked)) for place, recap in enumerate(recaps)]
        self._pieces = [
            piece for place, recap in enumerate(recaps) for piece in _pieces(place, recap.summary, is_old=is_old[place])
        ]

    def take_requests(self, room_tokens: int) -> int:
        """What the last sessions were about comes before all else; what that costs."""
        left = room_tokens
        for piece in [one for one in self._pieces if one.part == "asked" and not self._is_old[one.place]]:
            cost = self._cost(piece.place, [piece])
            if self._news(piece, [piece]) and cost <= left:
                left -= cost
                self._chosen[piece.place].append(piece)
                self._known.update(piece.words)
        return room_tokens - left

    def take(self, room_tokens: int) -> bool:
        """The best of what is left, as far as there is room; whether there was anything."""
        # What a line is worth only falls while others are told: whoever still leads after a second look is the best.
        waiting = [(float("-inf"), piece.place, piece.rank, piece) for piece in self._pieces]
        heapify(waiting)
        self._pieces, left = [], room_tokens
        while waiting:
            before, place, rank, piece = waiting[0]
            needed = self._needed(piece)
            cost = self._cost(place, needed)
            value = self._news(piece, needed) / max(1, cost) * (FIRST_WORTH if piece.is_first else 1.0)
            if value and -value > before:
                heapreplace(waiting, (-value, place, rank, piece))
                continue
            heappop(waiting)
            if value and cost <= left:
                left -= cost
                self._chosen[place] += needed
                self._known.update(*(one.words for one in needed))
            elif value:
                self._pieces.append(piece)
        return left < room_tokens

    def told(self) -> list[Recap]:
        return [_only(recap, chosen) for recap, chosen in zip(self._recaps, self._chosen, strict=True) if chosen]

    @property
    def tokens(self) -> int:
        """What all that is told costs."""
        kept = zip(self._recaps, self._chosen, self._is_old, strict=True)
        told = ((_only(recap, chosen), is_old) for recap, chosen, is_old in kept if chosen)
        return sum(estimate((brief_line_of if is_old else summary_line_of)(recap) + "\n") for recap, is_old in told)

    def _needed(self, piece: _Piece) -> list[_Piece]:
        """A line that has nothing in common with the request says nothing without it."""
        topic, chosen = self._topics[piece.place], self._chosen[piece.place]
        is_about_it = piece.part == "asked" or any(one.part == "asked" for one in chosen) or not topic.line
        return [piece] if is_about_it or piece.words & topic.words else [topic, piece]

    def _news(self, piece: _Piece, needed: Sequence[_Piece]) -> float:
        if len(piece.words.difference(self._known)) <= (1 - ALIKE) * len(piece.words):
            return 0.0
        if piece.part == "asked" and any(one.part == "asked" for one in self._chosen[piece.place]):
            return 0.0
        return sum(map(_worth, frozenset[str]().union(*(one.words for one in needed)).difference(self._known)))

    def _cost(self, place: int, pieces: Sequence[_Piece]) -> int:
        chosen = self._chosen[place]
        tokens = 0 if chosen else _day_tokens(self._recaps[place].at)
        parts = {one.part for one in chosen}
        for piece in pieces:
            tokens += piece.tokens + (
                1 if self._is_old[place] or piece.part in parts else estimate(f"; {piece.part}: ")
            )
            parts.add(piece.part)
        return tokens


def _pieces(place: int, summary: Summary, *, is_old: bool) -> Iterator[_Piece]:
    """The request, whole of the last session only, then what came of it, the worthiest of each part. What an old
    session left open, whoever came after it has done or left open again."""
    lines = [("asked", _topic(summary.asked) if place else summary.asked)] if summary.asked else []
    left = () if is_old and (summary.done or summary.decided) else summary.open
    parts = {"open": left, "decided": summary.decided, "done": summary.done, "files": () if is_old else summary.files}
    for row in zip_longest(*parts.values()):
        lines += [(part, line) for part, line in zip(parts, row, strict=True) if line is not None]
    begun: set[str] = set()
    for rank, (part, line) in enumerate(lines):
        yield _piece(place, rank, part, line, is_first=part not in begun)
        begun.add(part)


def _piece(place: int, rank: int, part: str, line: str, *, is_first: bool = True) -> _Piece:
    return _Piece(place, rank, part, line, _words(line), estimate(line), is_first)


def _only(recap: Recap, chosen: Sequence[_Piece]) -> Recap:
    told = sorted(chosen, key=lambda piece: piece.rank)
    lists = {part: tuple(one.line for one in told if one.part == part) for part, _ in recap.summary.lists}
    asked = next((one.line for one in told if one.part == "asked"), "")
    return replace(recap, notes=(), summary=Summary.of({"asked": asked, **lists}))


def _topic(asked: str) -> str:
    """Without how one asks: `Now let's build the order system. It ...` -> `build the order system`."""
    first = first_sentence(asked, chars=TOPIC_CHARS)
    sentence = shortened(asked, chars=TOPIC_CHARS) if first is None else first.removesuffix(MORE)
    return _ASKING.sub("", sentence).rstrip(" .!?") or asked


@lru_cache(maxsize=64)
def _day_tokens(at: datetime) -> int:
    return estimate(f"- {day_of(at)} \n")


def _words(line: str) -> frozenset[str]:
    words = (word.strip(".,;:!?()[]{}'\"…") for word in line.casefold().split())
    return frozenset(word for word in words if len(word) >= MIN_WORD_CHARS or word.isdigit())


@lru_cache(maxsize=4096)
def _worth(word: str) -> float:
    if not is_identifier(word) and not any(map(str.isdigit, word)):
        return 1.0
    return NAME_WORTH + PART_WORTH * min(len(_PART.findall(word)), MOST_PARTS)
