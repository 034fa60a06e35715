"""The host's sessions that are about to call. An MCP call does not name its session, but a host's plugin knows it: so the
plugin announces it just before, and the next call from the same folder counts as that session's.

This is a guess: if two sessions call from one folder at the same moment, one may be taken for the other. So nothing
important depends on it: the folder alone decides which memories are shown.
"""

import os
import threading
from collections import deque
from dataclasses import dataclass

from recollect.domain.memory import SessionId

VALID_S = 5.0  # an announced call that has not come by then was refused by the user, say
MAX_FOLDERS, MAX_WAITING = 100, 20
MAX_FOLDER_CHARS = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class HostSession:
    id: SessionId
    host: str


class AskingSessions:
    def __init__(self) -> None:
        self._announced: dict[str, deque[tuple[float, HostSession]]] = {}
        self._lock = threading.Lock()

    def announce(self, folder: str, session: HostSession, now_s: float) -> None:
        real_folder = _real_folder(folder)
        with self._lock:
            waiting = self._announced.pop(real_folder, deque(maxlen=MAX_WAITING))
            waiting.append((now_s + VALID_S, session))
            self._announced[real_folder] = waiting  # at the end: the oldest folder is dropped first
            while len(self._announced) > MAX_FOLDERS:
                del self._announced[next(iter(self._announced))]

    def take(self, folder: str | None, now_s: float) -> HostSession | None:
        """Return the session announced for the next call from this folder, in order; None if there is none."""
        if folder is None:
            return None
        real_folder = _real_folder(folder)
        with self._lock:
            waiting = self._announced.get(real_folder, deque())
            while waiting:
                until_s, session = waiting.popleft()
                if not waiting:
                    self._announced.pop(real_folder, None)
                if now_s <= until_s:
                    return session
        return None


def is_absolute_path(folder: str) -> bool:
    return folder.startswith("/") and len(folder) <= MAX_FOLDER_CHARS and "\x00" not in folder


def _real_folder(folder: str) -> str:
    """A host may name a folder by a link; a bridge knows the real folder."""
    return os.path.realpath(folder)
