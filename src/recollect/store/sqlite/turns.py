"""The archive of sessions in SQLite: turns, the index over their words, and how far old transcripts were read."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from recollect.domain.memory import MessageId, ProjectId, SessionId
from recollect.domain.search import EVERYTHING, Filters, Meaning, TurnMatches
from recollect.domain.session import Turn
from recollect.domain.transcript import Mark
from recollect.domain.vector import Vector
from recollect.store.sqlite import index, vectors
from recollect.store.sqlite.archive_index import ArchiveIndex, spread
from recollect.store.sqlite.database import Database, columns_and_values
from recollect.store.sqlite.rows import TURN_HASHED, is_sound, to_ms, turn_of, turn_row
from recollect.store.sqlite.vector_cache import VectorCache, cosines_of, vectors_at

if TYPE_CHECKING:
    from recollect.domain.search import Reals


class Turns:
    _database: Database
    _vector_cache: VectorCache
    _archive_index: ArchiveIndex

    def add_turns(self, turns: Iterable[Turn], *, only_new: bool = False) -> int:
        added = 0
        with self._database.write() as connection:
            for turn in turns:
                known = connection.execute(
                    "SELECT n FROM turn WHERE session = ? AND message = ?", (turn.session, turn.message)
                ).fetchone()
                if known is None:
                    added += 1
                elif only_new:
                    continue
                else:  # the same message again, perhaps longer: its newest state counts
                    _drop(connection, known["n"])
                row = turn_row(turn)
                n = connection.execute(f"INSERT INTO turn {columns_and_values(row)}", row).lastrowid
                if n is not None:
                    index.add_turn(connection, n, turn.project, turn.text, to_ms(turn.at))
                    vectors.enqueue_again(connection, "turn", n)
        return added

    def look_up_turns(
        self,
        words: Sequence[str],
        project: ProjectId | None,
        *,
        filters: Filters = EVERYTHING,
        running: Collection[SessionId] | None = None,
    ) -> TurnMatches:
        place = index.place_of_turns(project)
        with self._database.read() as connection:
            shape = self._archive_index.shape_of(connection, project)
            first = 0 if running is None else shape.first_quotable
            found = index.rows_with(connection, "turn_words", [place], words, first=first)
        if running is not None:
            shape = shape.only_quotable(running)
        return shape.match_words(found, filters, first=first)

    def turn_cosines(self, turns: TurnMatches, meaning: Meaning) -> "Reals | None":
        with self._database.read() as connection:
            newest = vectors.newest_revision(connection, "turn_vector", meaning.model)
            if newest is None:
                return None
            place = index.place_of_turns(turns.project)
            matrix = self._vector_cache.turn_matrix(connection, place, newest, first=turns.first_number)
        return spread(turns.numbers, matrix.numbers, matrix.cosines(meaning.vector))

    def passage_cosines(self, numbers: Sequence[int], vector: Vector) -> list[tuple[float, ...]]:
        rows = self._database.fetch_all(
            "SELECT passages FROM json_each(?) AS asked LEFT JOIN turn_vector ON turn_vector.n = asked.value "
            "ORDER BY asked.key",
            (json.dumps(list(numbers)),),
        )
        return cosines_of([row["passages"] or b"" for row in rows], vector)

    def passage_vectors(self, which: Mapping[int, int]) -> dict[int, Vector]:
        rows = self._database.fetch_all(
            "SELECT n, passages FROM turn_vector WHERE n IN (SELECT value FROM json_each(?))",
            (json.dumps(list(which)),),
        )
        return vectors_at(which, rows)

    def turns(self, numbers: Sequence[int]) -> list[Turn | None]:
        rows = self._database.fetch_all(
            "SELECT turn.* FROM json_each(?) AS found LEFT JOIN turn ON turn.n = found.value ORDER BY found.key",
            (json.dumps(list(numbers)),),
        )
        return [turn_of(row) if row["n"] is not None and is_sound(row, TURN_HASHED) else None for row in rows]

    def turns_until(self, session: SessionId, message: MessageId, *, limit: int) -> list[Turn]:
        rows = self._database.fetch_all(
            "SELECT * FROM turn WHERE session = :session AND (at_ms, n) <= "
            "(SELECT at_ms, n FROM turn WHERE session = :session AND message = :message) "
            "ORDER BY at_ms DESC, n DESC LIMIT :limit",
            {"session": session, "message": message, "limit": limit},
        )
        if not all(is_sound(row, TURN_HASHED) for row in rows):
            return []
        return [turn_of(row) for row in reversed(rows)]

    def turns_of(self, session: SessionId) -> list[Turn]:
        rows = self._database.fetch_all("SELECT * FROM turn WHERE session = ? ORDER BY at_ms, n", (session,))
        return [turn_of(row) for row in rows if is_sound(row, TURN_HASHED)]

    def has_turns(self, session: SessionId) -> bool:
        found = self._database.fetch_one("SELECT 1 FROM turn WHERE session = ? LIMIT 1", (session,))
        return found is not None

    def drop_turns_before(self, moment: datetime) -> int:
        old = self._database.fetch_all("SELECT n FROM turn WHERE at_ms < ?", (to_ms(moment),))
        if not old:  # almost always: other writers need not wait for an empty transaction
            return 0
        with self._database.write() as connection:
            for row in old:
                _drop(connection, row["n"])
        return len(old)

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


def _drop(connection: sqlite3.Connection, n: int) -> None:
    index.drop_turn(connection, n)
    vectors.drop(connection, "turn", n)
    connection.execute("DELETE FROM turn WHERE n = ?", (n,))
