"""A store in memory for trial sessions. A turn gets its vector when a question is first compared with it: many never
do, and the answers stay the same."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from recollect.domain.search import EmbeddedItem, Meaning, TurnMatches, UnembeddedItem
from recollect.domain.session import Turn
from recollect.domain.vector import ModelId, Vector
from recollect.store.sqlite.store import SqliteStore
from recollect.store.sqlite.vector_cache import cosines_of, vectors_at
from recollect.store.sqlite.vectors import to_float16
from recollect.text.passages import passages, with_previous_turn

if TYPE_CHECKING:
    from recollect.domain.search import Reals

CACHED_TURNS = 10_000
TURNS_PER_STEP = 200


class TrialStore(SqliteStore):
    def __init__(self, embed: Callable[[str], Vector]) -> None:
        super().__init__(None)
        self._embed = embed

        @lru_cache(maxsize=CACHED_TURNS)
        def embed_passages(text: str) -> bytes:
            return b"".join(to_float16([embed(passage) for passage in passages(text)]))

        self._embed_passages = embed_passages

    def next_unembedded(self, model: ModelId, *, limit: int, what: Sequence[str] = ("memory",)) -> list[UnembeddedItem]:
        return super().next_unembedded(model, limit=limit, what=what)

    def turn_cosines(self, turns: TurnMatches, meaning: Meaning) -> "Reals | None":
        while waiting := self.next_unembedded(meaning.model, limit=TURNS_PER_STEP, what=("turn",)):
            embedded = [EmbeddedItem(what=turn, vectors=self._embed_in_context(turn)) for turn in waiting]
            self.keep_vectors(meaning.model, embedded)
        return super().turn_cosines(turns, meaning)

    def passage_cosines(self, numbers: Sequence[int], vector: Vector) -> list[tuple[float, ...]]:
        return cosines_of(self._passages(numbers), vector)

    def passage_vectors(self, which: Mapping[int, int]) -> dict[int, Vector]:
        return vectors_at(which, zip(which, self._passages(list(which)), strict=True))

    def _embed_in_context(self, waiting: UnembeddedItem) -> tuple[Vector, ...]:
        if not isinstance(waiting.of, Turn):
            return ()
        before = None if waiting.before is None else waiting.before.text
        return (self._embed(with_previous_turn(waiting.of.text, before)),)

    def _passages(self, numbers: Sequence[int]) -> list[bytes]:
        return [b"" if turn is None else self._embed_passages(turn.text) for turn in self.turns(numbers)]
