"""Shows other processes that one waits to write. SQLite has no queue: a writer that begins again at once always wins. A
lock on a file beside the database, shared while a process writes or waits to, so that a writer with much to do can
check it. On a disk without locks nothing is shown, and every writer waits as SQLite lets it."""

import fcntl
import os
import threading
import time
from pathlib import Path

STEP_S = 0.002
MAX_WAIT_S = 0.25  # a writer with much to do waits no longer for others at a time: it must finish, too
REST_S, RESTS_FOR_S = 0.015, 1.0  # its pause after each piece of work, and for how long after another process wrote


class WriterQueue:
    """`path` None: a database in memory, which no other process can open."""

    def __init__(self, path: Path | None) -> None:
        self._path = None if path is None else path.with_name(f"{path.name}.waiting")
        self._files: dict[str, int] = {}  # one to announce and one to check: a lock belongs to an open file
        self._guard = threading.Lock()
        self._writers = 0  # threads of this process that write or wait to
        self._rests_until = 0.0

    def announce(self) -> None:
        """Until `withdraw`, other processes see that one writes or waits."""
        with self._guard:
            self._writers += 1
            if self._writers == 1:
                self._lock("announce", fcntl.LOCK_SH)

    def withdraw(self) -> None:
        with self._guard:
            self._writers -= 1
            if self._writers == 0:
                self._lock("announce", fcntl.LOCK_UN)

    def let_others_pass(self) -> None:
        """Return when no other process writes or waits any more, or after the longest wait."""
        if time.monotonic() < self._rests_until:
            time.sleep(REST_S)
        give_up = time.monotonic() + MAX_WAIT_S
        while time.monotonic() < give_up:
            with self._guard:
                if self._lock("check", fcntl.LOCK_EX):
                    self._lock("check", fcntl.LOCK_UN)
                    return
            self._rests_until = time.monotonic() + RESTS_FOR_S
            time.sleep(STEP_S)

    def close(self) -> None:
        with self._guard:
            for file in self._files.values():
                os.close(file)
            self._files.clear()

    def _lock(self, which: str, how: int) -> bool:
        """Return False if another process has it."""
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
