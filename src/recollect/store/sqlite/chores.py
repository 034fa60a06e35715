"""Chores in SQLite: work that an upgrade leaves to the background, done once per state (a rule set or a version)."""

from recollect.store.sqlite.database import Database


class Chores:
    _database: Database

    def chore_state(self, name: str) -> str | None:
        """Return the state in which the chore last finished; None: never."""
        row = self._database.fetch_one("SELECT state FROM chore WHERE name = ?", (name,))
        return None if row is None else str(row["state"])

    def back_up(self) -> None:
        """Copy the whole database, as an upgrade does before it changes anything."""
        with self._database.translating_file_errors():
            self._database.back_up_now()

    def finish_chore(self, name: str, state: str) -> None:
        with self._database.write() as connection:
            connection.execute("INSERT OR REPLACE INTO chore VALUES (?, ?)", (name, state))
