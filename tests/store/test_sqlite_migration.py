"""A database of an older version: migrated once, as a whole, and only after a backup."""

import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier

import pytest

from recollect.domain.errors import StoreError, StoreUnusable
from recollect.domain.health import Health
from recollect.domain.memory import Kind, MemoryId, MessageId, ProjectId, SessionId, Viewer
from recollect.store.sqlite import database
from recollect.store.sqlite.migrations import MIGRATIONS, Migration
from recollect.store.sqlite.store import SqliteStore
from recollect.text.words import index_words
from tests import mounts
from tests.builders import PROJECT, a_draft
from tests.counting import count_unembedded
from tests.searching import memories_found, turns_found
from tests.store import old_database
from tests.vectors import MODEL, asking, at_cosine, embed_all

HERE = Viewer(project=PROJECT)
BROKEN = Migration("broken", ("CREATE TABLE half (x)", "CREATE TABLE half (x)"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "data" / "recollect.db"
    old_database.make(made)
    return made


def backups(path: Path) -> list[Path]:
    return sorted((path.parent / "backups").iterdir()) if (path.parent / "backups").exists() else []


def found(store: SqliteStore, query: str, viewer: Viewer = HERE, *, injectable: bool = True) -> list[str]:
    return [memory.id for memory in memories_found(store, index_words(query), viewer, limit=9, injectable=injectable)]


def test_what_an_older_version_wrote_is_all_there_and_found(path: Path) -> None:
    store = SqliteStore(path)
    assert [finding.health for finding in store.check()] == [Health.FINE]
    kept = [(m.id, m.text, m.kind, str(m.scope), m.sensitivity, m.superseded_by) for m in store.everything()]
    assert kept == list(old_database.ROWS)
    plain = store.get(MemoryId("plain"))
    assert plain is not None
    assert (plain.aliases, plain.seen, plain.confidence, plain.source.host) == (("alias",), 2, 0.5, "cli")
    assert (plain.evidence, plain.anchors, plain.use.shown, plain.forgotten_at) == ((), (), 0, None)
    assert store.find_same(a_draft("auth  USES jwt.")) == plain
    store.close()


def test_after_a_migration_everybody_sees_what_they_may_see(path: Path) -> None:
    store = SqliteStore(path)
    assert found(store, "jwt") == ["plain"]
    assert found(store, "port") == ["new"]
    assert found(store, "überblick") == ["public"]
    assert (found(store, "vault"), found(store, "vault", injectable=False)) == ([], ["vault"])
    assert found(store, "tabs") == []
    assert found(store, "tabs", Viewer(project=PROJECT, shares_preferences=True)) == ["pref"]
    assert {memory.id for memory in store.newest(HERE, limit=9)} == {"plain", "new", "public", "vault"}
    sharing = Viewer(project=ProjectId("new"), shares_preferences=True)
    assert [memory.id for memory in store.newest(sharing, limit=9, kinds=[Kind.PREFERENCE])] == ["pref"]
    store.close()


@pytest.mark.parametrize("version", [2, 3, 4])
def test_after_a_migration_everything_waits_for_its_meaning_and_is_found_by_it(tmp_path: Path, version: int) -> None:
    old_database.make(tmp_path / "old" / "recollect.db", version)
    store = SqliteStore(tmp_path / "old" / "recollect.db")
    said = [row[1] for row in old_database.ROWS] + list(old_database.TURNS if version > 2 else ())
    assert count_unembedded(store, MODEL) == len(said)
    assert sorted(embed_all(store, lambda of: at_cosine(0.9 if "JWT" in of.text else 0.1))) == sorted(said)
    (near,) = store.search(store.look_up([], HERE), asking(), limit=9)
    assert near.memory.id == "plain"
    assert [turn.text for turn in turns_found(store, ["jwt"], PROJECT, limit=9)] == said[len(old_database.ROWS) :][:1]
    assert [finding.health for finding in store.check()] == [Health.FINE]
    store.close()
    (backup,) = (tmp_path / "old" / "backups").iterdir()
    assert backup.name.startswith(f"schema-{version:03}-")


def test_after_a_migration_a_message_is_replayed_with_what_it_was_sent_with(path: Path) -> None:
    store = SqliteStore(path)
    (sent,) = store.find_sent(SessionId("s1"), [MessageId("m1")])
    assert (sent.injection.block, sent.injection.ids) == (old_database.BLOCK, ("plain",))
    assert store.session_ids_in(PROJECT) == ["s1"]
    store.close()


def test_a_migration_leaves_a_backup_of_the_old_state(path: Path) -> None:
    SqliteStore(path).close()
    (backup,) = backups(path)
    assert backup.name.startswith("schema-002-")
    assert stat.S_IMODE(backup.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert old_database.rows(backup) == list(old_database.ROWS)
    assert backups(path) == [backup], "reading it leaves nothing beside it"
    SqliteStore(path).close()
    assert backups(path) == [backup], "there is nothing to back up when nothing is migrated"


def test_a_new_database_needs_no_backup(tmp_path: Path) -> None:
    SqliteStore(tmp_path / "new" / "recollect.db").close()
    beside = {"recollect.db.lock", "recollect.db.waiting"}
    assert {file.name for file in (tmp_path / "new").iterdir()} == {"recollect.db", *beside}


def test_only_the_newest_backups_stay(path: Path) -> None:
    (path.parent / "backups").mkdir(mode=0o700)
    for year in range(2021, 2026):
        (path.parent / "backups" / f"schema-001-{year}0101T000000.db").touch()
    SqliteStore(path).close()
    *older, newest = [backup.name for backup in backups(path)]
    assert older == ["schema-001-20240101T000000.db", "schema-001-20250101T000000.db"]
    assert newest.startswith("schema-002-")


def test_a_migration_that_fails_at_every_start_keeps_the_backups_of_earlier_versions(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path.parent / "backups").mkdir(mode=0o700)
    (path.parent / "backups" / "schema-001-20250101T000000.db").touch()
    monkeypatch.setattr(database, "MIGRATIONS", (*MIGRATIONS[:2], BROKEN))
    for second in range(5):
        monkeypatch.setattr("time.strftime", lambda *_, n=second: f"20260101T00000{n}")
        with pytest.raises(StoreError):
            SqliteStore(path)
    assert [backup.name for backup in backups(path)] == [
        "schema-001-20250101T000000.db",
        "schema-002-20260101T000004.db",
    ]


def test_a_migration_that_fails_leaves_the_database_as_it_was_and_keeps_the_backup(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "MIGRATIONS", (*MIGRATIONS[:2], BROKEN))
    with pytest.raises(StoreError):
        SqliteStore(path)
    assert old_database.rows(path) == list(old_database.ROWS)
    (backup,) = backups(path)
    assert old_database.rows(backup) == list(old_database.ROWS)
    monkeypatch.undo()
    store = SqliteStore(path)
    assert found(store, "jwt") == ["plain"]
    store.close()


@mounts.needs_mounts
def test_where_there_is_no_space_for_a_backup_nothing_is_migrated(tmp_path: Path) -> None:
    with mounts.small_disk(tmp_path / "small") as disk:
        path = disk.folder / "data" / "recollect.db"
        old_database.make(path)
        disk.fill()
        with pytest.raises(StoreUnusable, match=r"disk full|free space"):
            SqliteStore(path)
        assert backups(path) == []
        disk.free()
        assert old_database.rows(path) == list(old_database.ROWS)
        SqliteStore(path).close()
        assert len(backups(path)) == 1


def test_a_row_that_a_stricter_version_refuses_hides_itself_alone(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE memory SET host = '' WHERE id = 'plain'")
    store = SqliteStore(path)
    assert {memory.id for memory in store.newest(HERE, limit=9)} == {"new", "public", "vault"}
    assert any("plain" in finding.says for finding in store.check())
    store.close()


def test_many_that_open_an_old_database_at_once_migrate_it_once(path: Path) -> None:
    together = Barrier(6)

    def open_and_count(_: int) -> int:
        together.wait(timeout=30)
        store = SqliteStore(path)
        try:
            return store.count()
        finally:
            store.close()

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(open_and_count, range(6))) == [len(old_database.ROWS)] * 6
    assert len(backups(path)) == 1
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM migration").fetchone() == (len(MIGRATIONS),)
