"""Recaps of sessions, in SQLite: notes with codes, and a summary."""

import sqlite3
from datetime import datetime

from recollect.domain.memory import LATEST, ProjectId, SessionId
from recollect.domain.session import Recap
from recollect.store.sqlite.database import Database
from recollect.store.sqlite.rows import recap_of, recap_row, to_ms


class Recaps:
    _database: Database

    def keep_recap(self, recap: Recap) -> None:
        with self._database.write() as connection:
            rewrite(connection, recap)

    def recap(self, session: SessionId) -> Recap | None:
        row = self._database.fetch_one("SELECT * FROM recap WHERE session = ?", (session,))
        return None if row is None else recap_of(row)

    def recaps(self, project: ProjectId, *, limit: int, until: datetime | None = None) -> list[Recap]:
        rows = self._database.fetch_all(
            "SELECT * FROM recap WHERE project = ? AND at_ms <= ? ORDER BY at_ms DESC, session LIMIT ?",
            (project, to_ms(until or LATEST), limit),
        )
        return [recap for recap in map(recap_of, rows) if recap is not None]

    def drop_recaps_before(self, moment: datetime) -> None:
        with self._database.write() as connection:
            connection.execute("DELETE FROM recap WHERE at_ms < ?", (to_ms(moment),))


def rewrite(connection: sqlite3.Connection, recap: Recap) -> None:
    """Replace the session's recap."""
    connection.execute(
        "INSERT OR REPLACE INTO recap (session, project, at_ms, notes, summary, hash) "
        "VALUES (:session, :project, :at_ms, :notes, :summary, :hash)",
        recap_row(recap),
    )
