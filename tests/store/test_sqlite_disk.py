"""A disk that does not take writes: what can be read is read, what cannot be written is said, nothing is lost."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.domain.changes import ChangeAction
from recollect.domain.errors import StoreReadOnly, StoreUnusable
from recollect.domain.health import Health
from recollect.domain.memory import MemoryId, Viewer
from recollect.store.sqlite import database
from recollect.store.sqlite.migrations import MIGRATIONS, Migration
from recollect.store.sqlite.store import SqliteStore
from tests import mounts
from tests.builders import NOW, PROJECT, a_memory, a_turn
from tests.searching import memories_found

HERE = Viewer(project=PROJECT)
ROOT = Path(__file__).parents[2]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "recollect.db"


@pytest.fixture
def written(path: Path) -> Path:
    """A database with something in it, closed."""
    store = SqliteStore(path)
    store.add(a_memory("Written before."))
    store.close()
    return path


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@mounts.needs_mounts
def test_a_read_only_disk_is_read_and_not_written(written: Path) -> None:
    before = contents(written.parent)
    with mounts.read_only(written.parent):
        store = SqliteStore(written)
        assert store.is_read_only
        assert [memory.text for memory in memories_found(store, ["written"], HERE, limit=5, injectable=True)] == [
            "Written before."
        ]
        assert [memory.id for memory in store.newest(HERE, limit=5)] == ["m1"]
        assert store.count() == 1
        assert [finding.health for finding in store.check()] == [Health.FINE]
        for write in (
            lambda: store.add(a_memory("New.", id=MemoryId("m2"))),
            lambda: store.update(a_memory("Changed.")),
            lambda: store.begin_change(ChangeAction.FORGET, NOW, "cli"),
            lambda: store.add_turns([a_turn("Said.")]),
            lambda: store.purge([MemoryId("m1")]),
            store.mend,
        ):
            with pytest.raises(StoreReadOnly, match=r"recollect\.db can be read but not written.*nothing was changed"):
                write()
        store.close()
    assert contents(written.parent) == before


@mounts.needs_mounts
def test_on_a_read_only_disk_also_what_a_crash_left_in_the_log_is_read(path: Path) -> None:
    writer = SqliteStore(path)  # still open: its log is not empty
    writer.add(a_memory("In the log."))
    with mounts.read_only(path.parent):
        store = SqliteStore(path)
        assert store.is_read_only
        assert [memory.text for memory in store.newest(HERE, limit=5)] == ["In the log."]
        store.close()
    writer.close()


@mounts.needs_mounts
def test_a_database_that_must_be_migrated_first_is_not_opened_on_a_read_only_disk(
    written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "MIGRATIONS", (*MIGRATIONS, Migration("one more", ())))
    with mounts.read_only(written.parent), pytest.raises(StoreUnusable, match="Read-only file system"):
        SqliteStore(written)


@mounts.needs_mounts
def test_no_database_on_a_read_only_disk_is_said(path: Path) -> None:
    path.parent.mkdir()
    with mounts.read_only(path.parent), pytest.raises(StoreUnusable, match="Read-only file system"):
        SqliteStore(path)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[mounts.SmallDisk]:
    with mounts.small_disk(tmp_path / "small") as mounted:
        yield mounted


@mounts.needs_mounts
def test_a_full_disk_is_said_and_what_was_acknowledged_is_kept(disk: mounts.SmallDisk) -> None:
    path = disk.folder / "recollect.db"
    store = SqliteStore(path)
    acknowledged: list[str] = []

    def write_on(target: SqliteStore) -> None:
        for n in range(len(acknowledged), 10_000):
            target.add(a_memory(f"Fact {n} " + "x" * 2_000, id=MemoryId(f"m{n}")))
            acknowledged.append(f"m{n}")

    with pytest.raises(StoreUnusable, match="disk full"):
        write_on(store)
    disk.fill()
    with pytest.raises(StoreUnusable, match="disk full"):
        write_on(store)  # a few may find room in what the refused one has left of the log
    assert [memory.id for memory in store.everything()] == acknowledged
    store.close()

    again = SqliteStore(path)
    assert [memory.id for memory in again.everything()] == acknowledged
    assert memories_found(again, ["fact"], HERE, limit=5, injectable=True)
    disk.fill()  # the log that was closed has left room
    with pytest.raises((StoreUnusable, StoreReadOnly)):
        write_on(again)
    again.close()

    disk.free()
    after = SqliteStore(path)
    after.add(a_memory("One more.", id=MemoryId("more")))
    assert [memory.id for memory in after.everything()] == [*acknowledged, "more"]
    assert [finding.health for finding in after.check()] == [Health.FINE]
    after.close()


@mounts.needs_mounts
def test_what_a_killed_process_left_is_read_on_a_full_disk(disk: mounts.SmallDisk) -> None:
    path = disk.folder / "recollect.db"
    killed = f"""
import os, signal
from pathlib import Path
from recollect.store.sqlite.store import SqliteStore
from tests.builders import a_memory
store = SqliteStore(Path({str(path)!r}))
store.add(a_memory("Acknowledged."))
os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", killed], check=False, timeout=60, cwd=ROOT)
    disk.fill()
    store = SqliteStore(path)
    assert [memory.text for memory in store.everything()] == ["Acknowledged."]
    store.close()


AS_NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", sys.executable, "-c")


@mounts.needs_mounts
def test_a_file_of_another_user_is_read_and_not_written() -> None:
    if python_of_nobody("import recollect, tests.builders").returncode != 0:
        pytest.skip("another user cannot run this Python")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "recollect.db"
        store = SqliteStore(path)
        store.add(a_memory("Written before."))
        store.close()
        path.chmod(0o644)
        path.parent.chmod(0o755)
        done = python_of_nobody(f"""
from pathlib import Path
from recollect.domain.errors import StoreReadOnly
from recollect.store.sqlite.store import SqliteStore
from tests.builders import a_memory
from tests.searching import memories_found
store = SqliteStore(Path({str(path)!r}))
assert store.is_read_only
assert [memory.text for memory in store.everything()] == ["Written before."]
try:
    store.add(a_memory("New."))
except StoreReadOnly:
    print("refused")
""")
    assert (done.stdout.strip(), done.stderr) == ("refused", "")


def python_of_nobody(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*AS_NOBODY, script], capture_output=True, text=True, timeout=60, cwd=ROOT, check=False)
