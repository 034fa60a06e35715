"""Tells one process that another one waits to write. SQLite has no queue: who begins again at once would always win.

A lock on a file of its own beside the database: shared while somebody writes or waits to, so that a writer with much to
do can ask. Where files cannot be locked nothing is told, and everybody still waits as SQLite lets them.
"""

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

STEP_S = 0.002
MOST_S = 0.25  # that much work gives way to others at a time: it must come to its end, too
REST_S, RESTS_FOR_S = 0.015, 1.0  # a pause after each piece of it, for so long after another one wrote


class WriterQueue:
    """`path` None: a database in memory, which no other process knows."""

    def __init__(self, path: Path | None) -> None:
        self._path = None if path is None else path.with_name(f"{path.name}.waiting")
        self._files: dict[str, int] = {}  # one to tell and one to ask: a lock is that of an open file
        self._guard = threading.Lock()
        self._here = 0  # how many of this process write, or wait to
        self._rests_until = 0.0

    @contextmanager
    def announce(self) -> Iterator[None]:
        """Others see, while inside, that somebody writes or waits."""
        self._count(1)
        try:
            yield
        finally:
            self._count(-1)

    def let_others_pass(self) -> None:
        """Returns when nobody writes or waits any more, or for long enough."""
        if time.monotonic() < self._rests_until:
            time.sleep(REST_S)
        give_up = time.monotonic() + MOST_S
        while time.monotonic() < give_up:
            with self._guard:
                if self._lock("ask", fcntl.LOCK_EX):
                    self._lock("ask", fcntl.LOCK_UN)
                    return
            self._rests_until = time.monotonic() + RESTS_FOR_S
            time.sleep(STEP_S)

    def close(self) -> None:
        with self._guard:
            for file in self._files.values():
                os.close(file)
            self._files.clear()

    def _count(self, more: int) -> None:
        with self._guard:
            self._here += more
            if self._here == (1 if more > 0 else 0):
                self._lock("tell", fcntl.LOCK_SH if more > 0 else fcntl.LOCK_UN)

    def _lock(self, which: str, how: int) -> bool:
        """False: somebody else has it."""
        if self._path is None:
            return True
        try:
            if which not in self._files:
                flags = os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
                self._files[which] = os.open(self._path, flags, 0o600)
            fcntl.flock(self._files[which], how | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a disk without locks, or one that cannot be written
            return True
        return True
