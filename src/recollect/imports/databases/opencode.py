"""Reads sessions from OpenCode's database. Opens it read-only and changes nothing."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recollect.domain.errors import InvalidValue
from recollect.store.sqlite.read_only import open_read_only

MAX_PART_BYTES = 20_000_000  # the output of a tool may be large; the archive takes less
_SESSIONS = "SELECT session.*, count(message.id) AS messages FROM session LEFT JOIN message ON session_id = session.id"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCodeSession:
    """A session; `info` has the field names of an OpenCode export."""

    info: dict[str, Any]
    messages: int
    updated_ms: int


def opencode_sessions(file: Path) -> list[OpenCodeSession]:
    """Return all sessions, the oldest first."""
    with _reading(file) as connection:
        return [
            OpenCodeSession(
                info={
                    "id": row["id"],
                    "parentID": row.get("parent_id"),
                    "directory": row.get("directory"),
                    "agent": row.get("agent"),
                    "time": {"created": row["time_created"], "updated": row["time_updated"]},
                },
                messages=row["messages"],
                updated_ms=row["time_updated"],
            )
            for row in connection.execute(f"{_SESSIONS} GROUP BY session.id ORDER BY session.time_created, session.id")
        ]


def opencode_messages(file: Path, session: str) -> Iterator[tuple[dict[str, Any] | str, list[Any]]]:
    """Yield the messages of a session in order, each with its parts; one that is not a JSON object comes as text."""
    with _reading(file) as connection:
        for message in connection.execute(
            "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id", (session,)
        ):
            parts = connection.execute("SELECT data FROM part WHERE message_id = ? ORDER BY id", (message["id"],))
            info = _object(message["data"])
            if isinstance(info, dict):
                info["id"] = message["id"]
            yield info, [_object(part["data"]) for part in parts]


@contextmanager
def _reading(file: Path) -> Iterator[sqlite3.Connection]:
    try:
        with closing(open_read_only(file, max_value_bytes=MAX_PART_BYTES)) as connection:
            connection.row_factory = _row_as_dict
            yield connection
    except sqlite3.Error as error:
        raise InvalidValue(f"{file} cannot be read as an OpenCode database: {error}.") from None


def _row_as_dict(cursor: sqlite3.Cursor, row: tuple[Any, ...]) -> dict[str, Any]:
    """Older versions have fewer columns."""
    return dict(zip((column[0] for column in cursor.description), row, strict=True))


def _object(text: str) -> dict[str, Any] | str:
    try:
        value = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return str(text)[:100]
    return value if isinstance(value, dict) else str(text)[:100]
