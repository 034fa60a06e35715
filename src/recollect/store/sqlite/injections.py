"""Sessions, the injection log and counters of use, in SQLite. Neither hash nor history covers the counters."""

import json
import sqlite3
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from recollect.domain.injection import LogEntry, LogKey, Moment, MomentUsage
from recollect.domain.memory import MemoryId, MessageId, ProjectId, SessionId
from recollect.domain.session import Session
from recollect.store.sqlite.database import Database, Values, columns_and_values
from recollect.store.sqlite.reasons import NO_REASONS
from recollect.store.sqlite.rows import (
    LAST_CHARACTER,
    START_BLOCK,
    DamagedRow,
    from_ms,
    log_entry,
    log_row,
    session_of,
    session_row,
    to_ms,
)

_THESE = "WHERE id IN (SELECT value FROM json_each(:ids))"
_THIS = "session = :session AND message = :message AND call = :call AND context = :context"
# Without the reasons: every prompt reads the live context, and a long session has many reasons.
_WITHOUT_REASONS = f"""
    session, message, context, call, point, placement, block, tokens, budget, ids, corrected, considered, quiet,
    '{NO_REASONS}' AS reasons, at_ms, took_ms, confirmed, hash
"""


class Injections:
    _database: Database

    def session(self, session_id: SessionId) -> Session | None:
        return self._fetch_session("SELECT * FROM session WHERE id = ?", (session_id,))

    def last_session(self, project: ProjectId | None = None) -> Session | None:
        of_project = "" if project is None else "WHERE session.project = :project"
        return self._fetch_session(
            "SELECT session.* FROM injection JOIN session ON session.id = injection.session "
            f"{of_project} ORDER BY injection.at_ms DESC LIMIT 1",
            {"project": project},
        )

    def sessions_with_prefix(self, prefix: str, *, limit: int) -> list[Session]:
        rows = self._database.fetch_all(
            "SELECT * FROM session WHERE id >= ? AND id < ? ORDER BY id LIMIT ?",
            (prefix, prefix + LAST_CHARACTER, limit),
        )
        return [session_of(row) for row in rows]

    def session_ids(self) -> list[SessionId]:
        rows = self._database.fetch_all("SELECT id FROM session UNION SELECT session FROM turn ORDER BY 1")
        return [SessionId(row["id"]) for row in rows]

    def sessions_to_ask(
        self, project: ProjectId | None, host: str, *, since: datetime, most: int
    ) -> list[tuple[Session, datetime]]:
        rows = self._database.fetch_all(
            "SELECT session.*, max(turn.at_ms) AS last_ms FROM session JOIN turn ON turn.session = session.id "
            "WHERE session.project IS ? AND host = ? AND captures = 1 AND (parent IS NULL OR forked = 1) "
            "AND asked < ? AND started_ms >= ? GROUP BY session.id ORDER BY asked DESC, last_ms DESC, session.id",
            (project, host, most, to_ms(since)),
        )
        sessions = []
        for row in rows:
            with suppress(DamagedRow):
                sessions.append((session_of(row), from_ms(row["last_ms"])))
        return sessions

    def note_asked(self, session_id: SessionId, times: int) -> None:
        with self._database.write() as connection:
            connection.execute("UPDATE session SET asked = asked + ? WHERE id = ?", (times, session_id))

    def begin_session(self, session: Session) -> Session:
        row = session_row(session)
        with self._database.write() as connection:
            connection.execute(f"INSERT OR IGNORE INTO session {columns_and_values(row)}", row)
            kept = connection.execute("SELECT * FROM session WHERE id = ?", (session.id,)).fetchone()
        return session_of(kept)

    def keep_session(self, session: Session) -> None:
        with self._database.write() as connection:
            connection.execute(
                "UPDATE session SET recalls = :recalls, captures = :captures, ended_ms = :ended_ms WHERE id = :id",
                session_row(session),
            )

    def begin_context(self, session_id: SessionId) -> Session:
        with self._database.write() as connection:
            row = connection.execute(
                "UPDATE session SET context = context + 1 WHERE id = ? RETURNING *", (session_id,)
            ).fetchone()
        return session_of(row)

    def record(self, sent: LogEntry) -> LogEntry:
        with self._database.write() as connection:
            # First recorded is final: a second answer for the same message would invalidate the provider's cache.
            row = log_row(sent)
            first = connection.execute(f"SELECT * FROM injection WHERE {_THIS}", row).fetchone()
            kept = log_entry(first) if first else None
            if kept is None:
                connection.execute(f"INSERT OR REPLACE INTO injection {columns_and_values(row)}", row)
                if sent.confirmed and sent.injection.ids:
                    _note_shown(connection, str(row["ids"]), to_ms(sent.at))
        return kept or sent

    def confirm(self, session_id: SessionId, carriers: Collection[str]) -> None:
        with self._database.write() as connection:
            rows = connection.execute(
                "UPDATE injection SET confirmed = 1 WHERE session = ? AND message <> ? AND confirmed = 0 AND "
                "iif(call = '', message, message || '/' || call) IN (SELECT value FROM json_each(?)) "
                "RETURNING ids, at_ms",
                (session_id, START_BLOCK, json.dumps(list(carriers))),
            ).fetchall()
            for row in rows:
                _note_shown(connection, row["ids"], row["at_ms"])

    def confirm_one(self, key: LogKey) -> None:
        with self._database.write() as connection:
            row = connection.execute(
                f"UPDATE injection SET confirmed = 1 WHERE {_THIS} AND confirmed = 0 RETURNING ids, at_ms",
                {
                    "session": key.session,
                    "message": key.message or START_BLOCK,
                    "call": key.call,
                    "context": key.context,
                },
            ).fetchone()
            if row is not None:
                _note_shown(connection, row["ids"], row["at_ms"])

    def start_block(self, session_id: SessionId, context: int) -> LogEntry | None:
        row = self._database.fetch_one(
            "SELECT * FROM injection WHERE session = ? AND message = ? AND context = ?",
            (session_id, START_BLOCK, context),
        )
        return log_entry(row) if row else None

    def find_sent(self, session_id: SessionId, messages: Collection[MessageId], *, why: bool = False) -> list[LogEntry]:
        query = f"""
            SELECT {"injection.*" if why else _WITHOUT_REASONS} FROM json_each(?) AS asked JOIN injection
            ON injection.session = ? AND injection.message = asked.value AND injection.message <> ''
            ORDER BY injection.context, injection.at_ms, injection.message, injection.call
        """
        rows = self._database.fetch_all(query, (json.dumps(list(messages)), session_id))
        first: dict[tuple[MessageId | None, str], LogEntry] = {}
        for sent in filter(None, map(log_entry, rows)):
            first.setdefault((sent.message, sent.call), sent)
        return list(first.values())

    def count_at_moment(self, session_id: SessionId, context: int, point: Moment) -> int:
        statement = "SELECT count(*) FROM injection WHERE session = ? AND context = ? AND point = ?"
        return self._database.count(statement, (session_id, context, point))

    def log_of_context(self, session_id: SessionId, context: int) -> list[LogEntry]:
        # In a long session most prompts get no block: reading all these rows would take longer with each prompt.
        rows = self._database.fetch_all(
            f"SELECT {_WITHOUT_REASONS} FROM injection WHERE session = :session AND context = :context AND ("
            "block <> '' OR message = '' OR (message, call) = ("
            "SELECT message, call FROM injection WHERE session = :session AND context = :context AND block = '' "
            "AND message <> '' ORDER BY point = 'prompt' DESC, at_ms LIMIT 1)) ORDER BY at_ms, message, call",
            {"session": session_id, "context": context},
        )
        return list(filter(None, map(log_entry, rows)))

    def log_of(self, session_id: SessionId) -> list[LogEntry]:
        rows = self._database.fetch_all(
            "SELECT * FROM injection WHERE session = ? ORDER BY at_ms, context, message, call", (session_id,)
        )
        return list(filter(None, map(log_entry, rows)))

    def find_session_by_times(self, moments: Collection[datetime], *, like: Session) -> Session | None:
        return self._fetch_session(
            "SELECT session.* FROM json_each(:moments) AS asked JOIN injection ON injection.at_ms = asked.value "
            "JOIN session ON session.id = injection.session "
            "WHERE injection.message <> :stable AND session.id <> :id AND host = :host AND project IS :project "
            "GROUP BY session.id ORDER BY count(DISTINCT injection.at_ms) DESC, started_ms DESC, session.id "
            "LIMIT 1",
            {**session_row(like), "moments": json.dumps(sorted(map(to_ms, moments))), "stable": START_BLOCK},
        )

    def _fetch_session(self, statement: str, values: Values) -> Session | None:
        row = self._database.fetch_one(statement, values)
        return session_of(row) if row else None

    def copy_log(self, parent: Session, child: Session, sent: Sequence[LogEntry], *, context: int) -> Session:
        with self._database.write() as connection:
            for one in sent:
                row = {**log_row(replace(one, session=child.id)), "copied": 1}
                connection.execute(f"INSERT OR REPLACE INTO injection {columns_and_values(row)}", row)
            row = connection.execute(
                "UPDATE session SET context = ?, parent = coalesce(parent, ?), forked = 1 WHERE id = ? RETURNING *",
                (context, parent.id, child.id),
            ).fetchone()
        return session_of(row)

    def usage(self, session_id: SessionId | None = None) -> list[MomentUsage]:
        # Blocks that a fork copied were shown in its parent, and are counted there.
        where = "WHERE copied = 0" if session_id is None else "WHERE copied = 0 AND session = :session"
        rows = self._database.fetch_all(
            f"""
            SELECT point, count(*) AS injections, sum(block <> '') AS blocks, sum(tokens) AS tokens,
                sum(json_array_length(ids)) AS memories, sum(iif(block <> '', budget, 0)) AS budget,
                avg(took_ms) AS took_ms
            FROM injection {where} GROUP BY point
            """,
            {"session": session_id},
        )
        found = [
            MomentUsage(
                point=Moment(row["point"]),
                injections=row["injections"],
                blocks=row["blocks"],
                tokens=row["tokens"],
                memories=row["memories"],
                budget_tokens=row["budget"],
                took_ms=row["took_ms"],
            )
            for row in rows
        ]
        return sorted(found, key=lambda usage: list(Moment).index(usage.point))

    def drop_reasons_before(self, moment: datetime) -> None:
        with self._database.write() as connection:
            connection.execute(
                "UPDATE injection SET reasons = ? WHERE at_ms < ? AND reasons <> ?",
                (NO_REASONS, to_ms(moment), NO_REASONS),
            )

    def note_use(self, used: Collection[MemoryId], unused: Collection[MemoryId], at: datetime) -> None:
        with self._database.write() as connection:
            connection.execute(
                f"UPDATE memory SET used = used + 1, last_used_ms = :at_ms {_THESE}",
                {"ids": json.dumps(list(used)), "at_ms": to_ms(at)},
            )
            connection.execute(f"UPDATE memory SET unused = unused + 1 {_THESE}", {"ids": json.dumps(list(unused))})

    def note_feedback(self, memories: Collection[MemoryId], change: int) -> None:
        with self._database.write() as connection:
            connection.execute(
                f"UPDATE memory SET feedback = feedback + :change {_THESE}",
                {"ids": json.dumps(list(memories)), "change": change},
            )


def _note_shown(connection: sqlite3.Connection, ids: str, at_ms: int) -> None:
    """`ids`: a JSON list, as the injection log has it."""
    connection.execute(
        f"UPDATE memory SET shown = shown + 1, last_shown_ms = :at_ms {_THESE}", {"ids": ids, "at_ms": at_ms}
    )
