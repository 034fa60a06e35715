"""What the disk changed behind our back: noticed row by row, never shown, mended from a backup or kept aside."""

import json
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from recollect.domain.errors import StoreUnusable
from recollect.domain.health import Finding, Health
from recollect.domain.history import DeedKind
from recollect.domain.injection import Injection, Placement, Sent
from recollect.domain.memory import MemoryId, MessageId, SessionId, Viewer
from recollect.store.sqlite import upkeep
from recollect.store.sqlite.database import Database
from recollect.store.sqlite.store import SqliteStore
from recollect.text.words import index_words
from tests.builders import NOW, PROJECT, a_draft, a_memory, a_turn
from tests.store import old_database

HERE = Viewer(project=PROJECT)
LONG = "The quokka rests. " * 800  # several pages of overflow
VICTIM = MemoryId("victim")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "recollect.db"


def fill(path: Path, text: str = "Auth uses a zebra token.", *, others: int = 60, **fields: object) -> None:
    store = SqliteStore(path)
    for n in range(others):
        store.add(a_memory(f"Other fact {n}. " * (1 + n % 9), id=MemoryId(f"m{n}")))
        if n == others // 2:
            store.add(a_memory(text, id=VICTIM, **fields))  # type: ignore[arg-type]
    store.close()


def flip(path: Path, sought: bytes, *, to: bytes | None = None, at: int = 0) -> None:
    """One byte of the file is not what it was: a bit, or one that makes no character at all."""
    data = bytearray(path.read_bytes())
    where = data.find(sought)
    assert where >= 0, "it is not in the file as it stands"
    data[where + at : where + at + 1] = to or bytes([data[where + at] ^ 1])
    path.write_bytes(data)


def back_up(path: Path, name: str = "schema-004-20260101T000000") -> None:
    database = Database(path)
    with database.read() as connection:
        database.back_up(name, connection)
    database.close()


def problems(store: SqliteStore) -> list[str]:
    return [finding.says for finding in store.check() if finding.health is not Health.FINE]


def texts_found(store: SqliteStore, query: str) -> list[str]:
    return [memory.text for memory in store.search(index_words(query), HERE, limit=99, injectable=True)]


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
    assert store.forgotten_before(NOW) == [VICTIM]
    store.close()


def test_what_is_damaged_can_be_said_again_and_forgotten(path: Path) -> None:
    fill(path)
    flip(path, b"zebra token", at=3)
    store = SqliteStore(path)
    store.add(a_memory("Auth uses a zebra token.", id=MemoryId("again")))
    assert texts_found(store, "zebra") == ["Auth uses a zebra token."]
    store.purge([VICTIM])
    assert problems(store) == ["1 forgotten memories may still have traces in the file, its log or a backup"]
    store.close()


