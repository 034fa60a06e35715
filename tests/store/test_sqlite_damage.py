"""What the disk changed behind our back: noticed row by row, never shown, mended from a backup or kept aside."""

import json
import sqlite3
import stat
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from recollect.domain.changes import ChangeAction
from recollect.domain.errors import StoreUnusable
from recollect.domain.health import Finding
from recollect.domain.injection import Injection, LogEntry, Placement
from recollect.domain.memory import MemoryId, MessageId, SessionId
from recollect.domain.session import Session
from recollect.store.sqlite import index
from recollect.store.sqlite.database import Database
from recollect.store.sqlite.rows import DamagedRow, memory_of, memory_row
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, PROJECT, a_draft, a_memory, a_turn
from tests.counting import count_turns
from tests.searching import turns_found
from tests.store import old_database
from tests.store.breaking import HERE, VICTIM, back_up, fill, flip, problems, texts_found

LONG = "The quokka rests. " * 800  # several pages of overflow


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "recollect.db"


@pytest.mark.parametrize(
    ("text", "sought", "at"),
    [
        ("Auth uses a zebra token.", b"zebra token", 3),
        (f"zebra {LONG} in the overflow the walrus hides", b"the walrus hides", 4),
    ],
    ids=["on its page", "in an overflow page"],
)
@pytest.mark.parametrize("to", [None, b"\xff"], ids=["another letter", "no letter"])
class TestAFlippedByte:
    def test_hides_the_memory_alone_and_is_told(
        self, path: Path, text: str, sought: bytes, at: int, to: bytes | None
    ) -> None:
        fill(path, text)
        flip(path, sought, at=at, to=to)
        store = SqliteStore(path)
        assert texts_found(store, "zebra") == []
        newest = [memory.id for memory in store.newest(HERE, limit=99)]
        assert (len(newest), VICTIM in newest) == (60, False)
        assert len(list(store.everything())) == 60
        with pytest.raises(StoreUnusable, match=r"'victim' is damaged.*recollect doctor --repair"):
            store.get(VICTIM)
        assert store.find_same(a_draft(text)) is None
        assert any("victim" in says for says in problems(store))
        store.close()

    def test_is_mended_from_a_backup(self, path: Path, text: str, sought: bytes, at: int, to: bytes | None) -> None:
        fill(path, text)
        back_up(path)
        flip(path, sought, at=at, to=to)
        store = SqliteStore(path)
        assert "1 damaged rows: 1 restored" in said_by(store.mend())
        assert texts_found(store, "zebra") == [text]
        assert store.count() == 61
        assert problems(store) == []
        store.close()

    def test_is_kept_aside_where_no_backup_has_it(
        self, path: Path, text: str, sought: bytes, at: int, to: bytes | None
    ) -> None:
        fill(path, text)
        flip(path, sought, at=at, to=to)
        store = SqliteStore(path)
        assert "0 restored" in said_by(store.mend())
        assert store.get(VICTIM) is None
        assert store.count() == 60
        assert problems(store) == []
        store.close()
        (aside,) = path.parent.glob("damaged-*.jsonl")
        assert stat.S_IMODE(aside.stat().st_mode) == 0o600
        (line,) = map(json.loads, aside.read_text().splitlines())
        assert (line["table"], line["id"]) == ("memory", "victim")
        assert line["text"].startswith(text[:4])


def said_by(findings: list[Finding]) -> str:
    return "\n".join(finding.says for finding in findings)


def test_a_backup_from_before_the_migration_mends_too(path: Path) -> None:
    old_database.make(path)
    SqliteStore(path).close()
    flip(path, b"Auth uses JWT.", at=3)
    store = SqliteStore(path)
    assert "1 restored" in said_by(store.mend())
    assert texts_found(store, "jwt") == ["Auth uses JWT."]
    assert problems(store) == []
    store.close()


def test_what_was_forgotten_since_the_backup_stays_forgotten(path: Path) -> None:
    fill(path)
    back_up(path)
    store = SqliteStore(path)
    store.update(a_memory("Auth uses a zebra token.", id=VICTIM, forgotten_at=NOW))
    store.close()
    flip(path, b"zebra token", at=3)
    store = SqliteStore(path)
    store.mend()
    assert texts_found(store, "zebra") == []
    assert store.find_forgotten_before(NOW) == [VICTIM]
    store.close()


def test_what_is_damaged_can_be_said_again_and_forgotten(path: Path) -> None:
    fill(path)
    flip(path, b"zebra token", at=3)
    store = SqliteStore(path)
    store.add(a_memory("Auth uses a zebra token.", id=MemoryId("again")))
    assert texts_found(store, "zebra") == ["Auth uses a zebra token."]
    store.purge([VICTIM])
    assert problems(store) == ["1 memories or sessions may have left traces in the file, its log or a backup"]
    store.close()


