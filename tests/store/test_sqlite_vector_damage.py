"""Vectors that the disk has changed: noticed, never in the way of a search, and made anew by a repair."""

import math
import random
import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from recollect.domain.memory import MemoryId
from recollect.domain.vector import DIMENSIONS
from recollect.store.sqlite.salvage import salvage
from recollect.store.sqlite.store import SqliteStore
from tests.builders import PROJECT, a_memory, a_turn
from tests.counting import count_turns, count_unembedded
from tests.store.breaking import HERE, problems
from tests.vectors import MODEL, any_vector, as_halves, asking, at_cosine, axis, embed_all

BLOBS = ("memory_vector.vector", "turn_vector.context", "turn_vector.passages")
WHOLE = as_halves(at_cosine(0.9))


def with_first(value: float) -> bytes:
    return struct.pack("<e", value) + WHOLE[2:]


HARMS: dict[str, Callable[[bytes], bytes]] = {
    "one bit": lambda blob: bytes([blob[0] ^ 1]) + blob[1:],
    "the sign of a number": lambda blob: blob[:1] + bytes([blob[1] ^ 0x80]) + blob[2:],
    "no number": lambda blob: with_first(math.nan) + blob[len(WHOLE) :],
    "endless": lambda blob: with_first(math.inf) + blob[len(WHOLE) :],
    "too short": lambda blob: blob[:-1],
    "too long": lambda blob: blob + b"x",
    "nothing": lambda _: b"",
    "zeros": lambda blob: bytes(len(blob)),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "data" / "recollect.db"
    store = SqliteStore(path)
    for n in range(5):
        store.add(a_memory(f"Fact {n}.", id=MemoryId(f"m{n}")))
        store.add_turns([a_turn(f"Turn {n}.", message=f"m{n}")])
    embed_all(store, lambda of: (at_cosine(0.9 - int(of.text[5]) / 10),) * 3)
    store.close()
    return path


def harm(path: Path, where: str, how: Callable[[bytes], bytes], *, n: int = 1) -> None:
    table, column = where.split(".")
    with closing(sqlite3.connect(path)) as connection, connection:
        (blob,) = connection.execute(f"SELECT {column} FROM {table} WHERE n = ?", (n,)).fetchone()
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE n = ?", (how(blob), n))


def found(store: SqliteStore) -> dict[str, float | None]:
    return {one.memory.text: one.cosine for one in store.search(store.look_up(["fact"], HERE), asking(), limit=9)}


@pytest.mark.parametrize("how", HARMS)
@pytest.mark.parametrize("where", BLOBS)
def test_a_damaged_vector_is_told_and_stands_in_nobodys_way_and_is_made_anew(path: Path, where: str, how: str) -> None:
    harm(path, where, HARMS[how])
    store = SqliteStore(path)
    (said,) = problems(store)
    assert said.startswith("checksum mismatch in 1 vectors")

    near = found(store)
    assert set(near) == {f"Fact {n}." for n in range(5)}
    assert all(value is not None and math.isfinite(value) for value in near.values())
    turns = store.look_up_turns([], PROJECT)
    cosines = store.turn_cosines(turns, asking())
    assert cosines is not None
    assert np.isfinite(cosines).all()
    assert cosines[1:].tolist() == pytest.approx([0.8, 0.7, 0.6, 0.5], abs=2e-3)
    passages = store.passage_cosines(turns.numbers.tolist(), axis(0))
    assert all(math.isfinite(value) for cosines in passages for value in cosines)
    assert [max(cosines) for cosines in passages[1:]] == pytest.approx([0.8, 0.7, 0.6, 0.5], abs=2e-3)

    store.mend()
    assert problems(store) == []
    text = "Fact 0." if where.startswith("memory") else "Turn 0."
    assert [what.of.text for what in store.next_unembedded(MODEL, limit=9)] == [text]
    embed_all(store, lambda _: (at_cosine(0.9),) * 3)
    assert found(store)["Fact 0."] == pytest.approx(0.9, abs=2e-3)
    store.close()


def test_whatever_bit_of_a_vector_is_changed_it_is_noticed(path: Path) -> None:
    chance = random.Random(9)
    for _ in range(20):
        bit, where = chance.randrange(16 * DIMENSIONS), chance.choice(BLOBS)

        def flipped(blob: bytes, bit: int = bit) -> bytes:
            return blob[: bit // 8] + bytes([blob[bit // 8] ^ 1 << bit % 8]) + blob[bit // 8 + 1 :]

        harm(path, where, flipped)
        store = SqliteStore(path)
        assert len(problems(store)) == 1, (where, bit)
        store.close()
        harm(path, where, flipped)


def test_a_vector_of_nothing_and_one_that_nobody_waits_for_are_put_right(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM memory_vector WHERE n = 2")
        connection.execute("INSERT INTO unembedded VALUES ('memory', 99), ('turn', 99)")
    store = SqliteStore(path)
    store.mend()
    assert [what.of.text for what in store.next_unembedded(MODEL, limit=9)] == ["Fact 1."]
    assert count_unembedded(store, MODEL) == 1
    store.close()


def test_what_a_repair_takes_out_waits_for_nothing(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE memory SET text = 'Fect 0.' WHERE n = 1")
        connection.execute("UPDATE turn SET text = 'Tern 0.' WHERE n = 1")
    store = SqliteStore(path)
    assert "Fact 0." not in found(store)
    store.mend()
    assert (problems(store), count_unembedded(store, MODEL)) == ([], 0)
    assert set(found(store)) == {f"Fact {n}." for n in range(1, 5)}
    store.close()


def test_what_waits_and_is_damaged_does_not_stop_the_others(path: Path) -> None:
    store = SqliteStore(path)
    for n in range(5, 9):
        store.add(a_memory(f"Fact {n}.", id=MemoryId(f"m{n}")))
    store.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE memory SET text = 'Fect' WHERE n IN (8, 9)")
    store = SqliteStore(path)
    assert [what.of.text for what in store.next_unembedded(MODEL, limit=2)] == ["Fact 6.", "Fact 5."]
    assert count_unembedded(store, MODEL) == 2
    store.close()


def test_in_a_database_that_was_saved_everything_waits_again(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) - 4096])
    salvage(path)
    store = SqliteStore(path)
    assert problems(store) == []
    assert count_unembedded(store, MODEL) == store.count() + count_turns(store) > 0
    embed_all(store, lambda _: (axis(0), axis(0)))
    assert len(found(store)) == store.count()
    store.close()


@pytest.mark.parametrize("component", [0, 5])
def test_a_bit_that_makes_a_vector_huge_makes_it_near_to_nothing(path: Path, component: int) -> None:
    store = SqliteStore(path)
    store.add(a_memory("Bananas are yellow.", id=MemoryId("banana")))
    embed_all(store, lambda _: any_vector(np.random.default_rng(1)))
    store.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        for n, blob in connection.execute("SELECT n, vector FROM memory_vector").fetchall():
            changed = bytearray(blob)
            changed[2 * component + 1] ^= 0x40
            connection.execute("UPDATE memory_vector SET vector = ? WHERE n = ?", (bytes(changed), n))
    store = SqliteStore(path)
    found = store.search(store.look_up([], HERE), asking(), limit=9)
    assert all(one.cosine is not None and abs(one.cosine) <= 1.02 for one in found)
    store.close()
