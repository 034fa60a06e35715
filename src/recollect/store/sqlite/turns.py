"""The archive of sessions in SQLite: turns, and the index over their words."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime

from recollect.domain.memory import ProjectId
from recollect.domain.session import Turn
from recollect.store.sqlite import index
from recollect.store.sqlite.database import Database
from recollect.store.sqlite.rows import TURN_WORDS, is_sound, to_ms, turn_of, turn_row

_COLUMNS = ("session", "message", "project", "role", "text", "at_ms", "hash")
_INSERT = f"INSERT INTO turn ({', '.join(_COLUMNS)}) VALUES ({', '.join(f':{name}' for name in _COLUMNS)})"


class Turns:
    _database: Database

    def add_turns(self, turns: Iterable[Turn]) -> None:
        with self._database.write() as connection:
            for turn in turns:
                known = connection.execute(
                    "SELECT n FROM turn WHERE session = ? AND message = ?", (turn.session, turn.message)
                ).fetchone()
                if known is not None:  # the same message again, perhaps longer: its newest state is what was said
                    index.drop_turn(connection, known["n"])
                    connection.execute("DELETE FROM turn WHERE n = ?", (known["n"],))
                n = connection.execute(_INSERT, turn_row(turn)).lastrowid
                if n is not None:
                    index.add_turn(connection, n, turn.project, turn.text)

    def search_turns(self, words: Sequence[str], project: ProjectId | None, *, limit: int) -> list[Turn]:
        if not words:
            return []
        with self._database.read() as connection:
            found = connection.execute(
                "SELECT rowid FROM turn_words WHERE turn_words MATCH ? AND rank MATCH 'bm25(0.0, 1.0)' "
                "ORDER BY rank, rowid LIMIT ?",
                (index.match_turns(words, project), limit),
            ).fetchall()
            rows = connection.execute(
                "SELECT turn.* FROM json_each(?) AS found JOIN turn ON turn.n = found.value ORDER BY found.key",
                (json.dumps([row["rowid"] for row in found]),),
            ).fetchall()
        return [turn_of(row) for row in rows if is_sound(row, TURN_WORDS)]

    def count_turns(self) -> int:
        with self._database.read() as connection:
            return int(connection.execute("SELECT count(*) AS n FROM turn").fetchone()["n"])

    def drop_turns_before(self, moment: datetime) -> int:
        with self._database.read() as connection:
            old = connection.execute("SELECT n FROM turn WHERE at_ms < ?", (to_ms(moment),)).fetchall()
        if not old:  # as almost always: nobody has to wait for a transaction that does nothing
            return 0
        with self._database.write() as connection:
            for row in old:
                index.drop_turn(connection, row["n"])
                connection.execute("DELETE FROM turn WHERE n = ?", (row["n"],))
        return len(old)
