"""Vectors in memory: one float16 matrix per place, brought up to date before each use. A search compares every row of
the viewer's places, so its answer is exact. Deleted rows stay in a matrix until it is dropped; the caller, which reads
the rows, notices that they are gone."""

import heapq
import sqlite3
import threading
import time
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import TYPE_CHECKING

from recollect.domain.vector import DIMENSIONS, Vector
from recollect.store.sqlite.vectors import VECTOR_BYTES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from recollect.domain.search import Numbers, Reals

    Halves = NDArray[np.float16]

_NOT_FINITE = 0x7C00  # the exponent of an infinite or NaN float16
_ZERO_VECTOR = bytes(VECTOR_BYTES)
MAX_COSINE = 1.02  # with the rounding of float16
MIN_COSINE = 0.2  # below this, a text has nothing to do with the question
MAX_BYTES = 1 << 30  # of all matrices together; the least recently used is dropped first
MAX_PLACES = 256  # most are empty, and every session adds some
MAX_IDLE_S = 600.0  # unused for longer, it is dropped: most people work in one project at a time


@dataclass(frozen=True, slots=True)
class Matrix:
    """The vectors of one place, in the order in which they came."""

    numbers: "Numbers"  # of the memory or turn
    revs: "Numbers"
    vectors: "Halves"
    by_number: "Numbers"  # positions, in the order of the numbers
    as_of: int  # the newest revision in the table when this was read

    def cosines(self, vector: Vector) -> "Reals":
        import numkong
        import numpy as np

        if not len(self.numbers):
            return np.zeros(0, np.float32)
        question = np.frombuffer(vector, "<f4").astype(np.float16)[None]
        cosines = np.asarray(numkong.cdist(question, self.vectors, "dot"), dtype=np.float32).reshape(-1)
        cosines[~(np.abs(cosines) <= MAX_COSINE)] = 0  # a damaged vector is far from everything
        return cosines

    def from_number(self, first: int) -> "Matrix":
        import numpy as np

        at = np.sort(self.by_number[np.searchsorted(self.numbers, first, sorter=self.by_number) :])
        return _matrix(self.numbers[at], self.revs[at], self.vectors[at], self.as_of)

    def positions(self, numbers: Collection[int]) -> "Numbers":
        """Return the positions of those that are in this matrix."""
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
    """The cosines of a question to every row in some places."""

    places: tuple[tuple[Matrix, "Reals"], ...] = ()

    def candidates(self) -> list[int]:
        """Return all that are near enough to be found."""
        numbers: list[int] = []
        for matrix, cosines in self.places:
            numbers += matrix.numbers[cosines >= MIN_COSINE].tolist()
        return numbers

    def best(self, limit: int, *, also: Collection[int], allowed: Collection[int] | None) -> dict[int, float]:
        """Return the cosines of the nearest, and of the rows in `also`."""
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
        """Return the rows whose vectors have changed since they were compared."""
        revs = {row["n"]: row["rev"] for row in rows}
        changed: set[int] = set()
        # A moved row is here twice, in its old place and in its new one: neither may be out of date.
        for matrix, _ in self.places:
            at = matrix.positions(revs)
            for n, rev in zip(matrix.numbers[at].tolist(), matrix.revs[at].tolist(), strict=True):
                if revs[n] != rev:
                    changed.add(n)
        return frozenset(changed)


NOTHING_NEAR = Nearness()


def _nearest(cosines: "Reals", limit: int, among: "Numbers | None") -> "Numbers":
    import numpy as np

    at = np.flatnonzero(cosines >= MIN_COSINE) if among is None else among[cosines[among] >= MIN_COSINE]
    return at if len(at) <= limit else at[np.argpartition(cosines[at], -limit)[-limit:]]


