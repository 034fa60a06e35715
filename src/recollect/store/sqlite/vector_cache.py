"""Vectors in memory: one matrix for each place, as float16, brought up to date before each use.

A search walks every row of the viewer's places, so its answer is exact. Rows that are gone stay in a matrix until it
is dropped; whoever reads the rows sees that they are gone.
"""

import heapq
import sqlite3
import threading
import time
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import TYPE_CHECKING

from recollect.domain.vector import DIMENSIONS, Vector
from recollect.store.sqlite.vectors import VECTOR_BYTES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Halves = NDArray[np.float16]
    Numbers = NDArray[np.int64]
    Reals = NDArray[np.float32]

_NOT_FINITE = 0x7C00  # the exponent of a float16 that is infinite or no number
_NOTHING = bytes(VECTOR_BYTES)
MAX_COSINE = 1.02  # with the rounding of float16
MIN_COSINE = 0.2  # farther than this, a text has nothing to do with the question
MAX_BYTES = 1 << 30  # of all matrices together; the one that was not used for longest goes first
MAX_PLACES = 256  # most are empty, and every session adds some
MAX_IDLE_S = 600.0  # one that nobody has used for so long goes too: most people work in one project at a time


@dataclass(frozen=True, slots=True)
class Matrix:
    """The vectors of one place, in the order in which they came."""

    numbers: "Numbers"  # of the memory or turn
    revs: "Numbers"
    vectors: "Halves"
    by_number: "Numbers"  # positions, in the order of the numbers
    as_of: int  # the newest revision of all places when this was read

    def cosines(self, vector: Vector) -> "Reals":
        import numkong
        import numpy as np

        if not len(self.numbers):
            return np.zeros(0, np.float32)
        asked = np.frombuffer(vector, "<f4").astype(np.float16)[None]
        cosines = np.asarray(numkong.cdist(asked, self.vectors, "dot"), dtype=np.float32).reshape(-1)
        cosines[~(np.abs(cosines) <= MAX_COSINE)] = 0  # the disk has changed that vector: it is far from everything
        return cosines

    def from_number(self, first: int) -> "Matrix":
        import numpy as np

        at = np.sort(self.by_number[np.searchsorted(self.numbers, first, sorter=self.by_number) :])
        return _matrix(self.numbers[at], self.revs[at], self.vectors[at], self.as_of)

    def positions(self, numbers: Collection[int]) -> "Numbers":
        """Where those of them stand that are here."""
        import numpy as np

        asked = np.fromiter(numbers, np.int64, len(numbers))
        if not len(self.numbers) or not len(asked):
            return np.zeros(0, np.int64)
        at = np.searchsorted(self.numbers, asked, sorter=self.by_number)
        found = self.by_number[np.minimum(at, len(self.numbers) - 1)]
        here: Numbers = found[self.numbers[found] == asked]
        return here


@dataclass(frozen=True, slots=True)
class Nearness:
    """How near everything in some places is to a question."""

    places: tuple[tuple[Matrix, "Reals"], ...] = ()

    def candidates(self) -> list[int]:
        """All that are near enough to be found."""
        return [n for matrix, cosines in self.places for n in matrix.numbers[cosines >= MIN_COSINE].tolist()]

    def best(self, limit: int, *, also: Collection[int], allowed: Collection[int] | None) -> dict[int, float]:
        """The cosines of the nearest, and of those that are asked about besides."""
        found: dict[int, float] = {}
        for matrix, cosines in self.places:
            at = _nearest(cosines, limit, None if allowed is None else matrix.positions(allowed))
            found |= zip(matrix.numbers[at].tolist(), cosines[at].tolist(), strict=True)
        nearest = dict(heapq.nlargest(limit, found.items(), key=itemgetter(1)))
        for matrix, cosines in self.places:
            at = matrix.positions(also)
            nearest |= zip(matrix.numbers[at].tolist(), cosines[at].tolist(), strict=True)
        return nearest

    def find_changed(self, rows: Sequence[sqlite3.Row]) -> frozenset[int]:
        """Those of the rows whose vectors are no longer the ones that were looked at."""
        now = {row["n"]: row["rev"] for row in rows}
        # What was moved stands here twice, in its old place and in its new one: neither may be out of date.
        return frozenset(
            n
            for matrix, _ in self.places
            for at in [matrix.positions(now)]
            for n, rev in zip(matrix.numbers[at].tolist(), matrix.revs[at].tolist(), strict=True)
            if now[n] != rev
        )


NOTHING_NEAR = Nearness()


def _nearest(cosines: "Reals", limit: int, among: "Numbers | None") -> "Numbers":
    import numpy as np

    at = np.flatnonzero(cosines >= MIN_COSINE) if among is None else among[cosines[among] >= MIN_COSINE]
    return at if len(at) <= limit else at[np.argpartition(cosines[at], -limit)[-limit:]]


