"""Fit how surely a sentence of an agent is a finding. `python -m bench.finding GRADED.jsonl [--write]`

GRADED has sentences of closing messages of real sessions, which are not ours to keep here, each graded by a reader:
{"project", "text", "grade": 2 a finding that a colleague would pass on, 1 perhaps of use, 0 useless later}. Prints what
each threshold finds in projects that the fit did not see.
"""

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy

from bench.linear import Design
from recollect.text.finding import features

WEIGHTS = Path(__file__).parents[1] / "src/recollect/text/finding.json"
FOLDS = 10
COUNTS = {0: 1.0, 1: 2.5, 2: 7.0}  # useless sentences are four times as many


@dataclass(frozen=True)
class Sentence:
    set: str
    message: int
    grade: int
    features: frozenset[str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graded", type=Path)
    parser.add_argument("--write", action="store_true", help=f"write the weights to {WEIGHTS.name}")
    args = parser.parse_args()
    rows = [json.loads(line) for line in args.graded.read_text("utf-8").splitlines()]
    given = [Sentence(row["project"], n, row["grade"], frozenset(features(row["text"]))) for n, row in enumerate(rows)]
    design = Design(given)
    grades = numpy.array([one.grade for one in given])
    labels, counts = (grades > 0).astype(float), numpy.array([COUNTS[one.grade] for one in given])
    sets = numpy.array([one.set for one in given])
    projects = sorted(set(sets.tolist()))
    sure = numpy.zeros(len(given))
    for number in range(FOLDS):
        fold = numpy.isin(sets, projects[number::FOLDS])
        weights = design.fit(labels, numpy.where(fold, 0.0, counts))
        sure[fold] = 1 / (1 + numpy.exp(-design.scores(weights)[fold]))
    for least in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        found = grades[sure >= least]
        told = "; ".join(f"grade {grade}: {(found == grade).sum()} of {(grades == grade).sum()}" for grade in (2, 1, 0))
        sys.stdout.write(f"{least}: {told}\n")
    if args.write:
        sys.stdout.write(f"{design.write(design.fit(labels, counts), WEIGHTS)} weights in {WEIGHTS.name}\n")


if __name__ == "__main__":
    main()