class VectorCache:
    """Thread-safe: a matrix is never changed, only replaced by a longer one."""

    def __init__(self) -> None:
        self._matrices: OrderedDict[tuple[str, str], Matrix] = OrderedDict()  # the most recently used is last
        self._used: dict[tuple[str, str], float] = {}
        self._drops = 0
        self._lock = threading.Lock()

    def drop(self, places: Collection[str]) -> None:
        with self._lock:
            for place in places:
                self._matrices.pop(("memory_vector", place), None)
                self._used.pop(("memory_vector", place), None)
            self._drops += 1  # a thread that is still reading must not bring back what was dropped

    def near(self, connection: sqlite3.Connection, places: Mapping[str, str], vector: Vector, newest: int) -> Nearness:
        """`places`: each with its column. `newest`: the last revision in the table."""
        matrices = [
            self._matrix(connection, "memory_vector", "vector", place, column, newest)
            for place, column in places.items()
        ]
        return Nearness(tuple((matrix, matrix.cosines(vector)) for matrix in matrices if len(matrix.numbers)))

    def turn_matrix(self, connection: sqlite3.Connection, place: str, newest: int, *, first: int = 0) -> Matrix:
        """Leave out deleted turns: no caller reads the rows of all turns. `first`: only turns from this number on; the
        caller knows which of these are deleted."""
        drops = self._drops
        matrix = self._matrix(connection, "turn_vector", "context", place, "place", newest)
        if first:
            return matrix.from_number(first)
        # A revision is never used twice, so rows can only disappear: the same count means the same rows.
        known, values = "FROM turn_vector WHERE place = ? AND rev <= ?", (place, matrix.as_of)
        (count,) = connection.execute(f"SELECT count(*) {known}", values).fetchone()
        if count == len(matrix.numbers):
            return matrix
        import numpy as np

        revs = [row["rev"] for row in connection.execute(f"SELECT rev {known}", values)]
        still = np.isin(matrix.revs, np.array(revs, np.int64))
        matrix = _matrix(matrix.numbers[still], matrix.revs[still], matrix.vectors[still], matrix.as_of)
        self._keep(("turn_vector", place), matrix, drops=drops)
        return matrix

    def _matrix(
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
        current = _extend(known, rows, newest)
        self._keep(key, current, drops=drops)
        return current

    def _keep(self, key: tuple[str, str], current: Matrix, *, drops: int) -> None:
        with self._lock:
            if drops == self._drops:
                self._matrices.pop(key, None)
                self._matrices[key] = current
                self._make_room()

    def _make_room(self) -> None:
        used_bytes = sum(matrix.vectors.nbytes for matrix in self._matrices.values())
        idle_since = time.monotonic() - MAX_IDLE_S
        while len(self._matrices) > 1:
            oldest, matrix = next(iter(self._matrices.items()))
            fits = used_bytes <= MAX_BYTES and len(self._matrices) <= MAX_PLACES
            if fits and self._used.get(oldest, 0.0) >= idle_since:
                return
            used_bytes -= matrix.vectors.nbytes
            del self._matrices[oldest]
            self._used.pop(oldest, None)


def _extend(known: Matrix | None, rows: Sequence[sqlite3.Row], newest: int) -> Matrix:
    import numpy as np

    if known is not None and not rows:
        return replace(known, as_of=newest)
    # A damaged vector becomes zero: it is far from everything.
    blobs = (row[2] if len(row[2]) == VECTOR_BYTES else _ZERO_VECTOR for row in rows)
    vectors = np.frombuffer(b"".join(blobs), np.float16).reshape(-1, DIMENSIONS)
    damaged = (vectors.view(np.uint16) & _NOT_FINITE == _NOT_FINITE).any(axis=1)  # `isfinite` takes ten times as long
    if damaged.any():
        vectors = vectors.copy()
        vectors[damaged] = 0
    numbers = np.array([row[1] for row in rows], np.int64)
    revs = np.array([row[0] for row in rows], np.int64)
    if known is not None:
        still = ~np.isin(known.numbers, numbers)  # a newer vector replaces the older one
        numbers = np.concatenate([known.numbers[still], numbers])
        revs = np.concatenate([known.revs[still], revs])
        vectors = np.concatenate([known.vectors[still], vectors])
    return _matrix(numbers, revs, vectors, newest)


def _matrix(numbers: "Numbers", revs: "Numbers", vectors: "Halves", as_of: int) -> Matrix:
    import numpy as np

    return Matrix(numbers, revs, vectors, np.argsort(numbers), as_of)


def cosines_of(passages: Sequence[bytes], vector: Vector) -> list[tuple[float, ...]]:
    """Return the cosine of each vector, for each blob of several vectors."""
    import numpy as np

    whole = [blob[: len(blob) // VECTOR_BYTES * VECTOR_BYTES] for blob in passages]
    vectors = np.frombuffer(b"".join(whole), np.float16).reshape(-1, DIMENSIONS)
    each = np.arange(len(vectors))
    cosines = np.nan_to_num(Matrix(each, each, vectors, each, 0).cosines(vector))
    found, start = [], 0
    for blob in whole:
        end = start + len(blob) // VECTOR_BYTES
        found.append(tuple(cosines[start:end].tolist()))
        start = end
    return found


def vectors_at(which: Mapping[int, int], blobs: Iterable[tuple[int, bytes] | sqlite3.Row]) -> dict[int, Vector]:
    """Return one vector of each turn's blob: `which` says at which position."""
    import numpy as np

    found: dict[int, Vector] = {}
    for number, blob in blobs:
        start = which[number] * VECTOR_BYTES
        halves = np.frombuffer(blob[start : start + VECTOR_BYTES], np.float16)
        if len(halves) == DIMENSIONS:
            found[number] = Vector(halves.astype(np.float32).tobytes())
    return found
