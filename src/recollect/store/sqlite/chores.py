"""Chores in SQLite: work that an upgrade leaves for the background, done once per state (a rule set, a version)."""

from recollect.store.sqlite.database import Database


class Chores:
    _database: Database

    def chore_state(self, name: str) -> str | None:
        """Return the state that the chore was last finished in; None: never."""
        with self._database.read() as connection:
            row = connection.execute("SELECT state FROM chore WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row["state"])

    def back_up(self) -> None:
        """Copy all of it, as an upgrade does before it changes something."""
        with self._database.translating_file_errors():
            self._database.back_up_now()

    def finish_chore(self, name: str, state: str) -> None:
        with self._database.write() as connection:
            connection.execute("INSERT OR REPLACE INTO chore VALUES (?, ?)", (name, state))
