"""Sessions and the injection log in SQLite."""

import json
from collections.abc import Collection

from recollect.domain.injection import Sent, Session
from recollect.domain.memory import MessageId, SessionId
from recollect.store.sqlite.database import Database
from recollect.store.sqlite.rows import STABLE, sent_of, sent_row, session_of, to_ms

_COLUMNS = "session, message, context, placement, block, tokens, ids, considered, at_ms, took_ms, confirmed, hash"
_VALUES = ", ".join(f":{name}" for name in _COLUMNS.split(", "))


class Injections:
    _database: Database

    def session(self, session_id: SessionId) -> Session | None:
        with self._database.read() as connection:
            row = connection.execute("SELECT * FROM session WHERE id = ?", (session_id,)).fetchone()
        return session_of(row) if row else None

    def begin_session(self, session: Session) -> Session:
        row = (session.id, session.host, session.project, session.language, to_ms(session.started_at), session.context)
        with self._database.write() as connection:
            connection.execute("INSERT OR IGNORE INTO session VALUES (?, ?, ?, ?, ?, ?)", row)
            kept = connection.execute("SELECT * FROM session WHERE id = ?", (session.id,)).fetchone()
        return session_of(kept)

    def begin_context(self, session_id: SessionId) -> Session:
        with self._database.write() as connection:
            row = connection.execute(
                "UPDATE session SET context = context + 1 WHERE id = ? RETURNING *", (session_id,)
            ).fetchone()
        return session_of(row)

    def record(self, sent: Sent) -> Sent:
        with self._database.write() as connection:
            # First recorded is final: a second answer for the same message would rewrite what the provider cached.
            row = sent_row(sent)
            first = connection.execute(
                "SELECT * FROM injection WHERE session = :session AND message = :message AND context = :context", row
            ).fetchone()
            kept = sent_of(first) if first else None
            if kept is None:
                connection.execute(f"INSERT OR REPLACE INTO injection ({_COLUMNS}) VALUES ({_VALUES})", row)
        return kept or sent

    def confirm(self, session_id: SessionId, messages: Collection[MessageId]) -> None:
        with self._database.write() as connection:
            connection.execute(
                "UPDATE injection SET confirmed = 1 "
                "WHERE session = ? AND message IN (SELECT value FROM json_each(?)) AND message <> ?",
                (session_id, json.dumps(list(messages)), STABLE),
            )

    def stable(self, session_id: SessionId, context: int) -> Sent | None:
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT * FROM injection WHERE session = ? AND message = ? AND context = ?",
                (session_id, STABLE, context),
            ).fetchone()
        return sent_of(row) if row else None

    def sent_with(self, session_id: SessionId, messages: Collection[MessageId]) -> dict[MessageId, Sent]:
        # One parameter for any number of ids; newest context last, so that the first one recorded is what stays.
        query = """
            SELECT injection.* FROM json_each(?) AS asked JOIN injection
            ON injection.session = ? AND injection.message = asked.value ORDER BY injection.context DESC
        """
        with self._database.read() as connection:
            rows = connection.execute(query, (json.dumps(list(messages)), session_id)).fetchall()
        logged = filter(None, map(sent_of, rows))
        return {sent.message: sent for sent in logged if sent.message is not None}

    def in_context(self, session_id: SessionId, context: int) -> list[Sent]:
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT * FROM injection WHERE session = ? AND context = ? ORDER BY at_ms, message",
                (session_id, context),
            ).fetchall()
        return [*filter(None, map(sent_of, rows))]
