"""The files of an open database. SQLite alone opens them: whatever else in this process opens and closes one of them drops
the locks of all connections (POSIX), and the next process that ends then deletes the log under our feet.

So nothing here opens a file, and `guard` refuses every other attempt: of our own code, and of a link that somebody has put
into a folder which we read.
"""

import ctypes
import errno
import os
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Collection, Iterable
from pathlib import Path

SIDE_FILES = ("", "-wal", "-shm")
SEARCH = Path(__file__).with_name("search_bytes.py")
SEARCH_S = 60.0

_open: Counter[str] = Counter()
_counting = threading.Lock()
_guarding = threading.Event()


def note_open(path: Path) -> None:
    with _counting:
        _open[_real(path)] += 1


def note_closed(path: Path) -> None:
    with _counting:
        _open[_real(path)] -= 1
        if not _open[_real(path)]:
            del _open[_real(path)]


def names(path: Path) -> tuple[str, ...]:
    """Of the file, its log and the index of its log."""
    return (str(path), *(f"{_real(path)}{suffix}" for suffix in SIDE_FILES[1:]))


def identities(files: Iterable[str]) -> list[tuple[int, int] | None]:
    """What they are on the disk; None: there is no such file. Another one under the same name is another file."""
    return [_identity(file) for file in files]


def is_live(path: str | bytes | Path) -> bool:
    """Whether this is a file of a database that this process has open, also by another name or through a link."""
    if not _open:
        return False
    try:
        facts = os.stat(path)  # noqa: PTH116  # also of bytes
    except (OSError, ValueError):
        return False
    files = [f"{database}{suffix}" for database in list(_open) for suffix in SIDE_FILES]
    return (facts.st_dev, facts.st_ino) in identities(files)


def guard() -> None:
    """From now on, in this process, Python opens no file of an open database. For good: a hook cannot be taken out."""
    if not _guarding.is_set():
        _guarding.set()
        sys.addaudithook(_refuse_live_files)


def _refuse_live_files(event: str, args: tuple[object, ...]) -> None:
    if event == "open" and _open and isinstance(args[0], str | bytes | os.PathLike) and is_live(os.fspath(args[0])):
        raise OSError(errno.EBUSY, "It is the open database of Recollect", os.fsdecode(args[0]))


def has_bytes(path: Path, pieces: Collection[bytes]) -> bool:
    """Whether one of these is in the file. A process of its own looks: it has no locks to lose."""
    asked = b"".join(len(piece).to_bytes(4, "big") + piece for piece in pieces)
    command = [sys.executable, "-I", "-S", str(SEARCH), str(path)]
    try:
        done = subprocess.run(command, input=asked, capture_output=True, timeout=SEARCH_S, check=False)
    except (OSError, subprocess.SubprocessError):
        return True  # nobody could look
    return done.returncode != 0 or done.stdout != b"none"


def leave_open(connection: sqlite3.Connection) -> None:
    """For good: to close the last connection would write its log, which is not that of the file any more, into the file
    and delete the one that is."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


def _real(path: Path) -> str:
    """SQLite puts the log beside the file itself, not beside a link to it."""
    return os.path.realpath(path)


def _identity(path: str) -> tuple[int, int] | None:
    try:
        facts = os.stat(path)  # noqa: PTH116  # before and after every write: pathlib takes longer
    except OSError:
        return None
    return facts.st_dev, facts.st_ino
