"""Compute missing vectors in the background. Until then a memory or turn is found by its words."""

from contextlib import nullcontext, suppress

from recollect.domain.errors import StoreError
from recollect.domain.memory import Memory
from recollect.domain.search import EmbeddedItem, MissingVectors, UnembeddedItem
from recollect.domain.vector import ModelId, Vector
from recollect.engine.context import Context
from recollect.engine.ports import Embeds, KeepsVectors
from recollect.text.embedding_text import memory_meaning
from recollect.text.passages import passages, with_previous_turn

BATCH_ITEMS = 32  # in one transaction: a crash loses at most this many
BRIEFLY_S = 0.3  # hardly noticed by the user
BRIEFLY_AT_ONCE = 2  # a long turn takes a tenth of a second
FEW_LEFT = 8  # taught a moment ago
BUSY_MS = 20  # if another process writes, the search goes on without


def embed_missing(store: KeepsVectors, embeds: Embeds, *, limit: int = BATCH_ITEMS, wait_ms: int | None = None) -> int:
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
    texts = (with_previous_turn(what.of.text, before), *passages(what.of.text))
    vectors = {text: embeds.embed(text) for text in dict.fromkeys(texts)}  # a first short turn is its only passage
    return tuple(vectors[text] for text in texts)


def count_waiting(store: KeepsVectors, model: ModelId, *, turns: bool) -> int:
    """Count the memories without a vector of this model; `turns`: and the turns."""
    waiting = store.count_missing_vectors(model)
    return waiting.memories + (waiting.turns if turns else 0)


def embed_briefly(ctx: Context, embeds: Embeds, *, turns: bool) -> MissingVectors:
    """Embed a few before a search, and return what still waits. If many wait, leave them to the background of the
    daemon. A search never fails because of it."""
    give_up = ctx.seconds() + BRIEFLY_S
    with suppress(StoreError):
        if ctx.is_resident and count_waiting(ctx.store, embeds.model, turns=turns) > FEW_LEFT:
            return ctx.store.count_missing_vectors(embeds.model)
        while (left := count_waiting(ctx.store, embeds.model, turns=turns)) and ctx.seconds() < give_up:
            if ctx.store.is_read_only:
                break
            if not embed_missing(ctx.store, embeds, limit=min(left, BRIEFLY_AT_ONCE), wait_ms=BUSY_MS):
                break
    return ctx.store.count_missing_vectors(embeds.model)
