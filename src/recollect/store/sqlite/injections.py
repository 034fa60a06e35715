"""Sessions and the injection log in SQLite."""

from collections.abc import Sequence

from recollect.domain.injection import Sent, Session
from recollect.domain.memory import MessageId, SessionId
from recollect.store.sqlite.database import Database
from recollect.store.sqlite.rows import STABLE, sent_of, sent_row, session_of, to_ms

_COLUMNS = "session, message, context, placement, block, tokens, ids, considered, at_ms, took_ms"
_VALUES = ", ".join(f":{name}" for name in _COLUMNS.split(", "))


class Injections:
    def __init__(self, database: Database) -> None:
        self._database = database

    def session(self, session_id: SessionId) -> Session | None:
        with self._database.read() as connection:
            row = connection.execute("SELECT * FROM session WHERE id = ?", (session_id,)).fetchone()
        return session_of(row) if row else None

    def save_session(self, session: Session) -> None:
        with self._database.write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO session VALUES (?, ?, ?, ?, ?, ?)",
                (
                    session.id,
                    session.host,
                    session.project,
                    session.language,
                    to_ms(session.started_at),
                    session.context,
                ),
            )

    def record(self, sent: Sent) -> Sent:
        row = sent_row(sent)
        with self._database.write() as connection:
            # First recorded is final: a second answer for the same message would rewrite what the provider cached.
            connection.execute(f"INSERT OR IGNORE INTO injection ({_COLUMNS}) VALUES ({_VALUES})", row)
            final = connection.execute(
                "SELECT * FROM injection WHERE session = :session AND message = :message AND context = :context", row
            ).fetchone()
        return sent_of(final)

    def withdraw(self, sent: Sent) -> None:
        with self._database.write() as connection:
            connection.execute(f"INSERT OR REPLACE INTO injection ({_COLUMNS}) VALUES ({_VALUES})", sent_row(sent))

    def stable(self, session_id: SessionId, context: int) -> Sent | None:
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT * FROM injection WHERE session = ? AND message = ? AND context = ?",
                (session_id, STABLE, context),
            ).fetchone()
        return sent_of(row) if row else None

    def sent(self, session_id: SessionId, message: MessageId) -> Sent | None:
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT * FROM injection WHERE session = ? AND message = ? ORDER BY context", (session_id, message)
            ).fetchone()
        return sent_of(row) if row else None

    def blocks(self, session_id: SessionId, messages: Sequence[MessageId]) -> dict[MessageId, str]:
        logged = {message: self.sent(session_id, message) for message in messages}
        return {message: sent.injection.block for message, sent in logged.items() if sent is not None}

    def in_context(self, session_id: SessionId, context: int) -> list[Sent]:
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT * FROM injection WHERE session = ? AND context = ? ORDER BY at_ms, message",
                (session_id, context),
            ).fetchall()
        return [sent_of(row) for row in rows]
