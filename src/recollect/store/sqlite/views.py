"""Vectors in memory: one matrix for each place, as float16, brought up to date before each use.

A search walks every row of the viewer's places, so its answer is exact. Rows that are gone stay in a matrix until it
is dropped; whoever reads the rows sees that they are gone.
"""

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from recollect.domain.vector import DIMENSIONS, Vector
from recollect.store.sqlite.vectors import VECTOR_BYTES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Halves = NDArray[np.float16]
    Numbers = NDArray[np.int64]
    Reals = NDArray[np.float32]

MIN_COSINE = 0.2  # farther than this, a text has nothing to do with the question
_NOTHING = bytes(VECTOR_BYTES)
MAX_BYTES = 96 << 20  # of all matrices together; the one that was not used for longest goes first


@dataclass(frozen=True, slots=True)
class Matrix:
    """The vectors of one place, in the order in which they came."""

    numbers: "Numbers"  # of the memory or turn
    revs: "Numbers"
    vectors: "Halves"

    def cosines(self, vector: Vector) -> "Reals":
        import numkong
        import numpy as np

        if not len(self.numbers):
            return np.zeros(0, np.float32)
        asked = np.frombuffer(vector, "<f4").astype(np.float16)[None]
        return np.asarray(numkong.cdist(asked, self.vectors, "dot"), dtype=np.float32).reshape(-1)


@dataclass(frozen=True, slots=True)
class Near:
    """How near everything in some places is to a question."""

    numbers: "Numbers | tuple[()]" = ()
    revs: "Numbers | tuple[()]" = ()
    cosines: "Reals | tuple[()]" = ()

    def best(self, limit: int, *, also: Sequence[int], allowed: Collection[int] | None) -> dict[int, float]:
        """The cosines of the nearest, and of those that are asked about besides."""
        if not len(self.numbers):
            return {}
        import numpy as np

        numbers, cosines = np.asarray(self.numbers), np.asarray(self.cosines)
        wanted = cosines >= MIN_COSINE
        if allowed is not None:
            wanted &= np.isin(numbers, np.fromiter(allowed, np.int64, len(allowed)))
        near = np.flatnonzero(wanted)
        most = 2 * limit  # what is seen both from its own project and from others stands here twice
        if len(near) > most:
            near = near[np.argpartition(-cosines[near], most)[:most]]
        near = near[np.argsort(-cosines[near], kind="stable")]
        nearest = dict(zip(numbers[near].tolist(), cosines[near].tolist(), strict=True))
        asked = np.flatnonzero(np.isin(numbers, np.array(also, np.int64)))
        return dict(islice(nearest.items(), limit)) | dict(
            zip(numbers[asked].tolist(), cosines[asked].tolist(), strict=True)
        )

    def changed(self, rows: Sequence[sqlite3.Row]) -> frozenset[int]:
        """Those of the rows whose vectors are no longer the ones that were looked at."""
        if not len(self.numbers):
            return frozenset()
        import numpy as np

        numbers, revs = np.asarray(self.numbers), np.asarray(self.revs)
        now = {row["n"]: row["rev"] for row in rows}
        at = np.flatnonzero(np.isin(numbers, np.array(list(now), np.int64)))
        # What was moved stands here twice, in its old place and in its new one: neither may be out of date.
        return frozenset(n for n, rev in zip(numbers[at].tolist(), revs[at].tolist(), strict=True) if now[n] != rev)

    def candidates(self) -> list[int]:
        """All that are near enough to be found."""
        import numpy as np

        if not len(self.numbers):
            return []
        numbers, cosines = np.asarray(self.numbers), np.asarray(self.cosines)
        found: list[int] = numbers[cosines >= MIN_COSINE].tolist()
        return found


NOTHING_NEAR = Near()


def near(matrices: Sequence[Matrix], vector: Vector) -> Near:
    if not matrices:
        return NOTHING_NEAR
    import numpy as np

    return Near(
        np.concatenate([matrix.numbers for matrix in matrices]),
        np.concatenate([matrix.revs for matrix in matrices]),
        np.concatenate([matrix.cosines(vector) for matrix in matrices]),
    )


