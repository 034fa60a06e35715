"""How far old transcripts were read, in SQLite."""

from recollect.domain.transcript import Mark
from recollect.store.sqlite.database import Database


class Transcripts:
    _database: Database

    def find_mark(self, source: str) -> Mark | None:
        row = self._database.fetch_one("SELECT * FROM transcript WHERE source = ?", (source,))
        if row is None:
            return None
        return Mark(
            source=row["source"],
            state=row["state"],
            events=row["events"],
            digest=row["digest"],
            finished=bool(row["finished"]),
        )

    def keep_mark(self, mark: Mark) -> None:
        with self._database.write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO transcript (source, state, events, digest, finished) VALUES (?, ?, ?, ?, ?)",
                (mark.source, mark.state, mark.events, mark.digest, mark.finished),
            )
