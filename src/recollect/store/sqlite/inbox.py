"""What happened in sessions and is not learnt from yet, in SQLite. Texts come redacted.

A row stays until its session is closed, so that whoever goes on after a crash knows what was said before. Of a message
that was forgotten for good, a row without a word stays for ever: the same message is not written down again."""

import json
import sqlite3
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from recollect.domain.event import Compacted, Event, Prompt, Reply, SessionEnded, ToolFailed, ToolSucceeded
from recollect.domain.inbox import Received
from recollect.domain.learning import Origin
from recollect.domain.memory import MessageId, SessionId
from recollect.domain.session import Note, Summary
from recollect.store.sqlite.database import Database
from recollect.store.sqlite.rows import from_ms, is_sound, row_hash, to_ms

INBOX_HASH_COLUMNS = ("session", "name", "event", "at_ms")
ERASED_PREFIX = "gone/"  # before the name of a message that was forgotten for good
ERASED_STATE = 2  # `done` of such a row, which is neither new nor learnt from


class InboxTable:
    _database: Database

    def put_event(self, event: Event) -> None:
        row = event_row(event)
        row["gone"] = f"{ERASED_PREFIX}{_own_name(row['name']) or '/'}"  # of one without a name, none is
        with self._database.write() as connection:
            connection.execute(
                "INSERT INTO inbox (session, name, event, at_ms, hash) SELECT :session, :name, :event, :at_ms, :hash "
                "WHERE NOT EXISTS (SELECT 1 FROM inbox WHERE session = :session AND name = :gone) "
                # The same message again, perhaps longer: its newest state is what was said.
                "ON CONFLICT (session, name) DO UPDATE SET event = :event, hash = :hash, at_ms = :at_ms, done = 0, "
                "tries = 0 WHERE event <> :event",
                row,
            )

    def waiting_events(self, *, limit: int) -> list[Received]:
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT * FROM inbox WHERE done = 0 ORDER BY tries > 0, n LIMIT ?", (limit,)
            ).fetchall()
        return [Received(number=row["n"], event=_event_or_none(row), tries=row["tries"]) for row in rows]

    def count_waiting_events(self, session: SessionId | None = None) -> int:
        with self._database.read() as connection:
            counted = "SELECT count(*) AS n FROM inbox WHERE done = 0 AND ifnull(session = ?, 1)"
            return int(connection.execute(counted, (session,)).fetchone()["n"])

    def heard_events(self, session: SessionId, *, limit: int, waiting: bool = False) -> list[Event]:
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT * FROM (SELECT * FROM inbox WHERE session = ? AND done BETWEEN ? AND 1 "
                "ORDER BY n DESC LIMIT ?) ORDER BY n",
                (session, 0 if waiting else 1, limit),
            ).fetchall()
        return [event for event in map(_event_or_none, rows) if event is not None]

    def try_event(self, received: Received) -> Received:
        with self._database.write() as connection:
            # Of two who try at once, each knows that it was the first or the second.
            tried = connection.execute(
                "UPDATE inbox SET tries = tries + 1 WHERE n = ? RETURNING tries", (received.number,)
            ).fetchone()
        return received if tried is None else replace(received, tries=tried["tries"])

    def finish_event(self, received: Received) -> bool:
        with self._database.write() as connection:
            done = connection.execute(
                "UPDATE inbox SET done = 1 WHERE n = ? AND done = 0 AND tries = ?", (received.number, received.tries)
            )
            return done.rowcount > 0

    def drop_events(self, session: SessionId) -> None:
        with self._database.write() as connection:
            connection.execute("DELETE FROM inbox WHERE session = ? AND done = 1", (session,))

    def silent_sessions(self, since: datetime) -> list[tuple[SessionId, datetime]]:
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT session, max(at_ms) AS last_ms FROM inbox WHERE done < ? "
                "GROUP BY session HAVING last_ms < ? ORDER BY session",
                (ERASED_STATE, to_ms(since)),
            ).fetchall()
        return [(SessionId(row["session"]), from_ms(row["last_ms"])) for row in rows]

    def gone(self, session: SessionId) -> frozenset[str]:
        with self._database.read() as connection:
            return erased_names(connection, session)


def erased_names(connection: sqlite3.Connection, session: SessionId) -> frozenset[str]:
    """The messages and calls of a session that are not read again; an empty name: all of them."""
    rows = connection.execute(
        "SELECT name FROM inbox WHERE session = ? AND done = ?", (session, ERASED_STATE)
    ).fetchall()
    return frozenset(row["name"].removeprefix(ERASED_PREFIX) for row in rows)


def note_erased(connection: sqlite3.Connection, session: str, names: Collection[str]) -> None:
    for name in names:
        row: dict[str, object] = {"session": session, "name": f"{ERASED_PREFIX}{name}", "event": "{}", "at_ms": 0}
        row |= {"hash": row_hash(row, INBOX_HASH_COLUMNS), "done": ERASED_STATE}
        connection.execute(
            "INSERT OR IGNORE INTO inbox (session, name, event, at_ms, hash, done) "
            "VALUES (:session, :name, :event, :at_ms, :hash, :done)",
            row,
        )