class Views:
    """Thread-safe: a matrix is never changed, only replaced by a longer one."""

    def __init__(self) -> None:
        self._matrices: OrderedDict[tuple[str, str, str], Matrix] = OrderedDict()
        self._drops = 0
        self._lock = threading.Lock()

    def drop(self) -> None:
        with self._lock:
            self._matrices.clear()
            self._drops += 1  # whoever is still reading must not bring back what was dropped

    def memories(self, connection: sqlite3.Connection, places: Sequence[str]) -> list[Matrix]:
        """By place, then by reach: a place is made so that it cannot be both."""
        return [
            matrix
            for place in places
            for column in ("place", "reach")
            if len((matrix := self._of(connection, "memory_vector", column, place, "vector")).numbers)
        ]

    def turns(self, connection: sqlite3.Connection, place: str) -> Matrix:
        """Without those that are gone: nobody looks at the rows of all turns."""
        drops = self._drops
        matrix = self._of(connection, "turn_vector", "place", place, "context")
        if not len(matrix.numbers):
            return matrix
        # A number is never given twice, so rows can only go: as many as before are the same as before.
        known, last = "FROM turn_vector WHERE place = ? AND rev <= ?", (place, int(matrix.revs[-1]))
        (there,) = connection.execute(f"SELECT count(*) {known}", last).fetchone()
        if there == len(matrix.numbers):
            return matrix
        import numpy as np

        revs = [row["rev"] for row in connection.execute(f"SELECT rev {known}", last)]
        still = np.isin(matrix.revs, np.array(revs, np.int64))
        matrix = Matrix(matrix.numbers[still], matrix.revs[still], matrix.vectors[still])
        self._keep(("turn_vector", "place", place), matrix, drops=drops)
        return matrix

    def _of(self, connection: sqlite3.Connection, table: str, column: str, place: str, blob: str) -> Matrix:
        key = (table, column, place)
        with self._lock:
            known, drops = self._matrices.get(key), self._drops
        last = int(known.revs[-1]) if known is not None and len(known.revs) else 0
        rows = connection.execute(
            f"SELECT rev, n, {blob} FROM {table} WHERE {column} = ? AND rev > ? ORDER BY rev", (place, last)
        ).fetchall()
        current = _longer(known, rows)
        self._keep(key, current, drops=drops)
        return current

    def _keep(self, key: tuple[str, str, str], current: Matrix, *, drops: int) -> None:
        with self._lock:
            if drops != self._drops:
                return
            self._matrices.pop(key, None)
            if len(current.numbers):  # most places are empty, and every session adds some: they need not be known
                self._matrices[key] = current
            while sum(matrix.vectors.nbytes for matrix in self._matrices.values()) > MAX_BYTES:
                if len(self._matrices) == 1:
                    break
                self._matrices.popitem(last=False)


def _longer(known: Matrix | None, rows: Sequence[sqlite3.Row]) -> Matrix:
    import numpy as np

    if known is not None and not rows:
        return known
    # What the disk has changed is far from everything.
    whole = (row[2] if len(row[2]) == VECTOR_BYTES else _NOTHING for row in rows)
    vectors = np.frombuffer(b"".join(whole), np.float16).reshape(-1, DIMENSIONS)
    broken = ~np.isfinite(vectors).all(axis=1)
    if broken.any():
        vectors = vectors.copy()
        vectors[broken] = 0
    numbers = np.array([row[1] for row in rows], np.int64)
    revs = np.array([row[0] for row in rows], np.int64)
    if known is None:
        return Matrix(numbers, revs, vectors)
    still = ~np.isin(known.numbers, numbers)  # of what has a newer vector, the older one goes
    return Matrix(
        np.concatenate([known.numbers[still], numbers]),
        np.concatenate([known.revs[still], revs]),
        np.concatenate([known.vectors[still], vectors]),
    )


def nearest_of(passages: Sequence[bytes], vector: Vector) -> list[float | None]:
    """For each run of vectors, how near the nearest of them comes; None: there are none."""
    import numpy as np

    counts = [len(blob) // VECTOR_BYTES for blob in passages]
    if not sum(counts):
        return [None] * len(passages)
    joined = b"".join(blob[: count * VECTOR_BYTES] for blob, count in zip(passages, counts, strict=True))
    vectors = np.frombuffer(joined, np.float16).reshape(-1, DIMENSIONS)
    numbers = np.arange(len(vectors))
    cosines = np.nan_to_num(Matrix(numbers, numbers, vectors).cosines(vector))
    ends = np.cumsum(counts)
    return [
        float(cosines[end - count : end].max()) if count else None
        for count, end in zip(counts, ends.tolist(), strict=True)
    ]
