"""Tells one process that another one waits to write. SQLite has no queue: who begins again at once would always win.

A lock on a file of its own beside the database: shared while somebody waits, so that a writer with much to do can ask.
Where files cannot be locked nothing is told, and everybody still waits as SQLite lets them.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

STEP_S = 0.002
MOST_S = 0.25  # that much work gives way to others at a time: it must come to its end, too


class Waiting:
    """`path` None: a database in memory, which no other process knows."""

    def __init__(self, path: Path | None) -> None:
        self._path = None if path is None else path.with_name(f"{path.name}.waiting")
        self._file: int | None = None

    @contextmanager
    def announced(self) -> Iterator[None]:
        """Others see, while inside, that somebody waits."""
        self._lock(fcntl.LOCK_SH)
        try:
            yield
        finally:
            self._lock(fcntl.LOCK_UN)

    def let_pass(self) -> None:
        """Returns when nobody waits any more, or has waited long enough for now."""
        give_up = time.monotonic() + MOST_S
        while time.monotonic() < give_up:
            if self._lock(fcntl.LOCK_EX):
                self._lock(fcntl.LOCK_UN)
                return
            time.sleep(STEP_S)

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _lock(self, how: int) -> bool:
        """False: somebody else has it."""
        try:
            fcntl.flock(self._opened(), how | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a disk without locks, or one that cannot be written
            return True
        return True

    def _opened(self) -> int:
        if self._path is None:
            raise OSError
        if self._file is None:
            self._file = os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        return self._file