def message_of(row: Mapping[str, Any] | sqlite3.Row) -> tuple[str, str]:
    """The session, and what the message or call is called there."""
    return row["session"], _own_name(row["name"])


def event_row(event: Event) -> dict[str, object]:
    row: dict[str, object] = {
        "session": event.session,
        "name": _name(event),
        "event": json.dumps(_told(event), ensure_ascii=False),
        "at_ms": to_ms(event.at),
    }
    row["hash"] = row_hash(row, INBOX_HASH_COLUMNS)
    return row


def event_of(row: Mapping[str, Any] | sqlite3.Row) -> Event:
    told = json.loads(row["event"])
    about = {
        "session": SessionId(row["session"]),
        "at": from_ms(row["at_ms"]),
        "host": told["host"],
        "folder": told["folder"],
        "agent": told["agent"],
    }
    return _READ[told["type"]](told, about)


def texts_of(row: Mapping[str, Any] | sqlite3.Row) -> list[str]:
    """All that was said in it, and what tools were given."""
    return list(_strings(json.loads(row["event"])))


def rewrite_event(connection: sqlite3.Connection, row: sqlite3.Row, tell: Callable[[str], str]) -> None:
    """With every text told otherwise."""
    told = json.dumps(_mapped(json.loads(row["event"]), tell), ensure_ascii=False)
    hashed = row_hash({**dict(row), "event": told}, INBOX_HASH_COLUMNS)
    connection.execute("UPDATE inbox SET event = ?, hash = ? WHERE n = ?", (told, hashed, row["n"]))


def _event_or_none(row: sqlite3.Row) -> Event | None:
    """None: it is not what was written."""
    return event_of(row) if is_sound(row, INBOX_HASH_COLUMNS) else None


def _own_name(name: object) -> str:
    return str(name or "").partition("/")[2]


def _name(event: Event) -> str | None:
    match event:
        case Prompt() | Reply():
            return f"{type(event).__name__.lower()}/{event.message}"
        case ToolSucceeded() | ToolFailed():
            return None if event.call is None else f"call/{event.call}"
        case SessionEnded():
            return f"ended/{to_ms(event.at)}"
        case _:
            return None


def _told(event: Event) -> dict[str, Any]:
    about = {"host": event.host, "folder": event.folder, "agent": event.agent}
    match event:
        case Prompt():
            return {"type": "prompt", "message": event.message, "text": event.text, "origin": event.origin, **about}
        case Reply():
            return {"type": "reply", "message": event.message, "text": event.text, "final": event.final, **about}
        case ToolSucceeded():
            called = {"tool": event.tool, "input": event.input, "call": event.call}
            return {"type": "succeeded", **called, "output": event.output, **about}
        case ToolFailed():
            called = {"tool": event.tool, "input": event.input, "call": event.call, "message": event.message}
            return {"type": "failed", **called, "error": event.error, **about}
        case Compacted():
            return {"type": "compacted", "summary": event.summary, **about}
        case SessionEnded():
            notes = [str(note) for note in event.notes]
            return {"type": "ended", "notes": notes, "summary": event.summary.parts, **about}
        case _:
            raise TypeError(f"Nothing is learnt from a {type(event).__name__}.")


def _message(told: Mapping[str, Any]) -> MessageId | None:
    return None if told.get("message") is None else MessageId(told["message"])


def _ended(told: Mapping[str, Any], about: dict[str, Any]) -> Event:
    return SessionEnded(notes=tuple(map(Note.parse, told["notes"])), summary=Summary.of(told["summary"]), **about)


_READ: Mapping[str, Callable[[Mapping[str, Any], dict[str, Any]], Event]] = {
    "prompt": lambda told, about: Prompt(
        message=MessageId(told["message"]), text=told["text"], origin=Origin(told["origin"]), **about
    ),
    "reply": lambda told, about: Reply(
        message=MessageId(told["message"]), text=told["text"], final=told["final"], **about
    ),
    "succeeded": lambda told, about: ToolSucceeded(
        tool=told["tool"], input=told["input"], output=told["output"], call=told["call"], **about
    ),
    "failed": lambda told, about: ToolFailed(
        tool=told["tool"],
        input=told["input"],
        error=told["error"],
        call=told["call"],
        message=_message(told),
        **about,
    ),
    "compacted": lambda told, about: Compacted(summary=told["summary"], **about),
    "ended": _ended,
}


def _strings(value: Any, *, names: bool = False) -> list[str]:
    """`names`: also those of values, which are ours at the top and a tool's in its input."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        inside = [said for name, one in value.items() for said in _strings(one, names=names or name == "input")]
        return [*(value if names else ()), *inside]
    return [said for one in value for said in _strings(one, names=names)] if isinstance(value, list) else []


def _mapped(value: Any, tell: Callable[[str], str], *, names: bool = False) -> Any:
    if isinstance(value, str):
        return tell(value)
    if isinstance(value, dict):
        return {
            (tell(name) if names else name): _mapped(one, tell, names=names or name == "input")
            for name, one in value.items()
        }
    return [_mapped(one, tell, names=names) for one in value] if isinstance(value, list) else value
