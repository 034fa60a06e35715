"""What waits for its vectors, and not waiting for somebody else."""

import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from recollect.domain.errors import StoreBusy
from recollect.domain.memory import MemoryId
from recollect.domain.search import EmbeddedItem, MissingVectors
from recollect.domain.vector import DIMENSIONS, ModelId, Vector
from recollect.engine.ports import Store
from tests.builders import a_memory, a_turn

MODEL, OTHER = ModelId("one"), ModelId("another")
VECTOR = Vector(b"\x00\x00\x80\x3f" + b"\x00" * 4 * (DIMENSIONS - 1))  # of length 1


def test_memories_and_turns_wait_apart_and_for_one_model(store: Store) -> None:
    assert (
        store.count_missing_vectors(MODEL)
        == store.count_missing_vectors(None)
        == MissingVectors(memories=0, turns=0, stored=None)
    )
    store.add(a_memory("We deploy with Helm."))
    store.add_turns([a_turn("deploy one"), a_turn("deploy two", message="m2")])
    assert (
        store.count_missing_vectors(MODEL)
        == store.count_missing_vectors(None)
        == MissingVectors(memories=1, turns=2, stored=None)
    )
    (memory,) = store.next_unembedded(MODEL, limit=1)
    store.keep_vectors(MODEL, [EmbeddedItem(what=memory, vectors=(VECTOR,))])
    assert (
        store.count_missing_vectors(MODEL)
        == store.count_missing_vectors(None)
        == MissingVectors(memories=0, turns=2, stored=MODEL)
    )
    assert store.count_missing_vectors(OTHER) == MissingVectors(memories=1, turns=2, stored=MODEL), (
        "of another model, there is nothing"
    )


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


def test_much_work_lets_those_pass_who_wait_to_write(reopen: Callable[[], Store]) -> None:
    one, other = reopen(), reopen()
    began, ended = threading.Event(), threading.Event()

    def much() -> None:
        for number in range(40):
            with one.transaction():
                one.add(a_memory(f"Fact {number}.", id=f"fact{number}"))
                began.set()
                time.sleep(0.03)
            one.give_way()
        ended.set()

    thread = threading.Thread(target=much)
    thread.start()
    began.wait(5)
    for number in range(10):
        other.add(a_memory(f"A word in between, {number}.", id=f"word{number}"))
    assert not ended.is_set(), "who begins again at once would have written all of it first"
    thread.join()
    assert one.count() == 50


def test_inside_a_transaction_nobody_is_let_pass(reopen: Callable[[], Store]) -> None:
    one = reopen()
    with one.transaction():
        began = time.monotonic()
        one.give_way()
    assert time.monotonic() - began < 0.1


def test_what_is_tried_on_a_copy_is_not_kept_and_keeps_nobody_waiting(reopen: Callable[[], Store]) -> None:
    one, other = reopen(), reopen()
    one.add(a_memory("We deploy with Helm.", id="known"))
    with one.copy_in_memory() as copy, copy.transaction():
        copy.add(a_memory("Only tried.", id="tried"))
        other.add(a_memory("Written meanwhile.", id="meanwhile"))
        assert (copy.count(), one.count()) == (2, 2)
        assert copy.get(MemoryId("known")) == one.get(MemoryId("known"))
    assert one.get(MemoryId("tried")) is None
