"""Fit a linear model over features that are there or not. For `bench.lasting`."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy
from numpy.typing import NDArray

FEWEST_MESSAGES, FEWEST_SETS = 3, 2  # that have a feature which counts
RIDGE, ROUNDS, LEAST = 10.0, 400, 0.05

Floats = NDArray[numpy.float64]


class Sample(Protocol):
    @property
    def set(self) -> str: ...

    @property
    def message(self) -> int: ...

    @property
    def features(self) -> frozenset[str]: ...


class Design:
    """Samples as rows of numbers of features; the first one is the bias."""

    def __init__(self, given: Sequence[Sample]) -> None:
        seen: dict[str, tuple[set[int], set[str]]] = {}
        for one in given:
            for name in one.features:
                messages, sets = seen.setdefault(name, (set(), set()))
                messages.add(one.message)
                sets.add(one.set)
        self.names = [
            "",
            *sorted(name for name, (m, s) in seen.items() if len(m) >= FEWEST_MESSAGES and len(s) >= FEWEST_SETS),
        ]
        number = {name: at for at, name in enumerate(self.names)}
        columns = [[0, *(number[name] for name in one.features if name in number)] for one in given]
        self.rows = numpy.repeat(numpy.arange(len(given)), [len(row) for row in columns])
        self.columns = numpy.concatenate([numpy.array(row) for row in columns])
        self.size = len(given)

    def scores(self, weights: Floats) -> Floats:
        return numpy.bincount(self.rows, weights[self.columns], self.size).astype(float)

    def fit(self, labels: Floats, counts: Floats) -> Floats:
        """Logistic regression by accelerated gradient descent. Rows that count nothing are left out."""
        # Signs are few and say much: they are held back less than words.
        ridge = numpy.array([0.0 if not n else RIDGE / 9 if n[0] == "=" else RIDGE for n in self.names])
        weights = before = numpy.zeros(len(self.names))
        size = numpy.bincount(self.columns, counts[self.rows], len(self.names))
        step = 1 / (numpy.maximum(size, 1) * 2 + ridge)
        for turn in range(ROUNDS):
            ahead = weights + turn / (turn + 3) * (weights - before)
            error = (1 / (1 + numpy.exp(-self.scores(ahead))) - labels) * counts
            slope = numpy.bincount(self.columns, error[self.rows], len(self.names)) + ridge * ahead
            before, weights = weights, ahead - step * slope
        return weights

    def write(self, weights: Floats, file: Path) -> int:
        """The weights that matter, rounded; returns how many."""
        named = zip(self.names, weights, strict=True)
        kept = {name: round(float(weight), 2) for name, weight in named if not name or abs(weight) >= LEAST}
        file.write_text(json.dumps(kept, ensure_ascii=False, indent=0) + "\n", "utf-8")
        return len(kept)
