"""What is kept, looked at again with the rules of this version: a chore for the background, once for each rule set.

In small steps, each of which reads some rows and writes only where one has a secret, so that nothing waits. Then come
the copies, one in each step, and last the bytes that were left behind. How far it is stays in the table of chores.
"""

import json
import sqlite3
from contextlib import closing, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

from recollect import __version__, privacy
from recollect.domain.health import Finding, fine, note
from recollect.store.sqlite import leaks, quotations
from recollect.store.sqlite.chores import Chores
from recollect.store.sqlite.database import decode_text
from recollect.store.sqlite.forgetting import SECRET_TRACE, Erasure, rewrite_copy, rewrite_lines

CHORE = "secrets"
ROWS_PER_STEP = 50  # rows, or sessions where a table is kept by these
KEYS = {"injection": "session", "recap": "session"}  # of the others: the number
COPIES, BYTES, DONE = "copies", "bytes", "done"


@cache
def rules() -> str:
    """A digest of all rules: other rules, another digest."""
    digest = sha256()
    for file in sorted(Path(privacy.__path__[0]).glob("secret*.py")) or [Path()]:
        digest.update(file.read_bytes() if file.name else __version__.encode())
    return digest.hexdigest()[:16]


class SecretRescan(Erasure, Chores):
    def look_again(self) -> bool:
        """Take one step. False: everything was looked at with these rules."""
        at, after, taken_out = self._rescanned()
        if at == DONE:
            return False
        if at in leaks.TABLES:
            last, found = self._next_rows(at, after)
            following = [*leaks.TABLES, COPIES]
            at_next = at if last is not None else following[following.index(at) + 1]
            self._note(at_next, last, taken_out + found)
        elif at == COPIES:
            copies = self._copies()
            number = int(after or 0)
            if number < len(copies):
                self._clean_copy(copies[number])
            self._note(COPIES if number + 1 < len(copies) else BYTES, number + 1, taken_out)
        else:
            with self._database.translating_file_errors():
                for aside in self._files_beside("damaged-*.jsonl"):
                    rewrite_lines(aside, leaks.line_without_secrets)
            if taken_out:
                with self._database.write() as connection:
                    connection.execute("INSERT OR IGNORE INTO trace VALUES (?)", (SECRET_TRACE,))
                self.scrub()
            self._note(DONE, None, taken_out)
        return at != BYTES

    def looked_again(self) -> Finding | None:
        """How far it is; None: it has not begun."""
        if self.chore_state(CHORE) is None:
            return None
        at, _, taken_out = self._rescanned()
        if at == DONE:
            found = f"{taken_out} secrets were taken out" if taken_out else "no secret was found"
            return fine(CHORE, f"what is kept was looked at with the rules of this version: {found}")
        says = f"what is kept is being looked at with the rules of this version ({leaks.TABLES.get(at, at)})"
        return note(CHORE, says, "The daemon does it in the background; `recollect doctor --repair` does it now.")

    def finish_rescan(self, taken_out: int) -> None:
        """All of it was looked at otherwise."""
        self._note(DONE, None, taken_out)

    def _rescanned(self) -> tuple[str, int | str | None, int]:
        with suppress(ValueError, KeyError, TypeError):
            kept = json.loads(self.chore_state(CHORE) or "")
            if kept["rules"] == rules():
                return kept["at"], kept["after"], kept["taken_out"]
        return next(iter(leaks.TABLES)), None, 0

    def _note(self, at: str, after: int | str | None, taken_out: int) -> None:
        state = {"rules": rules(), "at": at, "after": after, "taken_out": taken_out}
        self.finish_chore(CHORE, json.dumps(state))

    def _next_rows(self, table: str, after: int | str | None) -> tuple[int | str | None, int]:
        """The last key of these rows, and how many secrets were taken out; None: there are no more rows."""
        key = KEYS.get(table, "n")
        first = after if after is not None else ("" if key == "session" else -1)
        keys = f"SELECT DISTINCT {key} AS k FROM {table} WHERE {key} > ? ORDER BY k LIMIT {ROWS_PER_STEP}"
        with self._database.read() as connection:
            (last,) = connection.execute(f"SELECT max(k) FROM ({keys})", (first,)).fetchone()
            rows = _between(connection, table, key, first, last) if last is not None else []
        if not any(leaks.has_secret(table, row) for row in rows):
            return last, 0
        with self._database.write() as connection:  # read again: somebody may have written meanwhile
            return last, len(leaks.remove_from_rows(connection, table, _between(connection, table, key, first, last)))

    def _clean_copy(self, copy: Path) -> None:
        with (
            suppress(sqlite3.Error),
            closing(sqlite3.connect(f"{copy.absolute().as_uri()}?mode=ro", uri=True)) as opened,
        ):
            opened.row_factory = sqlite3.Row
            opened.text_factory = decode_text
            tables = [table for table in leaks.TABLES if table in quotations.table_names(opened)]
            if not any(leaks.count_rows(opened, table) for table in tables):
                return
        with self._database.translating_file_errors():
            rewrite_copy(copy, leaks.remove_secrets, [])


def _between(
    connection: sqlite3.Connection, table: str, key: str, first: int | str, last: int | str
) -> list[sqlite3.Row]:
    return connection.execute(f"SELECT * FROM {table} WHERE {key} > ? AND {key} <= ?", (first, last)).fetchall()
