"""Compute missing vectors in the background. Until then a memory or turn is found by its words."""

from contextlib import nullcontext

from recollect.domain.memory import Memory
from recollect.domain.search import EmbeddedItem, UnembeddedItem
from recollect.domain.vector import Vector
from recollect.engine.ports import Embeds, KeepsVectors
from recollect.text.embedding_text import memory_meaning
from recollect.text.passages import passages, with_previous_turn

BATCH_ITEMS = 32  # in one transaction: a crash loses at most this many


def embed_some(store: KeepsVectors, embeds: Embeds, *, limit: int = BATCH_ITEMS, wait_ms: int | None = None) -> int:
    """Return how many; 0: nothing waits. `wait_ms`: for other writers. No transaction is open meanwhile."""
    waiting = store.next_unembedded(embeds.model, limit=limit)
    if waiting:
        done = [EmbeddedItem(what=what, vectors=_vectors(embeds, what)) for what in waiting]
        with nullcontext() if wait_ms is None else store.giving_up_after(wait_ms):
            store.keep_vectors(embeds.model, done)
    return len(waiting)


def _vectors(embeds: Embeds, what: UnembeddedItem) -> tuple[Vector, ...]:
    if isinstance(what.of, Memory):
        return (embeds.embed(memory_meaning(what.of)),)
    before = None if what.before is None else what.before.text
    return tuple(map(embeds.embed, (with_previous_turn(what.of.text, before), *passages(what.of.text))))
