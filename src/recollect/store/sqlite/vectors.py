"""Vectors in SQLite: what waits for one, and keeping them. They can always be made anew, so nothing else is kept safe.

Kept as float16: half the bytes of float32, and no two of them change their order by more than the hundred-thousandth
part of a cosine.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from zlib import crc32

from recollect.domain.memory import Memory
from recollect.domain.search import Embedded, MissingVectors, Unembedded
from recollect.domain.session import Turn
from recollect.domain.vector import DIMENSIONS, ModelId, Vector
from recollect.store.sqlite import index
from recollect.store.sqlite.database import Database
from recollect.store.sqlite.rows import TURN_HASH_COLUMNS, DamagedRow, is_sound, memory_of
from recollect.store.sqlite.session_rows import turn_of

VECTOR_BYTES = 2 * DIMENSIONS
_BEFORE = """
    SELECT * FROM turn WHERE session = :session AND (at_ms, n) < (:at_ms, :n) AND project IS :project
    ORDER BY at_ms DESC, n DESC LIMIT 1
"""


class Vectors:
    _database: Database
    _embedding_with: ModelId | None = None

    def unembedded(self, model: ModelId) -> int:
        """How many memories and turns have no vector of this model yet."""
        with self._database.read() as connection:
            if _model_of(connection) == model:
                statement = "SELECT count(*) AS n FROM unembedded"
            else:
                statement = (
                    "SELECT (SELECT count(*) FROM memory WHERE forgotten_ms IS NULL) + (SELECT count(*) FROM turn) AS n"
                )
            return int(connection.execute(statement).fetchone()["n"])

    def waiting(self, model: ModelId | None) -> MissingVectors:
        """The same, told apart; without a model, what waits for any."""
        with self._database.read() as connection:
            stored = _model_of(connection)
            if model is None or stored == model:
                counts = "SELECT coalesce(sum(what = 'memory'), 0), coalesce(sum(what = 'turn'), 0) FROM unembedded"
            else:
                counts = "SELECT (SELECT count(*) FROM memory WHERE forgotten_ms IS NULL), (SELECT count(*) FROM turn)"
            memories, turns = connection.execute(counts).fetchone()
        return MissingVectors(memories=memories, turns=turns, stored=None if stored is None else ModelId(stored))

    def next_unembedded(
        self, model: ModelId, *, limit: int, what: Sequence[str] = ("memory", "turn")
    ) -> list[Unembedded]:
        """Those that wait, memories before turns, the newest first; after a change of the model, all of them again."""
        with self._database.read() as connection:
            current = _model_of(connection)
            if current != model:
                if self._embedding_with == model:  # another process has begun with another model since: it may go on
                    return []
                self._begin(model)
            self._embedding_with = model
            waiting: list[sqlite3.Row] = []
            for table in what:
                waiting += _waiting_numbers(connection, table, limit - len(waiting))
            found = [_waiting(connection, row["what"], row["n"]) for row in waiting]
        gone = [(row["what"], row["n"]) for row, one in zip(waiting, found, strict=True) if one is None]
        if gone:  # deleted meanwhile, or damaged: what cannot be read has no meaning
            with self._database.write() as connection:
                connection.executemany("DELETE FROM unembedded WHERE what = ? AND n = ?", gone)
            return [one for one in found if one] or self.next_unembedded(model, limit=limit, what=what)
        return [one for one in found if one is not None]

    def keep_vectors(self, model: ModelId, made: Sequence[Embedded]) -> None:
        """What was changed since it was asked about keeps waiting."""
        with self._database.write() as connection:
            if _model_of(connection) != model:  # somebody has begun with another one
                return
            for embedded in made:
                what = embedded.what
                table = "memory" if isinstance(what.of, Memory) else "turn"
                now = _waiting(connection, table, what.number)
                # What was said before a turn is part of its meaning, and may have been forgotten since.
                if now is None or (now.hash, now.before) != (what.hash, what.before):
                    continue
                _keep(connection, what, embedded.vectors)
                connection.execute("DELETE FROM unembedded WHERE what = ? AND n = ?", (table, what.number))

    def _begin(self, model: ModelId) -> None:
        with self._database.write() as connection:
            if _model_of(connection) != model:
                drop_all(connection)
                connection.execute("INSERT INTO embedding VALUES (?)", (model,))


def _waiting_numbers(connection: sqlite3.Connection, what: str, limit: int) -> list[sqlite3.Row]:
    """The newest first: what was said a moment ago is asked about sooner than what was imported long since."""
    statement = "SELECT what, n FROM unembedded WHERE what = ? ORDER BY n DESC LIMIT ?"
    return connection.execute(statement, (what, max(limit, 0))).fetchall()


def drop_all(connection: sqlite3.Connection) -> None:
    """Every vector is dropped, and everything waits for one."""
    for table in ("memory_vector", "turn_vector", "unembedded", "embedding"):
        connection.execute(f"DELETE FROM {table}")
    connection.execute("INSERT INTO unembedded SELECT 'memory', n FROM memory WHERE forgotten_ms IS NULL")
    connection.execute("INSERT INTO unembedded SELECT 'turn', n FROM turn")


def mend(connection: sqlite3.Connection) -> None:
    """Whatever has no sound vector waits for one; what waits for nothing, and vectors of nothing, go."""
    for what in ("memory", "turn"):
        strange = [row["n"] for row in connection.execute(f"SELECT * FROM {what}_vector") if not _is_sound(what, row)]
        connection.executemany(f"DELETE FROM {what}_vector WHERE n = ?", [(n,) for n in strange])
    connection.execute("DELETE FROM unembedded")
    connection.execute(
        "INSERT INTO unembedded SELECT 'memory', n FROM memory "
        "WHERE forgotten_ms IS NULL AND n NOT IN (SELECT n FROM memory_vector)"
    )
    connection.execute("INSERT INTO unembedded SELECT 'turn', n FROM turn WHERE n NOT IN (SELECT n FROM turn_vector)")


def count_damaged(connection: sqlite3.Connection) -> int:
    """How many vectors are not what was written."""
    return sum(
        not _is_sound(what, row)
        for what in ("memory", "turn")
        for row in connection.execute(f"SELECT * FROM {what}_vector")
    )


def _is_sound(what: str, row: sqlite3.Row) -> bool:
    blob = row["vector"] if what == "memory" else row["context"] + row["passages"]
    return bool(crc32(blob) == row["crc"])


def enqueue_again(connection: sqlite3.Connection, what: str, n: int) -> None:
    """It is new, or it says something else now."""
    drop(connection, what, n)
    enqueue(connection, what, n)


def enqueue(connection: sqlite3.Connection, what: str, n: int) -> None:
    connection.execute("INSERT OR IGNORE INTO unembedded VALUES (?, ?)", (what, n))


def drop(connection: sqlite3.Connection, what: str, n: int) -> None:
    connection.execute(f"DELETE FROM {what}_vector WHERE n = ?", (n,))
    connection.execute("DELETE FROM unembedded WHERE what = ? AND n = ?", (what, n))


def move_memory(connection: sqlite3.Connection, n: int, memory: Memory) -> None:
    """It says the same, in another place."""
    place, reach = _places(memory)
    connection.execute(
        "INSERT OR REPLACE INTO memory_vector (n, place, reach, vector, crc) "
        "SELECT n, ?, ?, vector, crc FROM memory_vector WHERE n = ?",
        (place, reach, n),
    )


def move_turn(connection: sqlite3.Connection, n: int, project: str | None) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO turn_vector (n, place, context, passages, crc) "
        "SELECT n, ?, context, passages, crc FROM turn_vector WHERE n = ?",
        (index.place_of_turns(project), n),
    )


def has_model(connection: sqlite3.Connection, model: ModelId | None) -> bool:
    """Whether the vectors here are of this model: others are never compared."""
    return model is not None and _model_of(connection) == model


def _model_of(connection: sqlite3.Connection) -> str | None:
    row = connection.execute("SELECT model FROM embedding").fetchone()
    return None if row is None else str(row["model"])


def _waiting(connection: sqlite3.Connection, what: str, n: int) -> Unembedded | None:
    row = connection.execute(f"SELECT * FROM {what} WHERE n = ?", (n,)).fetchone()
    if row is None:
        return None
    if what == "turn":
        if not is_sound(row, TURN_HASH_COLUMNS):
            return None
        before = connection.execute(_BEFORE, dict(row)).fetchone()
        said_before = turn_of(before) if before is not None and is_sound(before, TURN_HASH_COLUMNS) else None
        return Unembedded(number=n, hash=row["hash"], of=turn_of(row), before=said_before)
    with suppress(DamagedRow):
        memory = memory_of(row)
        return None if memory.forgotten_at else Unembedded(number=n, hash=row["hash"], of=memory)
    return None


def _keep(connection: sqlite3.Connection, what: Unembedded, vectors: Sequence[Vector]) -> None:
    halves = to_float16(vectors)
    match what.of:
        case Memory() as memory:
            place, reach = _places(memory)
            connection.execute(
                "INSERT OR REPLACE INTO memory_vector (n, place, reach, vector, crc) VALUES (?, ?, ?, ?, ?)",
                (what.number, place, reach, halves[0], crc32(halves[0])),
            )
        case Turn() as turn:
            place, crc = index.place_of_turns(turn.project), crc32(b"".join(halves))
            connection.execute(
                "INSERT OR REPLACE INTO turn_vector (n, place, context, passages, crc) VALUES (?, ?, ?, ?, ?)",
                (what.number, place, halves[0], b"".join(halves[1:]), crc),
            )


def _places(memory: Memory) -> tuple[str, str | None]:
    place, *reach = index.places_of(memory)
    return place, reach[0] if reach else None


def to_float16(vectors: Sequence[Vector]) -> list[bytes]:
    import numpy as np  # only whoever has a model gets here

    return [np.frombuffer(vector, "<f4").astype("<f2").tobytes() for vector in vectors]
