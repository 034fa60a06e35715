"""The files of an open database. SQLite alone opens them: whatever else in this process opens and closes one of them
drops the locks of all connections (POSIX), and the next process that ends then deletes the log under our feet.

So nothing here opens a file, and `guarded` refuses every attempt: of our own code, and through a link that somebody has
put into a folder which we read.
"""

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
SEARCH_S = 60.0

_open: Counter[str] = Counter()  # files of databases, by their real names
_guarded: Counter[str] = Counter()
_counting = threading.Lock()
_hooked = threading.Event()


def note_open(path: Path) -> None:
    _count(_open, path, 1)


def note_closed(path: Path) -> None:
    _count(_open, path, -1)


def _count(databases: Counter[str], path: Path, change: int) -> None:
    with _counting:
        databases[_real(path)] += change
        if not databases[_real(path)]:
            del databases[_real(path)]


def file_names(path: Path) -> tuple[str, ...]:
    """Of the file, its log and the index of its log."""
    return (str(path), *(f"{_real(path)}{suffix}" for suffix in SIDE_FILES[1:]))


def identities(files: Iterable[str]) -> list[tuple[int, int] | None]:
    """What they are on the disk; None: there is no such file. Another one under the same name is another file."""
    return [_identity(file) for file in files]


def has_lone_log(path: Path) -> bool:
    """Whether there is a log with something in it and no database that it is of: the database was moved or deleted
    without it. SQLite would delete such a log where it makes a new database. Looks at the log first, which comes second
    where somebody else makes both right now."""
    return _size(file_names(path)[1]) > 0 and _size(str(path)) == 0


def is_live(path: str | bytes | Path) -> bool:
    """Whether this is a file of a database that this process has open, also by another name or through a link."""
    return _is_one_of(path, _open)


def _is_one_of(path: str | bytes | Path, databases: Counter[str]) -> bool:
    try:
        facts = os.stat(path)  # noqa: PTH116  # also of bytes
    except (OSError, ValueError):
        return False
    files = [f"{database}{suffix}" for database in list(databases) for suffix in SIDE_FILES]
    return (facts.st_dev, facts.st_ino) in identities(files)


@contextmanager
def guarded(path: Path) -> Iterator[None]:
    """Inside, Python opens no file of this database in this process, whichever part of it tries to."""
    if not _hooked.is_set():
        _hooked.set()
        sys.addaudithook(_refuse_guarded_files)  # for good: a hook cannot be taken out
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
    """Whether one of these is in the file. A process of its own looks: it has no locks to lose."""
    import subprocess  # only who forgets needs it

    asked = b"".join(len(piece).to_bytes(4, "big") + piece for piece in pieces)
    command = [sys.executable, "-I", "-S", str(SEARCH_SCRIPT), str(path)]
    try:
        done = subprocess.run(command, input=asked, capture_output=True, timeout=SEARCH_S, check=False)
    except (OSError, subprocess.SubprocessError):
        return True  # nobody could look
    return done.returncode != 0 or done.stdout != b"none"


def leave_open(connection: sqlite3.Connection) -> None:
    """For good: to close the last connection would write its log, which is not that of the file any more, into the file
    and delete the one that is."""
    import ctypes  # hardly ever

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


def _real(path: Path) -> str:
    """SQLite puts the log beside the file itself, not beside a link to it."""
    return os.path.realpath(path)


def _size(path: str) -> int:
    """0 also where there is no such file."""
    try:
        return os.stat(path).st_size  # noqa: PTH116
    except OSError:
        return 0


def _identity(path: str) -> tuple[int, int] | None:
    try:
        facts = os.stat(path)  # noqa: PTH116  # before and after every write: pathlib takes longer
    except OSError:
        return None
    return facts.st_dev, facts.st_ino
