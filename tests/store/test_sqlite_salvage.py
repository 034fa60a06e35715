"""A file that cannot be used any more: what can be read of it becomes a new database, and the file is kept."""

import random
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from recollect.domain.changes import ChangeAction
from recollect.domain.errors import StoreError, StoreUnusable
from recollect.domain.memory import MemoryId, MessageId, SessionId
from recollect.store.sqlite.salvage import salvage
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, PROJECT, a_memory, a_turn
from tests.searching import memories_found, turns_found
from tests.store import old_database
from tests.store.breaking import HERE, VICTIM, back_up, fill, problems, texts_found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "recollect.db"


CUTS = (0.9, 0.5, 0.2)


def half(data: bytes) -> bytes:
    return data[: len(data) // 2]


def garbage_in_the_middle(data: bytes) -> bytes:
    middle = len(data) // 2 // 4096 * 4096
    return data[:middle] + b"\xa5" * 3 * 4096 + data[middle + 3 * 4096 :]


def without_header(data: bytes) -> bytes:
    return b"\x00" * 4096 + data[4096:]


OTHERS = 900  # so that the rows, not the empty tables, are most of the file

BREAKS: dict[str, Callable[[bytes], bytes]] = {
    **{f"cut at {part}": lambda data, part=part: data[: int(len(data) * part)] for part in CUTS},  # type: ignore[misc]
    "cut inside a page": lambda data: data[: len(data) // 2 + 777],
    "garbage in the middle": garbage_in_the_middle,
    "no header": without_header,
    "empty": lambda _: b"",
    "no database at all": lambda _: b"A diary. " * 9_000,
}


@pytest.mark.parametrize("how", BREAKS)
@pytest.mark.parametrize("has_backup", [False, True], ids=["no backup", "a backup"])
def test_of_a_broken_file_what_can_be_read_becomes_a_new_database(path: Path, how: str, has_backup: bool) -> None:
    fill(path, others=OTHERS)
    if has_backup:
        back_up(path)
    store = SqliteStore(path)
    for n in range(OTHERS, OTHERS + 20):
        store.add(a_memory(f"After the backup {n}.", id=MemoryId(f"m{n}")))
    store.add_turns([a_turn("Said and archived.")])
    store.close()
    broken = BREAKS[how](path.read_bytes())
    path.write_bytes(broken)

    (finding,) = salvage(path)
    (kept,) = (file for file in path.parent.glob("*damaged*") if not file.name.endswith(("-wal", "-shm")))
    assert str(kept) in finding.advice
    assert kept.read_bytes() == broken
    assert sorted(file.name for file in path.parent.glob("*salvaged*")) == []
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    store = SqliteStore(path)
    assert problems(store) == []
    texts = {memory.id: memory.text for memory in store.everything()}
    assert all(text == "Auth uses a zebra token." or text.startswith(("Other", "After")) for text in texts.values())
    assert len(texts) >= (OTHERS + 1 if has_backup else LEAST_READ.get(how, 0))
    assert len(texts_found(store, "fact")) > 0 or not texts
    store.add(a_memory("And on it goes.", id=MemoryId("on")))
    store.close()


LEAST_READ = {
    "cut at 0.9": 450,
    "cut at 0.5": 150,
    "cut inside a page": 150,
    "garbage in the middle": 600,
}  # of 921, without a backup


def test_a_broken_page_costs_only_what_was_on_it(path: Path) -> None:
    fill(path, others=300)
    with closing(sqlite3.connect(path)) as connection:
        pages = connection.execute("SELECT pageno FROM dbstat WHERE name = 'memory' AND pagetype = 'leaf'").fetchall()
        ((rows,),) = connection.execute("SELECT ncell FROM dbstat WHERE pageno = ?", pages[len(pages) // 2]).fetchall()
    data = bytearray(path.read_bytes())
    start = (pages[len(pages) // 2][0] - 1) * 4096
    data[start : start + 4096] = b"\xa5" * 4096
    path.write_bytes(data)
    salvage(path)
    store = SqliteStore(path)
    assert store.count() == 301 - rows
    store.close()


def test_a_broken_database_of_an_older_version_is_salvaged_too(path: Path) -> None:
    old_database.make(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        ((page,),) = connection.execute(
            "SELECT pageno FROM dbstat WHERE name = 'memory_words_content' AND pagetype = 'leaf'"
        ).fetchall()
    data = bytearray(path.read_bytes())
    data[(page - 1) * 4096 : page * 4096] = b"\xa5" * 4096
    path.write_bytes(data)
    salvage(path)
    store = SqliteStore(path)
    assert problems(store) == []
    assert [memory.id for memory in store.everything()] == [row[0] for row in old_database.ROWS]
    assert texts_found(store, "jwt") == ["Auth uses JWT."]
    assert store.find_sent(SessionId("s1"), [MessageId("m1")])
    store.close()


def test_what_was_purged_does_not_come_back_from_a_backup(path: Path) -> None:
    fill(path)
    back_up(path)
    store = SqliteStore(path)
    store.purge([VICTIM])  # and a crash before the backup was rewritten
    store.close()
    salvage(path)
    store = SqliteStore(path)
    assert store.get(VICTIM) is None
    assert store.count() == 60
    store.close()


def test_there_must_be_something_to_salvage(path: Path) -> None:
    path.parent.mkdir()
    with pytest.raises(StoreUnusable, match="There is no database"):
        salvage(path)
    assert list(path.parent.iterdir()) == []


def test_a_damaged_structure_is_told_when_it_is_met(path: Path) -> None:
    fill(path, others=300)
    path.write_bytes(half(path.read_bytes()))
    with pytest.raises(StoreUnusable, match=r"is damaged.*recollect doctor --repair.*kept beside it"):
        list(SqliteStore(path).everything())


def test_whatever_byte_is_changed_the_rest_is_read_or_it_is_said_and_can_be_repaired(path: Path) -> None:
    fill(path)
    store = SqliteStore(path)
    store.add_turns([a_turn(f"About fact {n}.", message=f"m{n}") for n in range(20)])
    for n in range(20):
        store.note_memory_change(
            store.begin_change(ChangeAction.FORGET, NOW, "cli"), MemoryId(f"m{n}"), a_memory(f"Before {n}.")
        )
    store.close()
    whole, chance = path.read_bytes(), random.Random(11)
    with closing(sqlite3.connect(path)) as connection:
        ((schema,),) = connection.execute("SELECT max(pageno) FROM dbstat WHERE name = 'sqlite_schema'").fetchall()
    for _ in range(60):
        data = bytearray(whole)
        where = chance.randrange(schema * 4096, len(data))
        data[where] ^= 1 << chance.randrange(8)
        path.write_bytes(data)
        assert repaired(path) == [], f"byte {where}"


def repaired(path: Path) -> list[str]:
    """What is still wrong after reading all there is, and the repair that a person would be told to make."""
    store = SqliteStore(path)
    for read in (
        lambda: store.newest(HERE, limit=99),
        lambda: memories_found(store, ["fact"], HERE, limit=99, injectable=True),
        lambda: list(store.everything()),
        lambda: turns_found(store, ["fact"], PROJECT, limit=99),
        lambda: store.recent_changes(limit=99),
        store.projects,
    ):
        with suppress(StoreError):
            read()
    with suppress(StoreError):
        if problems(store):
            store.mend()
    if problems(store):
        store.close()
        salvage(path)
        store = SqliteStore(path)
    left = problems(store)
    assert store.count() >= 30
    store.close()
    for kept in path.parent.glob("*damaged*"):
        kept.unlink()
    return left
