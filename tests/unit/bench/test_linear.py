from dataclasses import dataclass
from pathlib import Path

import numpy
from bench.linear import Design


@dataclass(frozen=True)
class Sentence:
    set: str
    message: int
    grade: int
    features: frozenset[str]


def test_a_fit_tells_what_it_was_shown_apart(tmp_path: Path) -> None:
    sets = ("one", "two")
    given = [
        Sentence(
            sets[number % 2], number, number % 3 // 2, frozenset({"because" if number % 3 == 2 else "done", "the"})
        )
        for number in range(60)
    ]
    design = Design(given)
    labels = numpy.array([float(one.grade) for one in given])
    weights = dict(zip(design.names, design.fit(labels, numpy.ones(60)), strict=True))
    assert weights["because"] > 0 > weights["done"]
    assert design.write(design.fit(labels, numpy.ones(60)), tmp_path / "weights.json") >= 3


def test_what_one_project_alone_says_is_not_learnt() -> None:
    design = Design([Sentence("one", number, 1, frozenset({"acme"})) for number in range(9)])
    assert design.names == [""]
