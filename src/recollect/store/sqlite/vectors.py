"""Vectors in SQLite: the queue of what needs one, and storing them. They can always be rebuilt from the rows. Stored as
float16: half the bytes of float32, and two texts swap their order only if their cosines differ by less than a
hundred-thousandth."""

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from zlib import crc32

from recollect.domain.memory import Memory
from recollect.domain.search import EmbeddedItem, MissingVectors, UnembeddedItem
from recollect.domain.session import Turn
from recollect.domain.vector import DIMENSIONS, ModelId, Vector
from recollect.store.sqlite import index
from recollect.store.sqlite.database import Database
from recollect.store.sqlite.rows import TURN_HASHED, DamagedRow, is_sound, memory_of, turn_of

VECTOR_BYTES = 2 * DIMENSIONS
_BEFORE = """
    SELECT * FROM turn WHERE session = :session AND (at_ms, n) < (:at_ms, :n) AND project IS :project
    ORDER BY at_ms DESC, n DESC LIMIT 1
"""


class Vectors:
    _database: Database
    _embedding_with: ModelId | None = None

    def count_missing_vectors(self, model: ModelId | None) -> MissingVectors:
        with self._database.read() as connection:
            stored = _model_of(connection)
            if model is None or stored == model:
                counts = "SELECT coalesce(sum(what = 'memory'), 0), coalesce(sum(what = 'turn'), 0) FROM unembedded"
            else:
                counts = "SELECT (SELECT count(*) FROM memory WHERE forgotten_ms IS NULL), (SELECT count(*) FROM turn)"
            memories, turns = connection.execute(counts).fetchone()
        return MissingVectors(memories=memories, turns=turns, stored=stored)

    def next_unembedded(
        self, model: ModelId, *, limit: int, what: Sequence[str] = ("memory", "turn")
    ) -> list[UnembeddedItem]:
        found: list[UnembeddedItem] = []
        gone: list[tuple[str, int]] = []
        with self._database.read() as connection:
            if _model_of(connection) != model:
                if self._embedding_with == model:  # another process has switched to another model: leave it to that one
                    return []
                self._switch_to(model)
            self._embedding_with = model
            for table in what:
                for n in _numbers_in_queue(connection, table, limit - len(found) - len(gone)):
                    queued = _queue_entry(connection, table, n)
                    if queued is None:  # deleted meanwhile, or damaged: what cannot be read has no meaning
                        gone.append((table, n))
                    else:
                        found.append(queued)
        if gone:
            with self._database.write() as connection:
                connection.executemany("DELETE FROM unembedded WHERE what = ? AND n = ?", gone)
            return found or self.next_unembedded(model, limit=limit, what=what)
        return found

    def keep_vectors(self, model: ModelId, made: Sequence[EmbeddedItem]) -> None:
        with self._database.write() as connection:
            if _model_of(connection) != model:  # another process has switched to another model
                return
            for embedded in made:
                what = embedded.what
                table = "memory" if isinstance(what.of, Memory) else "turn"
                now = _queue_entry(connection, table, what.number)
                # The turn before is part of a turn's meaning, and may have been forgotten since.
                if now is None or (now.hash, now.before) != (what.hash, what.before):
                    continue
                _keep(connection, what, embedded.vectors)
                connection.execute("DELETE FROM unembedded WHERE what = ? AND n = ?", (table, what.number))

    def _switch_to(self, model: ModelId) -> None:
        with self._database.write() as connection:
            if _model_of(connection) != model:
                drop_all(connection)
                connection.execute("INSERT INTO embedding VALUES (?)", (model,))


def _numbers_in_queue(connection: sqlite3.Connection, what: str, limit: int) -> list[int]:
    """The newest first: a recent text is asked about sooner than one imported long ago."""
    statement = "SELECT what, n FROM unembedded WHERE what = ? ORDER BY n DESC LIMIT ?"
    return [row["n"] for row in connection.execute(statement, (what, max(limit, 0)))]


