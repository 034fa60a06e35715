"""Fits a linear model over binary features, for `bench.lasting`."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy
from numpy.typing import NDArray

MIN_MESSAGES, MIN_SETS = 3, 2  # a feature must occur in this many
RIDGE, ROUNDS, MIN_WEIGHT = 10.0, 400, 0.05

Floats = NDArray[numpy.float64]


class Sample(Protocol):
    @property
    def set(self) -> str: ...

    @property
    def message(self) -> int: ...

    @property
    def features(self) -> frozenset[str]: ...


class Design:
    """Samples as rows of feature numbers; feature 0 is the bias."""

    def __init__(self, given: Sequence[Sample]) -> None:
        seen: dict[str, tuple[set[int], set[str]]] = {}
        for one in given:
            for name in one.features:
                messages, sets = seen.setdefault(name, (set(), set()))
                messages.add(one.message)
                sets.add(one.set)
        self.names = [""]
        for name, (messages, sets) in sorted(seen.items()):
            if len(messages) >= MIN_MESSAGES and len(sets) >= MIN_SETS:
                self.names.append(name)
        number = {name: at for at, name in enumerate(self.names)}
        columns = [[0, *(number[name] for name in one.features if name in number)] for one in given]
        self.rows = numpy.repeat(numpy.arange(len(given)), [len(row) for row in columns])
        self.columns = numpy.concatenate([numpy.array(row) for row in columns])
        self.size = len(given)

    def scores(self, weights: Floats) -> Floats:
        return numpy.bincount(self.rows, weights[self.columns], self.size).astype(float)

    def fit(self, labels: Floats, counts: Floats) -> Floats:
        """Fit logistic regression by accelerated gradient descent; `counts` are the weights of the rows."""
        # Signs are few and informative, so their penalty is smaller than that of words.
        ridge = numpy.array([RIDGE / 9 if name.startswith("=") else RIDGE for name in self.names])
        ridge[0] = 0.0  # the bias
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
        """Write the weights above MIN_WEIGHT, rounded; return their number."""
        named = zip(self.names, weights, strict=True)
        kept = {name: round(float(weight), 2) for name, weight in named if not name or abs(weight) >= MIN_WEIGHT}
        file.write_text(json.dumps(kept, ensure_ascii=False, indent=0) + "\n", "utf-8")
        return len(kept)
