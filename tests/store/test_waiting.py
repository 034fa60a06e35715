"""What waits for its vectors, and not waiting for somebody else."""

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from recollect.domain.errors import StoreBusy
from recollect.domain.search import Embedded, Waiting
from recollect.domain.vector import DIMENSIONS, ModelId, Vector
from recollect.engine.ports import Store
from tests.builders import a_memory, a_turn

MODEL, OTHER = ModelId("one"), ModelId("another")
VECTOR = Vector(b"\x00\x00\x80\x3f" + b"\x00" * 4 * (DIMENSIONS - 1))  # of length 1


def test_memories_and_turns_wait_apart_and_for_one_model(store: Store) -> None:
    assert store.waiting(MODEL) == store.waiting(None) == Waiting(memories=0, turns=0, stored=None)
    store.add(a_memory("We deploy with Helm."))
    store.add_turns([a_turn("deploy one"), a_turn("deploy two", message="m2")])
    assert store.waiting(MODEL) == store.waiting(None) == Waiting(memories=1, turns=2, stored=None)
    (memory,) = store.next_unembedded(MODEL, limit=1)
    store.keep_vectors(MODEL, [Embedded(what=memory, vectors=(VECTOR,))])
    assert store.waiting(MODEL) == store.waiting(None) == Waiting(memories=0, turns=2, stored=MODEL)
    assert store.waiting(OTHER) == Waiting(memories=1, turns=2, stored=MODEL), "of another model, there is nothing"


def test_who_gives_up_soon_does_not_wait_for_another_process(reopen: Callable[[], Store], tmp_path: Path) -> None:
    store = reopen()
    other = sqlite3.connect(tmp_path / "data" / "recollect.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    began = time.monotonic()
    with pytest.raises(StoreBusy), store.giving_up_after(1):
        store.add(a_memory("We deploy with Helm."))
    assert time.monotonic() - began < 3, "the usual patience is five seconds"
    other.execute("ROLLBACK")
    other.close()
    store.add(a_memory("We deploy with Helm."))
