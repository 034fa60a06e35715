"""A store in memory for sessions that are only tried. What was said gets its meaning when a question is first compared
with it: much never is, and the answers stay the same."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from recollect.domain.search import Embedded, Meaning, SightedTurns, Unembedded
from recollect.domain.session import Turn
from recollect.domain.vector import ModelId, Vector
from recollect.store.sqlite.store import SqliteStore
from recollect.store.sqlite.vector_cache import cosines_of, vector_of
from recollect.store.sqlite.vectors import to_float16
from recollect.text.passages import in_context, passages

if TYPE_CHECKING:
    from recollect.domain.search import Reals

KNOWN_TURNS = 10_000
AT_ONCE = 200


class TrialStore(SqliteStore):
    def __init__(self, embed: Callable[[str], Vector]) -> None:
        super().__init__(None)
        self._embed = embed

        @lru_cache(maxsize=KNOWN_TURNS)
        def meaning(text: str) -> bytes:
            return b"".join(to_float16([embed(passage) for passage in passages(text)]))

        self._meaning = meaning

    def next_unembedded(self, model: ModelId, *, limit: int, what: Sequence[str] = ("memory",)) -> list[Unembedded]:
        return super().next_unembedded(model, limit=limit, what=what)

    def turn_cosines(self, turns: SightedTurns, meaning: Meaning) -> "Reals | None":
        while waiting := self.next_unembedded(meaning.model, limit=AT_ONCE, what=("turn",)):
            self.keep_vectors(meaning.model, [Embedded(what=one, vectors=self._in_context(one)) for one in waiting])
        return super().turn_cosines(turns, meaning)

    def passage_cosines(self, numbers: Sequence[int], vector: Vector) -> list[tuple[float, ...]]:
        return cosines_of(self._passages(numbers), vector)

    def passage_vectors(self, which: Mapping[int, int]) -> dict[int, Vector]:
        blobs = zip(which, self._passages(list(which)), strict=True)
        found = {number: vector_of(blob, which[number]) for number, blob in blobs}
        return {number: vector for number, vector in found.items() if vector is not None}

    def _in_context(self, waiting: Unembedded) -> tuple[Vector, ...]:
        before = None if waiting.before is None else waiting.before.text
        return (self._embed(in_context(waiting.of.text, before)),) if isinstance(waiting.of, Turn) else ()

    def _passages(self, numbers: Sequence[int]) -> list[bytes]:
        return [b"" if turn is None else self._meaning(turn.text) for turn in self.turns(numbers)]