def drop_all(connection: sqlite3.Connection) -> None:
    """Delete every vector and queue everything for a new one."""
    for table in ("memory_vector", "turn_vector", "unembedded", "embedding"):
        connection.execute(f"DELETE FROM {table}")
    connection.execute("INSERT INTO unembedded SELECT 'memory', n FROM memory WHERE forgotten_ms IS NULL")
    connection.execute("INSERT INTO unembedded SELECT 'turn', n FROM turn")


def mend(connection: sqlite3.Connection) -> None:
    """Delete damaged vectors and rebuild the queue: everything without a vector is in it."""
    for what in ("memory", "turn"):
        rows = connection.execute(f"SELECT * FROM {what}_vector")
        damaged = [(row["n"],) for row in rows if not _is_sound(what, row)]
        connection.executemany(f"DELETE FROM {what}_vector WHERE n = ?", damaged)
    connection.execute("DELETE FROM unembedded")
    connection.execute(
        "INSERT INTO unembedded SELECT 'memory', n FROM memory "
        "WHERE forgotten_ms IS NULL AND n NOT IN (SELECT n FROM memory_vector)"
    )
    connection.execute("INSERT INTO unembedded SELECT 'turn', n FROM turn WHERE n NOT IN (SELECT n FROM turn_vector)")


def count_damaged(connection: sqlite3.Connection) -> int:
    count = 0
    for what in ("memory", "turn"):
        rows = connection.execute(f"SELECT * FROM {what}_vector")
        count += sum(not _is_sound(what, row) for row in rows)
    return count


def _is_sound(what: str, row: sqlite3.Row) -> bool:
    blob = row["vector"] if what == "memory" else row["context"] + row["passages"]
    return bool(crc32(blob) == row["crc"])


def enqueue_again(connection: sqlite3.Connection, what: str, n: int) -> None:
    """Queue it for a new vector: its text has changed."""
    drop(connection, what, n)
    enqueue(connection, what, n)


def enqueue(connection: sqlite3.Connection, what: str, n: int) -> None:
    connection.execute("INSERT OR IGNORE INTO unembedded VALUES (?, ?)", (what, n))


def drop(connection: sqlite3.Connection, what: str, n: int) -> None:
    connection.execute(f"DELETE FROM {what}_vector WHERE n = ?", (n,))
    connection.execute("DELETE FROM unembedded WHERE what = ? AND n = ?", (what, n))


def move_memory(connection: sqlite3.Connection, n: int, memory: Memory) -> None:
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


def newest_revision(connection: sqlite3.Connection, table: str, model: ModelId) -> int | None:
    """None: the vectors are of another model, and are never compared with one of this."""
    stored, newest = connection.execute(
        f"SELECT (SELECT model FROM embedding), (SELECT max(rev) FROM {table})"
    ).fetchone()
    return int(newest or 0) if stored == model else None


def _model_of(connection: sqlite3.Connection) -> ModelId | None:
    row = connection.execute("SELECT model FROM embedding").fetchone()
    return None if row is None else ModelId(row["model"])


def _queue_entry(connection: sqlite3.Connection, what: str, n: int) -> UnembeddedItem | None:
    row = connection.execute(f"SELECT * FROM {what} WHERE n = ?", (n,)).fetchone()
    if row is None:
        return None
    if what == "turn":
        turn = _turn_or_none(row)
        before = _turn_or_none(connection.execute(_BEFORE, dict(row)).fetchone())
        return None if turn is None else UnembeddedItem(number=n, hash=row["hash"], of=turn, before=before)
    with suppress(DamagedRow):
        memory = memory_of(row)
        return None if memory.forgotten_at else UnembeddedItem(number=n, hash=row["hash"], of=memory)
    return None


def _turn_or_none(row: sqlite3.Row | None) -> Turn | None:
    return None if row is None or not is_sound(row, TURN_HASHED) else turn_of(row)


def _keep(connection: sqlite3.Connection, what: UnembeddedItem, vectors: Sequence[Vector]) -> None:
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
    import numpy as np  # slow to import, and needed only with a model

    return [np.frombuffer(vector, "<f4").astype("<f2").tobytes() for vector in vectors]
