"""Count what a store holds."""

from recollect.domain.vector import ModelId
from recollect.engine.ports import KeepsVectors, Store


def count_turns(store: Store) -> int:
    return sum(one.turns for one in store.holdings())


def count_unembedded(store: KeepsVectors, model: ModelId) -> int:
    missing = store.count_missing_vectors(model)
    return missing.memories + missing.turns
