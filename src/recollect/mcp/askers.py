"""Finds the folder and the session of an MCP call; the host's own session if its plugin announced it.

A connection lasts for days, a live context does not: after NEW_SESSION_AFTER without a call, it gets a new session.
"""

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from urllib.parse import unquote

from recollect.domain.errors import PayloadError
from recollect.domain.memory import MAX_NAME_CHARS, SessionId, check_name
from recollect.mcp.asking_sessions import AskingSessions, is_absolute_path
from recollect.mcp.tools import Asker

FOLDER_HEADER, SESSION_HEADER, PROTOCOL_SESSION_HEADER = "recollect-folder", "recollect-session", "mcp-session-id"
OWN_PREFIX = "mcp-"  # of the names that we and our bridge give; other names are a host's own sessions
NEW_SESSION_AFTER = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    headers: Mapping[str, str]  # names in lower case
    query: Mapping[str, str]
    peer: str = ""  # the address of the client, for want of a name

    def folder(self) -> str | None:
        given = self.query.get("folder") or unquote(self.headers.get(FOLDER_HEADER, ""))
        if not given:
            return None
        if not is_absolute_path(given):
            raise PayloadError("The folder of this connection is not usable: give its whole path, from / on.")
        return given

    def session(self) -> str:
        given = self.headers.get(SESSION_HEADER, "")
        if given:
            check_name(given[: MAX_NAME_CHARS + 1], "session")
            return given
        # A short hash: a long random name may look like a secret and be redacted.
        name = f"{self.folder()} {self.headers.get(PROTOCOL_SESSION_HEADER) or self.peer}"
        return OWN_PREFIX + blake2b(name.encode("utf-8", "replace"), digest_size=5).hexdigest()


@dataclass(slots=True)
class _Live:
    session: SessionId
    last: datetime
    has_folder_notice: bool = False


class Askers:
    def __init__(self, asking: AskingSessions | None = None) -> None:
        self._asking = asking or AskingSessions()
        self._live: dict[str, _Live] = {}
        self._lock = threading.Lock()

    def find_asker(self, connection: Connection, at: datetime | None = None) -> Asker:
        """PayloadError, InvalidValue: the folder or the session is unusable."""
        name, folder, now = connection.session(), connection.folder(), at or datetime.now(UTC)
        if folder is not None and not os.path.isdir(folder):  # noqa: PTH112  # an odd path is no folder, and no error
            raise PayloadError(
                f"There is no folder {folder[:200]!r}. Give the whole path of the project's folder, or leave it out."
            )
        if not name.startswith(OWN_PREFIX):  # its host says when its context ends
            return Asker(session=SessionId(name), at=now, folder=folder, is_delivered=False)
        announced = self._asking.take(folder, now.timestamp())
        if announced is not None:
            return Asker(session=announced.id, host=announced.host, at=now, folder=folder, is_delivered=False)
        with self._lock:
            for key, live in list(self._live.items()):
                if now - live.last > NEW_SESSION_AFTER:
                    del self._live[key]
            live = self._live.setdefault(name, _Live(SessionId(f"{name}-{now:%y%m%d%H%M%S}"), now))
            live.last = now
            return Asker(session=live.session, at=now, folder=folder, is_delivered=False)

    def claim_folder_notice(self, asker: Asker) -> bool:
        """Return True, once per session, if the agent must be informed that its connection has no project folder."""
        if asker.folder is not None:
            return False
        with self._lock:
            for live in self._live.values():
                if live.session == asker.session and not live.has_folder_notice:
                    live.has_folder_notice = True
                    return True
        return False
