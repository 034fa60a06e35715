"""Which of a host's sessions is about to ask. A host's plugin knows it and an MCP call does not say it: so the plugin
tells just before the call, and the next call from the same folder is that session's.

Nothing here is certain: of two sessions that ask in one folder at the same moment, one may be answered as the other. So
nothing that must hold may depend on it: whose memories are told follows from the folder alone.
"""

import os
import threading
from collections import deque
from dataclasses import dataclass

from recollect.domain.memory import SessionId

VALID_S = 5.0  # after which the call that was told of has not come: its user refused it, say
MAX_FOLDERS, MAX_WAITING = 100, 20
MAX_FOLDER_CHARS = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class HostSession:
    """A session as its host names it."""

    id: SessionId
    host: str


class AskingSessions:
    def __init__(self) -> None:
        self._announced: dict[str, deque[tuple[float, HostSession]]] = {}
        self._lock = threading.Lock()

    def announce(self, folder: str, session: HostSession, now_s: float) -> None:
        place = _real_folder(folder)
        with self._lock:
            waiting = self._announced.pop(place, deque(maxlen=MAX_WAITING))
            waiting.append((now_s + VALID_S, session))
            self._announced[place] = waiting  # behind those that asked longer ago
            while len(self._announced) > MAX_FOLDERS:
                del self._announced[next(iter(self._announced))]

    def take(self, folder: str | None, now_s: float) -> HostSession | None:
        """Who asks from this folder; None: nobody said so. Each is told of one call, in their order."""
        if folder is None:
            return None
        place = _real_folder(folder)
        with self._lock:
            waiting = self._announced.get(place, deque())
            while waiting:
                until_s, session = waiting.popleft()
                if not waiting:
                    self._announced.pop(place, None)
                if now_s <= until_s:
                    return session
        return None


def is_absolute_path(folder: str) -> bool:
    return folder.startswith("/") and len(folder) <= MAX_FOLDER_CHARS and "\x00" not in folder


def _real_folder(folder: str) -> str:
    """A host may name a folder by a link to it; a bridge knows where it really is."""
    return os.path.realpath(folder)
