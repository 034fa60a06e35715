"""Backups and other copies beside the database hold nothing of what was forgotten either."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from recollect.domain.memory import MemoryId, SessionId
from recollect.domain.session import Session
from recollect.store.sqlite.salvage import salvage
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, PROJECT, a_memory, a_turn
from tests.counting import count_turns
from tests.searching import turns_found
from tests.store import old_database
from tests.store.forgetting.victim import (
    OTHERS,
    VICTIM,
    among_others,
    back_up,
    engine_on,
    left_in,
    left_of,
    the_victim,
)

S1 = SessionId("s1")


def test_an_old_backup_and_one_that_was_never_finished_hold_nothing_either(path: Path) -> None:
    old_database.make(path)
    store = SqliteStore(path)  # migrates, and keeps a backup
    unfinished = path.parent / "backups" / "schema-003-20260101T000000.part"
    unfinished.write_bytes(b"Auth uses JWT.")
    assert engine_on(store).forget_now([MemoryId("plain")], at=NOW, by="cli").is_clean
    store.close()
    (backup,) = (path.parent / "backups").iterdir()
    assert [row[0] for row in old_database.rows(backup)] == [row[0] for row in old_database.ROWS if row[0] != "plain"]
    for file in (path, backup):
        assert b"JWT" not in file.read_bytes()
        assert b"jwt" not in file.read_bytes()


@pytest.mark.parametrize("version", [3, 4])
def test_what_an_older_backup_quotes_is_cut_out_of_it(path: Path, version: int) -> None:
    old_database.make(path, version)
    store = SqliteStore(path)  # migrates, and keeps a backup
    (backup,) = (path.parent / "backups").iterdir()
    assert b"JWT" in backup.read_bytes()
    assert engine_on(store).forget_now([MemoryId("plain")], at=NOW, by="cli").is_clean
    assert turns_found(store, ["forgotten"], PROJECT, limit=5) != []
    store.close()
    for file in (path, backup):
        assert [word for word in (b"JWT", b"jwt") if word in file.read_bytes()] == [], file.name
    with closing(sqlite3.connect(backup)) as kept:
        assert kept.execute("SELECT text FROM turn ORDER BY n").fetchall() == [
            ("As agreed: [forgotten]. Right?",),
            ("Right.",),
        ]
        assert kept.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_what_was_kept_aside_as_damaged_is_cleaned_too(path: Path, open_store: Callable[[], SqliteStore]) -> None:
    store, victim = open_store(), the_victim()
    among_others(store, victim)
    store.close()
    data = path.read_bytes()
    path.write_bytes(data.replace(b"quokka password", b"quokka passwerd"))
    mended = open_store()
    mended.mend()
    mended.close()
    assert left_of(victim, path.parent), "it stands in damaged-*.jsonl"
    salvage(path)  # and the whole file once more beside it
    store = open_store()
    store.add(victim)
    assert engine_on(store).forget_now([VICTIM], at=NOW, by="cli").is_clean
    assert left_of(victim, path.parent) == set()
    assert store.count() == OTHERS


def test_rows_that_were_kept_aside_go_whole_and_alone(path: Path, store: SqliteStore) -> None:
    victim = replace(the_victim(), text='Two "lines"\u2028of the quokka password.')
    store.add(victim)
    rows = [
        {"table": "memory", "id": VICTIM, "text": victim.text},
        {"table": "change", "memory": "another", "before": json.dumps({"text": victim.text})},
        {"table": "memory", "id": "other", "text": "Something else."},
    ]
    aside = path.parent / "damaged-20260101T000000.jsonl"
    aside.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    assert engine_on(store).forget_now([VICTIM], at=NOW, by="cli").is_clean
    assert [json.loads(line)["id"] for line in aside.read_text().splitlines()] == ["other"]


def test_what_a_repair_left_unfinished_goes_too(path: Path, store: SqliteStore) -> None:
    store.add(the_victim())
    left = path.with_name("recollect.db.salvaged")
    left.write_bytes(the_victim().text.encode())
    assert engine_on(store).forget_now([VICTIM], at=NOW, by="cli").is_clean
    assert not left.exists()


def test_traces_of_somebody_else_are_left_to_be_cleaned(path: Path, store: SqliteStore) -> None:
    for n in range(2):
        store.add(a_memory(f"Fact {n}.", id=MemoryId(f"m{n}")))
    said = store.purge([MemoryId("m0")])
    with sqlite3.connect(path) as connection:  # another process purges meanwhile, and dies
        connection.execute(
            "CREATE TRIGGER meanwhile AFTER DELETE ON trace WHEN old.memory = 'm0' "
            "BEGIN INSERT INTO trace VALUES ('m1'); END"
        )
    connection.close()
    store.scrub(said)
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT memory FROM trace").fetchall() == [("m1",)]
    connection.close()


def test_a_backup_that_has_it_and_cannot_be_rewritten_is_not_kept(path: Path, store: SqliteStore) -> None:
    store.add(the_victim())
    broken = path.parent / "backups" / "schema-004-20260101T000000.db"
    broken.parent.mkdir(mode=0o700)
    broken.write_bytes(b"not a database, but it says: " + the_victim().text.encode())
    assert engine_on(store).forget_now([VICTIM], at=NOW, by="cli").is_clean
    assert not broken.exists()


@pytest.mark.parametrize("version", [2, 3, 4])
def test_an_older_backup_has_nothing_of_a_deleted_session(path: Path, version: int) -> None:
    old_database.make(path, version)
    store = SqliteStore(path)  # migrates, and keeps a backup
    (backup,) = (path.parent / "backups").iterdir()
    store.begin_session(Session(id=S1, host="opencode", project=PROJECT, language=None, started_at=NOW))
    assert store.delete_session(S1)
    assert store.scrub()
    store.close()
    with closing(sqlite3.connect(backup)) as kept:
        assert kept.execute("SELECT count(*) FROM memory").fetchone() == (len(old_database.ROWS),)
        tables = {name for (name,) in kept.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        for table in tables & {"turn", "injection"}:
            assert kept.execute(f"SELECT count(*) FROM {table} WHERE session = 's1'").fetchone() == (0,)
        assert kept.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_rows_of_a_deleted_session_that_were_kept_aside_go_and_its_memories_stay(
    path: Path, store: SqliteStore
) -> None:
    store.begin_session(Session(id=S1, host="opencode", project=PROJECT, language=None, started_at=NOW))
    rows = [
        {"table": "turn", "session": "s1", "text": "The quokka password."},
        {"table": "memory", "id": "kept", "session": "s1", "text": "Something else."},
        {"table": "turn", "session": "s2", "text": "Another one."},
    ]
    aside = path.parent / "damaged-20260101T000000.jsonl"
    broken = '{"table": "turn", "session": "s1", "te'
    aside.write_text("".join(json.dumps(row) + "\n" for row in rows) + broken)
    store.delete_session(S1)
    assert store.scrub()
    assert [json.loads(line)["table"] for line in aside.read_text().splitlines()] == ["memory", "turn"]


def test_a_crash_after_a_session_was_deleted_is_made_good(path: Path, open_store: Callable[[], SqliteStore]) -> None:
    store = open_store()
    store.begin_session(Session(id=S1, host="opencode", project=PROJECT, language=None, started_at=NOW))
    store.add_turns([a_turn("The quokka password hides behind the marmot painting.", session="s1")])
    back_up(path, "schema-009-20260101T000000")
    store.delete_session(S1)
    store.close()
    assert left_in(path.parent, [b"quokka"]), "nobody has cleaned up yet"
    engine_on(open_store()).tidy(NOW)
    assert left_in(path.parent, [b"quokka", b"marmot"]) == set()


def test_a_salvaged_database_does_not_bring_a_deleted_session_back(
    path: Path, open_store: Callable[[], SqliteStore]
) -> None:
    store = open_store()
    store.begin_session(Session(id=S1, host="opencode", project=PROJECT, language=None, started_at=NOW))
    store.add_turns([a_turn("The quokka password.", session="s1"), a_turn("Another one.", session="s2")])
    back_up(path, "schema-009-20260101T000000")
    store.delete_session(S1)
    store.close()
    salvage(path)
    assert count_turns(open_store()) == 1
