"""What sessions leave for the next one, and how memories are used."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from recollect.domain.memory import MemoryId, SessionId
from recollect.domain.session import Note, NoteCode, Recap, Summary
from recollect.engine.ports import Store
from recollect.store.sqlite.salvage import salvage
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, OTHER_PROJECT, PROJECT, a_memory
from tests.requirements import covers
from tests.store.breaking import fill, flip, problems

NOTES = tuple(Note(code=code, text=f"the {code} of “zebras”; 日本語") for code in NoteCode)
SUMMARY = Summary(asked="a zebra", done=("tidied",), decided=("nothing",), files=("src/a b.py",), open=("all", "of it"))


def a_recap(session: str = "s1", *, minutes: int = 0, **fields: object) -> Recap:
    known: dict[str, object] = {"project": PROJECT, "notes": NOTES, "summary": SUMMARY}
    return Recap(session=SessionId(session), at=NOW + timedelta(minutes=minutes), **(known | fields))  # type: ignore[arg-type]


@covers("MEM-6", "MEM-7")
def test_what_a_session_left_reads_back_as_it_was_written(store: Store) -> None:
    assert store.recap(SessionId("s1")) is None
    for recap in (a_recap(), a_recap("s2", notes=()), a_recap("s3", summary=Summary())):
        store.keep_recap(recap)
        assert store.recap(recap.session) == recap


def test_a_session_leaves_one_thing(store: Store) -> None:
    store.keep_recap(a_recap())
    store.keep_recap(a_recap(notes=(), minutes=5))
    assert store.recaps(PROJECT, limit=9) == [a_recap(notes=(), minutes=5)]


def test_the_newest_of_a_project_come_first(store: Store) -> None:
    for n in (3, 1, 2):
        store.keep_recap(a_recap(f"s{n}", minutes=n))
    store.keep_recap(a_recap("other", project=OTHER_PROJECT))
    assert [recap.session for recap in store.recaps(PROJECT, limit=2)] == ["s3", "s2"]
    assert [recap.session for recap in store.recaps(OTHER_PROJECT, limit=9)] == ["other"]


def test_what_was_left_before_a_moment_can_be_dropped(store: Store) -> None:
    for n in range(4):
        store.keep_recap(a_recap(f"s{n}", minutes=n))
    store.drop_recaps_before(NOW + timedelta(minutes=2))
    assert [recap.session for recap in store.recaps(PROJECT, limit=9)] == ["s3", "s2"]


def test_what_sessions_left_moves_with_them(store: Store) -> None:
    store.keep_recap(a_recap())
    store.move_sessions([SessionId("s1"), SessionId("unknown")], OTHER_PROJECT)
    assert store.recap(SessionId("s1")) == a_recap(project=OTHER_PROJECT)
    assert store.recaps(PROJECT, limit=9) == []
    assert [finding.says for finding in store.check() if finding.advice] == []


def test_what_is_kept_is_there_for_the_next_process(reopen: Callable[[], Store]) -> None:
    reopen().keep_recap(a_recap())
    assert reopen().recap(SessionId("s1")) == a_recap()


@pytest.mark.parametrize("sought", [b"of \xe2\x80\x9czebras", b"a zebra"])
def test_a_flipped_bit_in_what_a_session_left_is_noticed_never_told_and_mended(tmp_path: Path, sought: bytes) -> None:
    path = tmp_path / "data" / "recollect.db"
    store = SqliteStore(path)
    store.keep_recap(a_recap())
    store.keep_recap(replace(a_recap("s2"), notes=(), summary=Summary(asked="else"), project=OTHER_PROJECT))
    store.close()
    flip(path, sought, at=4)
    store = SqliteStore(path)
    assert problems(store) == ["checksum mismatch in 1 rows: s1"]
    assert store.recap(SessionId("s1")) is None
    assert store.recaps(PROJECT, limit=9) == []
    store.mend()
    assert problems(store) == []
    assert store.recap(SessionId("s2")) is not None
    store.close()


@pytest.mark.parametrize("damage", ["the head", "the middle"])
def test_what_sessions_left_is_saved_from_a_damaged_file(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "data" / "recollect.db"
    fill(path)
    store = SqliteStore(path)
    store.keep_recap(a_recap())
    store.close()
    data = path.read_bytes()
    at = 0 if damage == "the head" else data.index(b"Other fact 3.") - 40
    path.write_bytes(data[:at] + bytes(40) + data[at + 40 :])
    salvage(path)
    store = SqliteStore(path)
    assert store.recap(SessionId("s1")) == a_recap()
    store.close()


def test_a_secret_that_an_older_version_left_in_a_note_is_found_and_taken_out(tmp_path: Path) -> None:
    key = "AKIA" + "QWERTYUIOPASDFGH"
    path = tmp_path / "data" / "recollect.db"
    store = SqliteStore(path)
    store.keep_recap(a_recap(notes=(Note(code=NoteCode.NEXT, text=f"use {key} there"),), summary=Summary(asked=key)))
    assert any("secret" in says for says in problems(store))
    store.mend()
    assert problems(store) == []
    recap = store.recap(SessionId("s1"))
    assert recap is not None
    assert "there" in recap.notes[0].text
    store.close()
    assert [file.name for file in path.parent.rglob("*") if file.is_file() and key.encode() in file.read_bytes()] == []


@covers("SCO-9")
def test_use_is_counted_and_leaves_everything_else_as_it_was(store: Store) -> None:
    memory = a_memory("The cache is Redis.", id=MemoryId("m1"))
    store.add(memory)
    store.add(a_memory("The queue is Redis.", id=MemoryId("m2")))
    store.note_use([MemoryId("m1")], [MemoryId("m2"), MemoryId("unknown")], NOW)
    store.note_use([MemoryId("m1")], [], NOW + timedelta(hours=1))
    store.note_feedback([MemoryId("m1")], 1)
    store.note_feedback([MemoryId("m1"), MemoryId("m2")], -1)
    used, unused = store.get(MemoryId("m1")), store.get(MemoryId("m2"))
    assert used is not None
    assert unused is not None
    assert (used.use.used, used.use.unused, used.use.feedback) == (2, 0, 0)
    assert (unused.use.used, unused.use.unused, unused.use.feedback) == (0, 1, -1)
    assert used.use.last_used_at == NOW + timedelta(hours=1)
    assert replace(used, use=memory.use) == memory
    assert [finding.says for finding in store.check() if finding.advice] == []
