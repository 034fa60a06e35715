"""Events of sessions that wait to be learnt from, in SQLite. Texts arrive redacted. A row stays until its session is
closed, so that a process that continues after a crash knows what was said before. For a message that was forgotten for
good, a row without text stays for ever, so that the message is not stored again."""

import json
import sqlite3
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields, replace
from datetime import datetime
from typing import Any

from recollect.domain.codec import json_decoder, json_encoder
from recollect.domain.event import (
    Compacted,
    Event,
    EventFields,
    InboxEntry,
    Prompt,
    Reply,
    SessionEnded,
    ToolFailed,
    ToolSucceeded,
)
from recollect.domain.memory import SessionId
from recollect.store.sqlite.database import Database
from recollect.store.sqlite.rows import Hashed, from_ms, is_sound, row_hash, to_ms

INBOX_HASHED = Hashed(("session", "name", "event", "at_ms"))
ERASED_PREFIX = "gone/"  # of the name of a message that was forgotten for good
ERASED_STATE = 2  # `done` of such a row: neither waiting (0) nor learnt from (1)

_TYPES: Mapping[str, type[Prompt | Reply | ToolSucceeded | ToolFailed | Compacted | SessionEnded]] = {
    "prompt": Prompt,
    "reply": Reply,
    "succeeded": ToolSucceeded,
    "failed": ToolFailed,
    "compacted": Compacted,
    "ended": SessionEnded,
}
_TAGS: Mapping[type, str] = {
    kind: tag for tag, kind in _TYPES.items()
}  # also the beginning of a message's name: it never changes
_COMMON = ("host", "folder", "agent")  # kept of the fields that every event has; the time has its own column
_OF_THE_MOMENT = ("live", "files")  # needed for the answer only


def _kept_fields(kind: type[EventFields]) -> list[str]:
    """Return a type's own fields, then the common ones. Written in this order: a message that comes again is compared."""
    common = [one.name for one in fields(EventFields)]
    own = [one.name for one in fields(kind) if one.name not in (*common, *_OF_THE_MOMENT)]
    return [*own, *_COMMON]


_ENCODERS = {tag: json_encoder(kind, _kept_fields(kind)) for tag, kind in _TYPES.items()}
_DECODERS = {tag: json_decoder(kind, _kept_fields(kind)) for tag, kind in _TYPES.items()}


class InboxTable:
    _database: Database

    def put_event(self, event: Event) -> None:
        row = event_row(event)
        row["gone"] = f"{ERASED_PREFIX}{_own_name(row['name']) or '/'}"  # an event without a name is never erased
        with self._database.write() as connection:
            connection.execute(
                "INSERT INTO inbox (session, name, event, at_ms, hash) SELECT :session, :name, :event, :at_ms, :hash "
                "WHERE NOT EXISTS (SELECT 1 FROM inbox WHERE session = :session AND name = :gone) "
                # The same message again, perhaps longer: its newest state counts.
                "ON CONFLICT (session, name) DO UPDATE SET event = :event, hash = :hash, at_ms = :at_ms, done = 0, "
                "tries = 0 WHERE event <> :event",
                row,
            )

    def waiting_events(self, *, limit: int) -> list[InboxEntry]:
        rows = self._database.fetch_all("SELECT * FROM inbox WHERE done = 0 ORDER BY tries > 0, n LIMIT ?", (limit,))
        return [InboxEntry(number=row["n"], event=_event_or_none(row), tries=row["tries"]) for row in rows]

    def count_waiting_events(self, session: SessionId | None = None) -> int:
        statement = "SELECT count(*) AS n FROM inbox WHERE done = 0 AND ifnull(session = ?, 1)"
        return self._database.count(statement, (session,))

    def past_events(self, session: SessionId, *, limit: int, waiting: bool = False) -> list[Event]:
        rows = self._database.fetch_all(
            "SELECT * FROM (SELECT * FROM inbox WHERE session = ? AND done BETWEEN ? AND 1 "
            "ORDER BY n DESC LIMIT ?) ORDER BY n",
            (session, 0 if waiting else 1, limit),
        )
        return [event for event in map(_event_or_none, rows) if event is not None]

    def try_event(self, received: InboxEntry) -> InboxEntry:
        with self._database.write() as connection:
            # Of two processes that try at once, each learns whether it was the first or the second.
            tried = connection.execute(
                "UPDATE inbox SET tries = tries + 1 WHERE n = ? RETURNING tries", (received.number,)
            ).fetchone()
        return received if tried is None else replace(received, tries=tried["tries"])

    def wait_again(self, tried: InboxEntry) -> None:
        with self._database.write() as connection:
            connection.execute(
                "UPDATE inbox SET tries = tries - 1 WHERE n = ? AND done = 0 AND tries = ?", (tried.number, tried.tries)
            )

    def finish_event(self, received: InboxEntry) -> bool:
        with self._database.write() as connection:
            done = connection.execute(
                "UPDATE inbox SET done = 1 WHERE n = ? AND done = 0 AND tries = ?", (received.number, received.tries)
            )
            return done.rowcount > 0

    def drop_events(self, session: SessionId) -> None:
        with self._database.write() as connection:
            connection.execute("DELETE FROM inbox WHERE session = ? AND done = 1", (session,))

    def silent_sessions(self, since: datetime) -> list[tuple[SessionId, datetime]]:
        rows = self._database.fetch_all(
            "SELECT session, max(at_ms) AS last_ms FROM inbox WHERE done < ? "
            "GROUP BY session HAVING last_ms >= 0 AND last_ms < ? ORDER BY session",
            (ERASED_STATE, to_ms(since)),
        )
        return [(SessionId(row["session"]), from_ms(row["last_ms"])) for row in rows]

    def find_erased(self, session: SessionId) -> frozenset[str]:
        with self._database.read() as connection:
            return find_erased(connection, session)