class VectorCache:
    """Thread-safe: a matrix is never changed, only replaced by a longer one."""

    def __init__(self) -> None:
        self._matrices: OrderedDict[tuple[str, str], Matrix] = OrderedDict()  # the last used is the last one
        self._used: dict[tuple[str, str], float] = {}
        self._drops = 0
        self._lock = threading.Lock()

    def drop(self, places: Collection[str]) -> None:
        with self._lock:
            for place in places:
                self._matrices.pop(("memory_vector", place), None)
                self._used.pop(("memory_vector", place), None)
            self._drops += 1  # whoever is still reading must not bring back what was dropped

    def near(self, connection: sqlite3.Connection, places: Mapping[str, str], vector: Vector) -> Nearness:
        """`places` says of each in which column it stands."""
        newest = _newest(connection, "memory_vector")
        matrices = [
            self._of(connection, "memory_vector", "vector", place, column, newest) for place, column in places.items()
        ]
        return Nearness(tuple((matrix, matrix.cosines(vector)) for matrix in matrices if len(matrix.numbers)))

    def turn_matrix(self, connection: sqlite3.Connection, place: str, *, first: int = 0) -> Matrix:
        """Without those that are gone: nobody looks at the rows of all turns. `first`: only those from this number on,
        of which whoever asks knows which are gone."""
        drops, newest = self._drops, _newest(connection, "turn_vector")
        matrix = self._of(connection, "turn_vector", "context", place, "place", newest)
        if first:
            return matrix.from_number(first)
        # A number is never given twice, so rows can only go: as many as before are the same as before.
        known, last = "FROM turn_vector WHERE place = ? AND rev <= ?", (place, matrix.as_of)
        (there,) = connection.execute(f"SELECT count(*) {known}", last).fetchone()
        if there == len(matrix.numbers):
            return matrix
        import numpy as np

        revs = [row["rev"] for row in connection.execute(f"SELECT rev {known}", last)]
        still = np.isin(matrix.revs, np.array(revs, np.int64))
        matrix = _matrix(matrix.numbers[still], matrix.revs[still], matrix.vectors[still], matrix.as_of)
        self._keep(("turn_vector", place), matrix, drops=drops)
        return matrix

    def _of(
        self, connection: sqlite3.Connection, table: str, blob: str, place: str, column: str, newest: int
    ) -> Matrix:
        key = (table, place)
        with self._lock:
            known, drops = self._matrices.get(key), self._drops
            self._used[key] = time.monotonic()
            if known is not None:
                self._matrices.move_to_end(key)
        if known is not None and known.as_of == newest:
            return known
        rows = connection.execute(
            f"SELECT rev, n, {blob} FROM {table} WHERE {column} = ? AND rev > ? ORDER BY rev",
            (place, 0 if known is None else known.as_of),
        ).fetchall()
        current = _grown(known, rows, newest)
        self._keep(key, current, drops=drops)
        return current

    def _keep(self, key: tuple[str, str], current: Matrix, *, drops: int) -> None:
        with self._lock:
            if drops == self._drops:
                self._matrices.pop(key, None)
                self._matrices[key] = current
                self._make_room()

    def _make_room(self) -> None:
        held = sum(matrix.vectors.nbytes for matrix in self._matrices.values())
        old = time.monotonic() - MAX_IDLE_S
        while len(self._matrices) > 1:
            oldest, matrix = next(iter(self._matrices.items()))
            fits = held <= MAX_BYTES and len(self._matrices) <= MAX_PLACES
            if fits and self._used.get(oldest, 0.0) >= old:
                return
            held -= matrix.vectors.nbytes
            del self._matrices[oldest]
            self._used.pop(oldest, None)


def _newest(connection: sqlite3.Connection, table: str) -> int:
    row = connection.execute(f"SELECT max(rev) FROM {table}").fetchone()
    return int(row[0] or 0)


def _grown(known: Matrix | None, rows: Sequence[sqlite3.Row], newest: int) -> Matrix:
    import numpy as np

    if known is not None and not rows:
        return replace(known, as_of=newest)
    # What the disk has changed is far from everything.
    whole = (row[2] if len(row[2]) == VECTOR_BYTES else _NOTHING for row in rows)
    vectors = np.frombuffer(b"".join(whole), np.float16).reshape(-1, DIMENSIONS)
    broken = (vectors.view(np.uint16) & _NOT_FINITE == _NOT_FINITE).any(axis=1)  # `isfinite` takes ten times as long
    if broken.any():
        vectors = vectors.copy()
        vectors[broken] = 0
    numbers = np.array([row[1] for row in rows], np.int64)
    revs = np.array([row[0] for row in rows], np.int64)
    if known is not None:
        still = ~np.isin(known.numbers, numbers)  # of what has a newer vector, the older one goes
        numbers = np.concatenate([known.numbers[still], numbers])
        revs = np.concatenate([known.revs[still], revs])
        vectors = np.concatenate([known.vectors[still], vectors])
    return _matrix(numbers, revs, vectors, newest)


def _matrix(numbers: "Numbers", revs: "Numbers", vectors: "Halves", as_of: int) -> Matrix:
    import numpy as np

    return Matrix(numbers, revs, vectors, np.argsort(numbers), as_of)


def cosines_of(passages: Sequence[bytes], vector: Vector) -> list[tuple[float, ...]]:
    """For each run of vectors, how near each of them comes."""
    import numpy as np

    counts = [len(blob) // VECTOR_BYTES for blob in passages]
    if not sum(counts):
        return [()] * len(passages)
    joined = b"".join(blob[: count * VECTOR_BYTES] for blob, count in zip(passages, counts, strict=True))
    vectors = np.frombuffer(joined, np.float16).reshape(-1, DIMENSIONS)
    each = np.arange(len(vectors))
    cosines = np.nan_to_num(Matrix(each, each, vectors, each, 0).cosines(vector))
    ends = np.cumsum(counts)
    return [tuple(cosines[end - count : end].tolist()) for count, end in zip(counts, ends.tolist(), strict=True)]


def vector_of(passages: bytes, index: int) -> Vector | None:
    """One of a run of vectors."""
    import numpy as np

    halves = np.frombuffer(passages[index * VECTOR_BYTES : (index + 1) * VECTOR_BYTES], np.float16)
    return Vector(halves.astype(np.float32).tobytes()) if len(halves) == DIMENSIONS else None
