"""Searches stored rows again with this version's secret rules: a background chore, once per rule set. It works in small
steps, each of which reads some rows and writes only where one has a secret, so that nothing waits. Then come the
copies, one per step, and last the bytes left behind. The table of chores keeps the progress."""

import json
import sqlite3
from contextlib import closing, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

from recollect import __version__, privacy
from recollect.domain.health import Finding, fine, note
from recollect.store.sqlite import delete_quotes, stored_secrets
from recollect.store.sqlite.database import decode_text
from recollect.store.sqlite.forgetting import SECRET_TRACE, Erasure, rewrite_copy, rewrite_lines

CHORE = "secrets"
ROWS_PER_STEP = 50  # or sessions, in a table with the session as its key
KEYS = {"injection": "session", "recap": "session"}  # other tables: the number
COPIES, BYTES, DONE = "copies", "bytes", "done"


@cache
def rules() -> str:
    """Return a digest of all rules, which changes with them."""
    digest = sha256()
    files = sorted(Path(privacy.__path__[0]).glob("secret*.py"))
    for file in files:
        digest.update(file.read_bytes())
    if not files:
        digest.update(__version__.encode())
    return digest.hexdigest()[:16]


class SecretRescan(Erasure):
    def chore_state(self, name: str) -> str | None:
        row = self._database.fetch_one("SELECT state FROM chore WHERE name = ?", (name,))
        return None if row is None else str(row["state"])

    def back_up(self) -> None:
        with self._database.translating_file_errors():
            self._database.back_up_now()

    def finish_chore(self, name: str, state: str) -> None:
        with self._database.write() as connection:
            connection.execute("INSERT OR REPLACE INTO chore VALUES (?, ?)", (name, state))

    def rescan_some(self) -> bool:
        stage, after, removed = self._progress()
        if stage == DONE:
            return False
        if stage in stored_secrets.TABLES:
            last, found = self._scan_rows(stage, after)
            if last is None:
                stages = [*stored_secrets.TABLES, COPIES]
                stage = stages[stages.index(stage) + 1]
            self._save_progress(stage, last, removed + found)
            return True
        if stage == COPIES:
            copies, number = self._copies(), int(after or 0)
            if number < len(copies):
                self._clean_copy(copies[number])
            self._save_progress(COPIES if number + 1 < len(copies) else BYTES, number + 1, removed)
            return True
        self._clean_bytes(removed)
        self._save_progress(DONE, None, removed)
        return False

    def rescan_state(self) -> Finding | None:
        if self.chore_state(CHORE) is None:
            return None
        stage, _, removed = self._progress()
        if stage == DONE:
            found = f"{removed} secrets were removed" if removed else "no secret was found"
            return fine(CHORE, f"stored data was searched with the rules of this version: {found}")
        says = (
            f"stored data is being searched with the rules of this version ({stored_secrets.TABLES.get(stage, stage)})"
        )
        return note(CHORE, says, "The daemon does it in the background; `recollect doctor --repair` does it now.")

    def finish_rescan(self, removed: int) -> None:
        """Note that a repair has searched everything."""
        self._save_progress(DONE, None, removed)

    def _progress(self) -> tuple[str, int | str | None, int]:
        """Return the stage, the last key in it, and the number of secrets removed so far."""
        with suppress(ValueError, KeyError, TypeError):
            state = json.loads(self.chore_state(CHORE) or "")
            if state["rules"] == rules():
                return state["at"], state["after"], state["taken_out"]
        return next(iter(stored_secrets.TABLES)), None, 0

    def _save_progress(self, stage: str, after: int | str | None, removed: int) -> None:
        state = {"rules": rules(), "at": stage, "after": after, "taken_out": removed}
        self.finish_chore(CHORE, json.dumps(state))

    def _scan_rows(self, table: str, after: int | str | None) -> tuple[int | str | None, int]:
        """Return the last key of these rows (None: there are no more), and the number of secrets removed."""
        key = KEYS.get(table, "n")
        first = after
        if first is None:
            first = "" if key == "session" else -1
        keys = f"SELECT DISTINCT {key} AS k FROM {table} WHERE {key} > ? ORDER BY k LIMIT {ROWS_PER_STEP}"
        with self._database.read() as connection:
            (last,) = connection.execute(f"SELECT max(k) FROM ({keys})", (first,)).fetchone()
            rows = _rows_between(connection, table, key, first, last) if last is not None else []
        if not any(stored_secrets.has_secret(table, row) for row in rows):
            return last, 0
        with self._database.write() as connection:  # read again: another process may have written meanwhile
            rows = _rows_between(connection, table, key, first, last)
            return last, len(stored_secrets.remove_from_rows(connection, table, rows))

    def _clean_copy(self, copy: Path) -> None:
        with (
            suppress(sqlite3.Error),
            closing(sqlite3.connect(f"{copy.absolute().as_uri()}?mode=ro", uri=True)) as connection,
        ):
            connection.row_factory = sqlite3.Row
            connection.text_factory = decode_text
            tables = [table for table in stored_secrets.TABLES if table in delete_quotes.table_names(connection)]
            if not any(stored_secrets.count_rows(connection, table) for table in tables):
                return
        with self._database.translating_file_errors():
            rewrite_copy(copy, stored_secrets.remove_secrets, [])

    def _clean_bytes(self, removed: int) -> None:
        with self._database.translating_file_errors():
            for aside in self._files_beside("damaged-*.jsonl"):
                rewrite_lines(aside, stored_secrets.line_without_secrets)
        if removed:
            with self._database.write() as connection:
                connection.execute("INSERT OR IGNORE INTO trace VALUES (?)", (SECRET_TRACE,))
            self.scrub()


def _rows_between(
    connection: sqlite3.Connection, table: str, key: str, first: int | str, last: int | str
) -> list[sqlite3.Row]:
    return connection.execute(f"SELECT * FROM {table} WHERE {key} > ? AND {key} <= ?", (first, last)).fetchall()