def test_a_counter_that_cannot_be_does_not_hide_what_was_said(path: Path) -> None:
    fill(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE memory SET shown = -7, last_shown_ms = ? WHERE id = 'victim'", (1 << 62,))
    store = SqliteStore(path)
    assert texts_found(store, "zebra") == ["Auth uses a zebra token."]
    store.close()


def test_a_damaged_block_is_as_good_as_not_sent(path: Path) -> None:
    def sent(block: str) -> Sent:
        shown = Injection(placement=Placement.MESSAGE, block=block)
        return Sent(session=SessionId("s1"), context=0, message=MessageId("m1"), injection=shown, at=NOW, took_ms=1.0)

    store = SqliteStore(path)
    store.record(sent("The zebra block."))
    store.close()
    flip(path, b"zebra block", at=2)
    store = SqliteStore(path)
    assert problems(store) == ["1 rows are not what was written: s1/m1"]
    assert store.sent_with(SessionId("s1"), [MessageId("m1")]) == {}
    assert store.in_context(SessionId("s1"), 0) == []
    assert store.record(sent("Another one.")).injection.block == "Another one."
    assert problems(store) == []
    store.close()


def test_a_damaged_turn_is_not_found(path: Path) -> None:
    store = SqliteStore(path)
    store.add_turns([a_turn("The zebra said so.", message="m1"), a_turn("Another said so.", message="m2")])
    store.close()
    flip(path, b"zebra said", at=2)
    store = SqliteStore(path)
    assert [turn.message for turn in store.search_turns(["said"], PROJECT, limit=5)] == ["m2"]
    assert problems(store) == ["1 rows are not what was written: s1/m1"]
    store.mend()
    assert problems(store) == []
    assert store.count_turns() == 1
    store.close()


def test_damaged_history_is_told_and_taken_out(path: Path) -> None:
    store = SqliteStore(path)
    deed = store.begin_deed(DeedKind.REMEMBER, NOW, "cli")
    store.note_change(deed, VICTIM, a_memory("The zebra was striped.", id=VICTIM))
    store.note_change(deed, MemoryId("other"), a_memory("Another.", id=MemoryId("other")))
    store.close()
    flip(path, b"zebra was", at=2)
    store = SqliteStore(path)
    assert problems(store) == ["1 rows are not what was written: victim"]
    with pytest.raises(StoreUnusable, match="history of the memory 'victim' is damaged"):
        store.changes_of(VICTIM)
    store.mend()
    assert problems(store) == []
    assert [change.memory for change in store.changes_in(deed)] == ["other"]
    store.close()


def test_a_damaged_index_is_told_and_made_anew(path: Path) -> None:
    fill(path)
    flip(path, b"zebra token", at=3)  # the first is the row; the index has its own words
    flip(path, bytes([b"zebra token"[3] ^ 1]).join([b"zeb", b"a token"]), at=3)
    data = path.read_bytes()
    assert data.count(b"zebra") >= 2, "the words of the index stand in the file too"
    flip(path, b"auth use a zebra token", at=1)
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


CUTS = (0.9, 0.5, 0.2)


def half(data: bytes) -> bytes:
    return data[: len(data) // 2]


def garbage_in_the_middle(data: bytes) -> bytes:
    middle = len(data) // 2 // 4096 * 4096
    return data[:middle] + b"\xa5" * 3 * 4096 + data[middle + 3 * 4096 :]


def without_header(data: bytes) -> bytes:
    return b"\x00" * 4096 + data[4096:]


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
    fill(path, others=300)
    if has_backup:
        back_up(path)
    store = SqliteStore(path)
    for n in range(300, 320):
        store.add(a_memory(f"After the backup {n}.", id=MemoryId(f"m{n}")))
    store.add_turns([a_turn("Said and archived.")])
    store.close()
    broken = BREAKS[how](path.read_bytes())
    path.write_bytes(broken)

    (finding,) = upkeep.salvage(path)
    (kept,) = (file for file in path.parent.glob("*damaged*") if not file.name.endswith(("-wal", "-shm")))
    assert str(kept) in finding.advice
    assert kept.read_bytes() == broken
    assert sorted(file.name for file in path.parent.glob("*salvaged*")) == []
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    store = SqliteStore(path)
    assert problems(store) == []
    texts = {memory.id: memory.text for memory in store.everything()}
    assert all(text == "Auth uses a zebra token." or text.startswith(("Other", "After")) for text in texts.values())
    assert len(texts) >= (301 if has_backup else LEAST_READ.get(how, 0))
    assert len(texts_found(store, "fact")) > 0 or not texts
    store.add(a_memory("And on it goes.", id=MemoryId("on")))
    store.close()


LEAST_READ = {
    "cut at 0.9": 150,
    "cut at 0.5": 50,
    "cut inside a page": 50,
    "garbage in the middle": 200,
}  # of 321, without a backup


def test_a_broken_page_costs_only_what_was_on_it(path: Path) -> None:
    fill(path, others=300)
    with closing(sqlite3.connect(path)) as connection:
        pages = connection.execute("SELECT pageno FROM dbstat WHERE name = 'memory' AND pagetype = 'leaf'").fetchall()
        ((rows,),) = connection.execute("SELECT ncell FROM dbstat WHERE pageno = ?", pages[len(pages) // 2]).fetchall()
    data = bytearray(path.read_bytes())
    start = (pages[len(pages) // 2][0] - 1) * 4096
    data[start : start + 4096] = b"\xa5" * 4096
    path.write_bytes(data)
    upkeep.salvage(path)
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
    upkeep.salvage(path)
    store = SqliteStore(path)
    assert problems(store) == []
    assert [memory.id for memory in store.everything()] == [row[0] for row in old_database.ROWS]
    assert texts_found(store, "jwt") == ["Auth uses JWT."]
    assert store.sent_with(SessionId("s1"), [MessageId("m1")])
    store.close()


def test_what_was_purged_does_not_come_back_from_a_backup(path: Path) -> None:
    fill(path)
    back_up(path)
    store = SqliteStore(path)
    store.purge([VICTIM])  # and a crash before the backup was rewritten
    store.close()
    upkeep.salvage(path)
    store = SqliteStore(path)
    assert store.get(VICTIM) is None
    assert store.count() == 60
    store.close()


def test_there_must_be_something_to_salvage(path: Path) -> None:
    path.parent.mkdir()
    with pytest.raises(StoreUnusable, match="There is no database"):
        upkeep.salvage(path)
    assert list(path.parent.iterdir()) == []


def test_a_damaged_structure_is_told_when_it_is_met(path: Path) -> None:
    fill(path, others=300)
    path.write_bytes(half(path.read_bytes()))
    with pytest.raises(StoreUnusable, match=r"is damaged.*recollect doctor --repair.*kept beside it"):
        list(SqliteStore(path).everything())
