"""The files of an open database under other names, replaced, or gone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from recollect.domain.errors import StoreUnusable
from recollect.domain.health import Health
from recollect.domain.memory import MemoryId
from recollect.store.sqlite.open_files import guard_files, has_bytes, is_live
from recollect.store.sqlite.store import SqliteStore
from tests.builders import a_memory

ROOT = Path(__file__).parents[2]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "recollect.db"


HEAD = """
import sys
from pathlib import Path
from recollect.domain.errors import StoreUnusable
from recollect.domain.memory import MemoryId
from recollect.store.sqlite.store import SqliteStore
from tests.builders import a_memory
store = SqliteStore(Path(sys.argv[1]))
"""
WRITES = (
    HEAD
    + """
store.add(a_memory("By another process.", id=MemoryId("other")))
store.close()
"""
)
WAITS = (
    HEAD
    + """
for n in range(300):
    store.add(a_memory(f"Before, {n}. " + "x" * 200, id=MemoryId(f"m{n}")))
print("written", flush=True)
sys.stdin.readline()
try:
    store.add(a_memory("Lost.", id=MemoryId("lost")))
except StoreUnusable as error:
    print(error)
store.close()
"""
)


def another_process_writes(path: Path) -> None:
    subprocess.run([sys.executable, "-c", WRITES, str(path)], check=True, timeout=60, cwd=ROOT)


@pytest.mark.parametrize("gone", [("-wal", "-shm"), ("", "-wal", "-shm")])
def test_who_has_files_open_that_are_gone_writes_nothing_and_harms_nothing_at_its_end(
    path: Path, gone: tuple[str, ...]
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WAITS, str(path)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "written\n"
        for suffix in gone:
            path.with_name(path.name + suffix).unlink()
        another_process_writes(path)
        said, _ = first.communicate("go on\n", timeout=60)
    assert "was moved or deleted while it was open" in said
    store = SqliteStore(path)
    assert "By another process." in [memory.text for memory in store.everything()]
    assert [finding.health for finding in store.check()] == [Health.FINE]
    store.close()


@pytest.mark.parametrize("takes_its_place", [None, b""])
def test_a_database_that_was_moved_without_its_log_is_neither_read_nor_made_anew(
    path: Path, takes_its_place: bytes | None
) -> None:
    store = SqliteStore(path)
    store.add(a_memory("In the log alone.", id=MemoryId("kept")))
    assert [memory.id for memory in store.everything()] == ["kept"]
    log = path.with_name("recollect.db-wal")
    written = log.stat()
    path.rename(path.with_name("moved.db"))
    with pytest.raises(StoreUnusable, match="was moved or deleted while it was open"):
        list(store.everything())
    if takes_its_place is not None:
        path.write_bytes(takes_its_place)
    with pytest.raises(StoreUnusable, match="Move the database back"):
        SqliteStore(path)
    store.close()
    assert path.exists() is (takes_its_place is not None)
    assert (log.stat().st_ino, log.stat().st_mtime_ns) == (written.st_ino, written.st_mtime_ns)
    path.with_name("moved.db").rename(path)
    again = SqliteStore(path)
    assert [memory.id for memory in again.everything()] == ["kept"]
    again.close()


def test_the_open_files_under_other_names_are_no_copies_to_be_rewritten_or_removed(path: Path) -> None:
    """As a repair that was killed leaves them, and as links that a person has made."""
    store = SqliteStore(path)
    store.add(a_memory("The quokka lives here.", id=MemoryId("gone")))
    store.add(a_memory("This one stays.", id=MemoryId("stays")))
    backups = path.parent / "backups"
    backups.mkdir()
    links = [backups / "schema-001-x.db", path.with_name("recollect.db.damaged-1"), path.with_name("damaged-1.jsonl")]
    links[0].symlink_to(path)
    links[1].hardlink_to(path)
    links[2].symlink_to(path)
    path.with_name("recollect.db.damaged-1-wal").hardlink_to(path.with_name("recollect.db-wal"))
    with guard_files(path):
        store.scrub(store.purge([MemoryId("gone")]))
    assert store.is_there
    assert all(link.exists() for link in links)
    another_process_writes(path)
    assert store.is_there  # the locks are: it did not delete the log
    assert {memory.id for memory in store.everything()} == {"stays", "other"}
    store.close()


def test_inside_its_guard_nothing_opens_a_file_of_the_database(path: Path, tmp_path: Path) -> None:
    with guard_files(path):
        store = SqliteStore(path)
        link = tmp_path / "link"
        link.symlink_to(path)
        for file in (path, link, path.with_name("recollect.db-wal"), path.with_name("recollect.db-shm")):
            assert is_live(file)
            for opens in (
                Path.read_bytes,
                lambda file: os.open(file, os.O_RDONLY),
                lambda file: os.open(bytes(file), 0),
            ):
                with pytest.raises(OSError, match="it is the open database"):
                    opens(file)
        (tmp_path / "another").write_text("free")
        store.close()
    assert path.read_bytes().startswith(b"SQLite")
    assert not is_live(path)


def test_a_database_behind_a_link_is_made_where_the_link_leads(path: Path, tmp_path: Path) -> None:
    path.parent.mkdir()
    path.symlink_to(tmp_path / "elsewhere.db")
    store = SqliteStore(path)
    store.add(a_memory("Kept."))
    assert store.is_there
    (tmp_path / "elsewhere.db-wal").unlink()
    assert not store.is_there
    store.close()


def test_pieces_are_found_wherever_they_are_and_who_cannot_look_assumes_the_worst(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"x" * ((1 << 22) - 3) + b"across" + b"y" * 10)  # over the end of what is read at once
    assert has_bytes(file, [b"nothing", b"across"])
    assert not has_bytes(file, [b"nothing", "日本".encode()])
    assert not has_bytes(file, [])
    assert has_bytes(tmp_path / "missing", [b"nothing"])
