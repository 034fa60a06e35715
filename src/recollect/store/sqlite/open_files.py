"""The files of an open database. Only SQLite opens them: if any other code in this process opens and closes one, the
locks of all connections are lost (POSIX), and the next process that ends deletes the log that we still use. So nothing
here opens a file, and `guarded` refuses every attempt: by our own code, or through a link in a folder that we read."""

import errno
import os
import sqlite3
import sys
import threading
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

SIDE_FILES = ("", "-wal", "-shm")
SEARCH_SCRIPT = Path(__file__).with_name("search_bytes.py")
SEARCH_TIMEOUT_S = 60.0

_open: Counter[str] = Counter()  # databases, by their real paths
_guarded: Counter[str] = Counter()
_count_lock = threading.Lock()
_hook_is_set = threading.Event()


def note_open(path: Path) -> None:
    _count(_open, path, 1)


def note_closed(path: Path) -> None:
    _count(_open, path, -1)


def _count(databases: Counter[str], path: Path, change: int) -> None:
    with _count_lock:
        databases[_real(path)] += change
        if not databases[_real(path)]:
            del databases[_real(path)]


def file_names(path: Path) -> tuple[str, ...]:
    """Return the paths of the database, its log and the index of its log."""
    return (str(path), *(f"{_real(path)}{suffix}" for suffix in SIDE_FILES[1:]))


def side_files(path: Path) -> list[Path]:
    """Return the same for a closed database or a copy, whether they exist or not."""
    return [path.with_name(path.name + suffix) for suffix in SIDE_FILES]


def identities(files: Iterable[str]) -> list[tuple[int, int] | None]:
    """Return device and inode of each; None: there is no such file. A new file with the same name has another one."""
    found: list[tuple[int, int] | None] = []
    for file in files:
        try:
            facts = os.stat(file)  # noqa: PTH116  # runs before every read and write: pathlib is slower
        except OSError:
            found.append(None)
        else:
            found.append((facts.st_dev, facts.st_ino))
    return found


def has_lone_log(path: Path) -> bool:
    """Check for a log with content but without its database, which was moved or deleted. SQLite would delete such a
    log when it creates a new database. Looks at the log first: a process that creates both now creates it second."""
    return _size(file_names(path)[1]) > 0 and _size(str(path)) == 0


def is_live(path: str | bytes | Path) -> bool:
    """Check whether this is a file of a database that this process has open, also by another name or through a link."""
    return _is_one_of(path, _open)


def _is_one_of(path: str | bytes | Path, databases: Counter[str]) -> bool:
    try:
        facts = os.stat(path)  # noqa: PTH116  # also of bytes
    except (OSError, ValueError):
        return False
    files = [f"{database}{suffix}" for database in list(databases) for suffix in SIDE_FILES]
    return (facts.st_dev, facts.st_ino) in identities(files)


@contextmanager
def guard_files(path: Path) -> Iterator[None]:
    """Inside, no Python code of this process can open a file of this database."""
    if not _hook_is_set.is_set():
        _hook_is_set.set()
        sys.addaudithook(_refuse_guarded_files)  # permanent: a hook cannot be removed
    _count(_guarded, path, 1)
    try:
        yield
    finally:
        _count(_guarded, path, -1)


def _refuse_guarded_files(event: str, args: tuple[object, ...]) -> None:
    if event == "open" and _guarded and isinstance(args[0], str | bytes | os.PathLike):
        path = os.fspath(args[0])
        if _is_one_of(path, _guarded):
            raise OSError(errno.EBUSY, "it is the open database of Recollect", os.fsdecode(path))


def has_bytes(path: Path, pieces: Collection[bytes]) -> bool:
    """Check whether one of these is in the file. Another process looks: it has no locks to lose."""
    import subprocess  # only forgetting needs it

    sent = b"".join(len(piece).to_bytes(4, "big") + piece for piece in pieces)
    command = [sys.executable, "-I", "-S", str(SEARCH_SCRIPT), str(path)]
    try:
        done = subprocess.run(command, input=sent, capture_output=True, timeout=SEARCH_TIMEOUT_S, check=False)
    except (OSError, subprocess.SubprocessError):
        return True  # unknown, so it may be there
    return done.returncode != 0 or done.stdout != b"none"


def leave_open(connection: sqlite3.Connection) -> None:
    """Never close it: closing the last connection would write its log, which no longer belongs to the file, into the
    file, and would delete the log that does."""
    import ctypes  # hardly ever needed

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


def _real(path: Path) -> str:
    """Follow links: SQLite puts the log beside the file itself, not beside a link to it."""
    return os.path.realpath(path)


def _size(path: str) -> int:
    """Return 0 also if there is no such file."""
    try:
        return os.stat(path).st_size  # noqa: PTH116
    except OSError:
        return 0
