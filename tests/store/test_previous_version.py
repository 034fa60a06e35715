"""The version before mentions, flags and conflicts: its rows, history and hashes hold; what came since is hashed."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recollect.domain.health import Health
from recollect.domain.memory import MemoryId, Mention, Role, SessionId, Source
from recollect.store.sqlite.salvage import salvage
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, a_draft, a_memory
from tests.flows.conftest import engine_on
from tests.store import previous_database
from tests.store.breaking import HERE, VICTIM, fill, flip, problems, texts_found

M1, M2 = MemoryId("m1"), MemoryId("m2")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "recollect.db"


def test_the_database_of_the_version_before_opens_whole_and_healthy(path: Path) -> None:
    previous_database.make(path)
    store = SqliteStore(path)
    assert [finding.health for finding in store.check()] == [Health.FINE]
    with store._database.read() as connection:
        hashes = [row["hash"] for row in connection.execute("SELECT hash FROM memory ORDER BY n")]
    assert hashes == [previous_database.NOW_KNOWN["hash"], previous_database.REPLACED["hash"]]
    memory = store.get(M1)
    assert memory is not None
    assert (memory.text, memory.mentions, memory.flag, memory.conflicts) == ('Auth uses "JWT"; 日本語.', (), None, ())
    assert texts_found(store, "jwt") == [memory.text]
    store.close()
    (backup,) = (path.parent / "backups").iterdir()
    assert backup.name.startswith(f"schema-{previous_database.VERSION:03}-")


def test_its_history_can_be_read_and_taken_back(path: Path) -> None:
    previous_database.make(path)
    store = SqliteStore(path)
    engine = engine_on(store)
    story = engine.history(engine.find("m1"))
    assert [memory.id for memory in story.before] == [M2]
    (change,) = story.changes
    assert change.before == replace(story.memory, seen=1)
    assert [memory.seen for memory in engine.undo(None, at=NOW, by="cli").restored] == [1]
    assert [finding.health for finding in store.check()] == [Health.FINE]
    store.close()


def test_what_is_said_again_counts_for_what_the_version_before_knew(path: Path) -> None:
    previous_database.make(path)
    store = SqliteStore(path)
    engine = engine_on(store)
    again = engine.remember(a_draft('auth uses "jwt"; 日本語.', source=Source(role=Role.USER, session=SessionId("s7"))))
    assert (again.memory.id, again.memory.seen, len(again.memory.mentions)) == (M1, 3, 1)
    assert [finding.health for finding in store.check()] == [Health.FINE]
    engine.undo(None, at=NOW, by="cli")
    assert [finding.health for finding in store.check()] == [Health.FINE]
    assert engine.forget_now([M1], at=NOW, by="cli").is_clean
    assert [file.name for file in path.parent.rglob("*") if file.is_file() and b"JWT" in file.read_bytes()] == []
    store.close()


SAID_AGAIN = Mention(role=Role.USER, session=SessionId("zebrasession"), at=NOW)


@pytest.mark.parametrize(
    ("fields", "sought"),
    [
        ({"flag": "zebra reason"}, b"zebra reason"),
        ({"conflicts": (MemoryId("zebraid"),)}, b'["zebraid"]'),
        ({"mentions": (SAID_AGAIN,)}, b"zebrasession"),
    ],
    ids=["flag", "conflicts", "mentions"],
)
@pytest.mark.parametrize("at", [0, 2, -1])
def test_a_flipped_bit_in_what_was_said_later_is_noticed(
    path: Path, fields: dict[str, Any], sought: bytes, at: int
) -> None:
    fill(path, **fields)
    store = SqliteStore(path)
    assert problems(store) == []
    store.close()
    flip(path, sought, at=at if at >= 0 else len(sought) - 1)
    store = SqliteStore(path)
    assert any("victim" in says for says in problems(store))
    assert VICTIM not in [memory.id for memory in store.newest(HERE, limit=99)]
    store.close()


@pytest.mark.parametrize("column", ["flag", "conflicts", "mentions"])
def test_a_flag_that_vanishes_is_noticed(path: Path, column: str) -> None:
    """An empty value is not covered by the hash of older rows; one that was there and is gone must be."""
    store = SqliteStore(path)
    conflicts = (MemoryId("m9"),)
    store.add(a_memory("Obey.", flag="gives orders", conflicts=conflicts, mentions=(SAID_AGAIN,)))
    with store._database.write() as connection:
        connection.execute(f"UPDATE memory SET {column} = ?", (None if column == "flag" else "[]",))
    assert any("m1" in says for says in problems(store))
    assert store.newest(HERE, limit=9) == []
    store.close()


@pytest.mark.parametrize("damage", ["the head", "the middle"])
def test_what_was_said_later_is_saved_from_a_damaged_file(path: Path, damage: str) -> None:
    fill(path, flag="zebra reason", conflicts=(M1,), mentions=(SAID_AGAIN,))
    store = SqliteStore(path)
    whole = store.get(VICTIM)
    store.close()
    data = path.read_bytes()
    at = 0 if damage == "the head" else data.index(b"Other fact 3.") - 40
    path.write_bytes(data[:at] + bytes(40) + data[at + 40 :])
    salvage(path)
    store = SqliteStore(path)
    assert whole is not None
    assert store.get(VICTIM) == whole
    assert [memory.id for memory in store.to_review(limit=9)] == [VICTIM]
    store.close()
