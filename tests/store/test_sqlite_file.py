import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from recollect.domain.errors import StoreBusy, StoreError, StoreTooNew, StoreUnusable
from recollect.domain.memory import Viewer
from recollect.store.sqlite import database
from recollect.store.sqlite.migrations import MIGRATIONS, Migration
from recollect.store.sqlite.store import SqliteStore
from tests.builders import PROJECT, a_memory
from tests.searching import memories_found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "recollect.db"


def test_the_file_is_private_from_its_first_moment(path: Path) -> None:
    store = SqliteStore(path)
    store.add(a_memory("Private."))
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    store.close()
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert set(modes) == {f"recollect.db{suffix}" for suffix in ("", "-wal", "-shm", ".lock", ".waiting")}
    assert set(modes.values()) == {0o600}


def test_migrations_are_recorded_by_name_and_run_once(path: Path) -> None:
    for _ in range(2):
        SqliteStore(path).close()
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT name FROM migration ORDER BY number").fetchall() == [
            (migration.name,) for migration in MIGRATIONS
        ]


def test_a_migration_that_fails_leaves_nothing_behind(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = Migration("broken", ("CREATE TABLE half (x)", "CREATE TABLE half (x)"))
    monkeypatch.setattr(database, "MIGRATIONS", (*MIGRATIONS, broken))
    with pytest.raises(StoreError):
        SqliteStore(path)
    monkeypatch.undo()
    SqliteStore(path).close()
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'half'").fetchone() == (0,)


def test_a_database_of_a_newer_version_is_refused_and_untouched(path: Path) -> None:
    SqliteStore(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 999")
    with pytest.raises(StoreTooNew, match="newer Recollect"):
        SqliteStore(path)


def test_a_file_that_is_not_a_database_is_refused_and_untouched(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("A diary, not a database. " * 100)
    with pytest.raises(StoreUnusable, match="not a SQLite database"):
        SqliteStore(path)
    assert path.read_text().startswith("A diary")


def test_a_database_of_another_program_is_refused_and_untouched(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE memory (theirs)")
    with pytest.raises(StoreUnusable, match="another program"):
        SqliteStore(path)
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT name FROM sqlite_schema").fetchall() == [("memory",)]
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_a_name_that_sqlite_would_take_for_itself_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = SqliteStore(Path(":memory:"))
    store.add(a_memory("Kept."))
    assert memories_found(store, ["kept"], Viewer(project=PROJECT), limit=1, injectable=True)
    store.close()


def test_a_folder_in_the_place_of_the_file_is_said(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(StoreUnusable, match=r"recollect\.db"):
        SqliteStore(path)


def test_a_locked_database_is_said_after_the_wait(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_TIMEOUT_MS", 50)
    store = SqliteStore(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy, match="waited 50 ms"):
        store.add(a_memory("Too late."))
    other.execute("ROLLBACK")
    store.add(a_memory("In time."))
    store.close()
    other.close()


def test_many_that_open_a_new_database_at_once_all_find_it_ready(tmp_path: Path) -> None:
    def open_and_close(path: Path) -> None:
        SqliteStore(path).close()

    for number in range(15):
        path = tmp_path / str(number) / "recollect.db"
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(open_and_close, [path] * 8))


def test_after_many_have_read_at_once_only_a_few_connections_are_kept(path: Path) -> None:
    asked = 32
    opened = database.Database(path, resident=True)
    together = Barrier(asked)

    def read(_: int) -> int:
        with opened.read() as connection:
            together.wait(timeout=10)  # each has one of its own
            return int(connection.execute("SELECT 1").fetchone()[0])

    with ThreadPoolExecutor(asked) as pool:
        assert list(pool.map(read, range(asked))) == [1] * asked
    assert len(opened._idle_readers) == database.MAX_IDLE_READERS
    opened.close()