def test_a_counter_that_cannot_be_does_not_hide_what_was_said(path: Path) -> None:
    fill(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE memory SET shown = -7, last_shown_ms = ? WHERE id = 'victim'", (1 << 62,))
    store = SqliteStore(path)
    assert texts_found(store, "zebra") == ["Auth uses a zebra token."]
    store.close()


def test_a_damaged_block_is_as_good_as_not_sent(path: Path) -> None:
    def sent(block: str) -> LogEntry:
        shown = Injection(placement=Placement.MESSAGE, block=block)
        return LogEntry(
            session=SessionId("s1"), context=0, message=MessageId("m1"), injection=shown, at=NOW, took_ms=1.0
        )

    store = SqliteStore(path)
    store.record(sent("The zebra block."))
    store.close()
    flip(path, b"zebra block", at=2)
    store = SqliteStore(path)
    assert problems(store) == ["checksum mismatch in 1 rows: s1/m1"]
    assert store.find_sent(SessionId("s1"), [MessageId("m1")]) == []
    assert store.log_of_context(SessionId("s1"), 0) == []
    assert store.record(sent("Another one.")).injection.block == "Another one."
    assert problems(store) == []
    store.close()


def test_a_damaged_turn_is_not_found(path: Path) -> None:
    store = SqliteStore(path)
    store.add_turns([a_turn("The zebra said so.", message="m1"), a_turn("Another said so.", message="m2")])
    store.close()
    flip(path, b"zebra said", at=2)
    store = SqliteStore(path)
    assert [turn.message for turn in turns_found(store, ["said"], PROJECT, limit=5)] == ["m2"]
    assert problems(store) == ["checksum mismatch in 1 rows: s1/m1"]
    store.mend()
    assert problems(store) == []
    assert count_turns(store) == 1
    store.close()


def test_damaged_history_is_told_and_taken_out(path: Path) -> None:
    store = SqliteStore(path)
    deed = store.begin_change(ChangeAction.REMEMBER, NOW, "cli")
    store.note_memory_change(deed, VICTIM, a_memory("The zebra was striped.", id=VICTIM))
    store.note_memory_change(deed, MemoryId("other"), a_memory("Another.", id=MemoryId("other")))
    store.close()
    flip(path, b"zebra was", at=2)
    store = SqliteStore(path)
    assert problems(store) == ["checksum mismatch in 1 rows: victim"]
    with pytest.raises(StoreUnusable, match="history of the memory 'victim' is damaged"):
        store.memory_changes_of(VICTIM)
    store.mend()
    assert problems(store) == []
    assert [change.memory for change in store.memory_changes_in(deed)] == ["other"]
    store.close()


def test_a_damaged_index_is_told_and_made_anew(path: Path) -> None:
    fill(path)
    flip(path, b"zebra token", at=3)  # the first is the row; the index has its own words
    flip(path, bytes([b"zebra token"[3] ^ 1]).join([b"zeb", b"a token"]), at=3)
    data = path.read_bytes()
    assert data.count(b"zebra") >= 2, "the words of the index stand in the file too"
    place = index.places_of(a_memory("Any."))[0].encode()
    flip(path, place + b"auth " + place + b"use", at=len(place) + 1)
    store = SqliteStore(path)
    assert any("memory_words is damaged" in says for says in problems(store))
    store.mend()
    assert problems(store) == []
    assert texts_found(store, "auth") == ["Auth uses a zebra token."]
    store.close()


def test_a_row_that_is_missing_in_the_index_is_told_and_found_after_mending(path: Path) -> None:
    fill(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM memory_words WHERE rowid = (SELECT n FROM memory WHERE id = 'victim')")
    store = SqliteStore(path)
    assert problems(store) == ["1 rows of memory do not match their index"]
    store.mend()
    assert texts_found(store, "zebra") == ["Auth uses a zebra token."]
    store.close()


def test_files_that_others_can_read_are_told_and_made_private(path: Path) -> None:
    fill(path)
    back_up(path)
    (backup,) = (path.parent / "backups").iterdir()
    for file in (path, backup):
        file.chmod(0o644)
    store = SqliteStore(path)
    assert {says.rpartition(" can be ")[2] for says in problems(store)} == {"read by others"}
    store.mend()
    assert problems(store) == []
    store.close()


def test_a_memory_whose_id_is_damaged_is_known_by_its_hash(path: Path) -> None:
    fill(path)
    back_up(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE memory SET id = 'victin' WHERE id = 'victim'")
    store = SqliteStore(path)
    assert any("victin" in says for says in problems(store))
    store.mend()
    assert problems(store) == []
    assert texts_found(store, "zebra") == ["Auth uses a zebra token."]
    assert store.get(VICTIM) is not None
    store.close()


@pytest.mark.parametrize("harm", ["kind = 'rememjer'", "detail = 'x'", "at_ms = 1 << 62"])
def test_a_damaged_deed_hides_itself_alone_and_is_taken_out(path: Path, harm: str) -> None:
    store = SqliteStore(path)
    for n in range(3):
        deed = store.begin_change(ChangeAction.REMEMBER, NOW, "cli")
        store.note_memory_change(deed, MemoryId(f"m{n}"), None)
    store.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE deed SET {harm} WHERE n = 2")
    store = SqliteStore(path)
    assert [deed.id for deed in store.recent_changes(limit=9)] == [3, 1]
    with pytest.raises(StoreUnusable, match="damaged"):
        store.memory_changes_of(MemoryId("m1"))
    assert problems(store) == ["checksum mismatch in 1 rows: 2"]
    store.mend()
    assert problems(store) == []
    assert store.memory_changes_of(MemoryId("m1")) == []
    store.close()


def test_a_check_while_others_write_finds_nothing_wrong(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process writes just before each statement that looks at an index."""
    fill(path, others=5)
    writer = SqliteStore(path)
    written: list[str] = []
    connect = Database._connect

    def write(statement: str) -> None:
        if "SELECT id FROM memory_words_docsize" in statement:
            written.append(f"w{len(written)}")
            writer.add(a_memory("Written meanwhile.", id=MemoryId(written[-1])))

    def watched(database: Database) -> sqlite3.Connection:
        connection = connect(database)
        connection.set_trace_callback(write)
        return connection

    monkeypatch.setattr(Database, "_connect", watched)
    checker = SqliteStore(path)
    assert [said for said in problems(checker) if "index" in said] == []
    assert written
    writer.close()
    checker.close()


@pytest.mark.parametrize("column", ["scope", "kind", "tier", "anchors", "aliases"])
def test_a_value_of_the_wrong_form_damages_its_row_alone(column: str) -> None:
    wrong = "5" if column in ("anchors", "aliases") else "[]"
    with pytest.raises(DamagedRow, match="cannot be read"):
        memory_of({**memory_row(a_memory()), column: wrong, "hash": ""})  # an empty hash is not checked


@pytest.mark.parametrize("column", ["anchors", "mentions"])
@pytest.mark.parametrize("entry", ['{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7}', "5", '"abc"', "null"])
def test_an_entry_of_the_wrong_form_damages_its_row_alone(column: str, entry: str) -> None:
    with pytest.raises(DamagedRow, match="cannot be read"):
        memory_of({**memory_row(a_memory()), column: f"[{entry}]", "hash": ""})


def test_a_session_that_cannot_be_read_is_told(path: Path) -> None:
    store = SqliteStore(path)
    store.begin_session(Session(id=SessionId("s1"), host="pipe", project=PROJECT, language=None, started_at=NOW))
    with store._database.write() as connection:
        connection.execute("UPDATE session SET started_ms = 1 << 62")
    with pytest.raises(DamagedRow, match="time in the database"):
        store.session(SessionId("s1"))
    store.close()


@pytest.mark.parametrize("name", ["importance", "confidence", "durability"])
def test_a_negative_zero_is_stored_as_zero(path: Path, name: str) -> None:
    store = SqliteStore(path)
    store.add(replace(a_memory(), **{name: -0.0}))  # type: ignore[arg-type]
    (known,) = store.everything()
    assert str(getattr(known, name)) == "0.0"
    assert problems(store) == []
    store.close()


def test_a_damaged_old_version_of_a_memory_hides_no_other_edit(path: Path) -> None:
    store = SqliteStore(path)
    for name in ("m1", "m2"):
        memory = a_memory("Auth uses JWT.", id=MemoryId(name))
        store.add(memory)
        change = store.begin_change(ChangeAction.EDIT, NOW, "cli")
        store.note_memory_change(change, memory.id, memory)
        store.update(replace(memory, text="Auth uses PASETO."))
    with store._database.write() as connection:
        connection.execute("UPDATE change SET before = substr(before, 1, 9) WHERE memory = 'm1'")
    edited = store.find_edited({MemoryId(name): NOW - timedelta(days=1) for name in ("m1", "m2")})
    assert [memory.id for memory in edited] == ["m2"]
    store.close()