def find_erased(connection: sqlite3.Connection, session: SessionId) -> frozenset[str]:
    """Return the messages and calls that must not be read again; an empty name means all of the session."""
    rows = connection.execute(
        "SELECT name FROM inbox WHERE session = ? AND done = ?", (session, ERASED_STATE)
    ).fetchall()
    return frozenset(row["name"].removeprefix(ERASED_PREFIX) for row in rows)


def note_erased(connection: sqlite3.Connection, session: str, names: Collection[str]) -> None:
    for name in names:
        row: dict[str, object] = {"session": session, "name": f"{ERASED_PREFIX}{name}", "event": "{}", "at_ms": 0}
        row |= {"hash": row_hash(row, INBOX_HASHED), "done": ERASED_STATE}
        connection.execute(
            "INSERT OR IGNORE INTO inbox (session, name, event, at_ms, hash, done) "
            "VALUES (:session, :name, :event, :at_ms, :hash, :done)",
            row,
        )


def message_of(row: Mapping[str, Any] | sqlite3.Row) -> tuple[str, str]:
    """Return the session, and the name of the message or call in it."""
    return row["session"], _own_name(row["name"])


def event_row(event: Event) -> dict[str, object]:
    row: dict[str, object] = {
        "session": event.session,
        "name": _name(event),
        "event": json.dumps(_fields(event), ensure_ascii=False),
        "at_ms": to_ms(event.at),
    }
    row["hash"] = row_hash(row, INBOX_HASHED)
    return row


def texts_of(row: Mapping[str, Any] | sqlite3.Row) -> list[str]:
    """Return the texts of the event, and the input of a tool."""
    texts: list[str] = []

    def collect(text: str) -> str:
        texts.append(text)
        return text

    _replace_texts(json.loads(row["event"]), collect)
    return texts


def rewrite_event(connection: sqlite3.Connection, row: sqlite3.Row, rewrite: Callable[[str], str]) -> None:
    event = json.dumps(_replace_texts(json.loads(row["event"]), rewrite), ensure_ascii=False)
    new_hash = row_hash({**dict(row), "event": event}, INBOX_HASHED)
    connection.execute("UPDATE inbox SET event = ?, hash = ? WHERE n = ?", (event, new_hash, row["n"]))


def _event_or_none(row: sqlite3.Row) -> Event | None:
    return _event_of(row) if is_sound(row, INBOX_HASHED) else None


def _own_name(name: object) -> str:
    return str(name or "").partition("/")[2]


def _name(event: Event) -> str | None:
    match event:
        case Prompt() | Reply():
            return f"{_TAGS[type(event)]}/{event.message}"
        case ToolSucceeded() | ToolFailed():
            return None if event.call is None else f"call/{event.call}"
        case SessionEnded():
            return f"ended/{to_ms(event.at)}"
        case _:
            return None


def _fields(event: Event) -> dict[str, Any]:
    tag = _TAGS.get(type(event))
    if tag is None:
        raise TypeError(f"A {type(event).__name__} event cannot be learnt from.")
    return {"type": tag, **_ENCODERS[tag](event)}


def _event_of(row: Mapping[str, Any] | sqlite3.Row) -> Event:
    stored = json.loads(row["event"])
    tag = stored["type"]
    return _TYPES[tag](session=SessionId(row["session"]), at=from_ms(row["at_ms"]), **_DECODERS[tag](stored))


def _replace_texts(value: Any, rewrite: Callable[[str], str], *, names: bool = False) -> Any:
    """`names`: also the names of fields, which are ours at the top and a tool's inside its input."""
    if isinstance(value, str):
        return rewrite(value)
    if isinstance(value, list):
        return [_replace_texts(item, rewrite, names=names) for item in value]
    if not isinstance(value, dict):
        return value
    replaced: dict[str, Any] = {}
    for name, item in value.items():
        new_name = rewrite(name) if names else name
        replaced[new_name] = _replace_texts(item, rewrite, names=names or name == "input")
    return replaced
