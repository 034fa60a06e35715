"""Fit how surely a sentence lasts. `python -m bench.lasting [--more FILE] [--write]`

`messages.jsonl` has messages with what lasts in them; `--more` adds labelled messages of real sessions, which are not
ours to keep here: {"set": a repository, "text", "lasts": [spans], "unsure": [spans]}. Prints what each threshold finds
in sets that the fit did not see: sets are left out one by one, of more than eight a group at a time.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy
from numpy.typing import NDArray

from recollect.capture.asked import asked_for
from recollect.capture.clauses import Sentence, sentences
from recollect.capture.lasting import features
from recollect.capture.masking import read
from recollect.capture.outright import MAX_CHARS, signs
from recollect.capture.voice import own_sentence, voices

HERE = Path(__file__).parent
WEIGHTS = HERE.parents[1] / "src/recollect/capture/lasting.json"
FEWEST_MESSAGES, FEWEST_SETS = 3, 2  # that have a feature which counts
RIDGE, ROUNDS, LEAST = 10.0, 400, 0.05
REAL_COUNTS = 2.0  # a real message, beside one that was written for this
FOLDS = 8
MOSTLY, HARDLY = 0.6, 0.2  # of a sentence's words in what lasts
_WORD = re.compile(r"\w+")

Floats = NDArray[numpy.float64]


@dataclass(frozen=True)
class Sample:
    set: str
    is_real: bool
    message: int
    text: str
    lasts: bool | None  # None: a reader was not sure
    features: frozenset[str]


def samples(rows: Iterable[dict[str, object]], *, is_real: bool, first: int = 0) -> Iterator[Sample]:
    for number, row in enumerate(rows, first):
        text, spans, unsure = str(row["text"]), list(row["lasts"]), list(row.get("unsure", []))  # type: ignore[call-overload]
        page = read(text)
        found = sentences(page)
        for at, (sentence, voice) in enumerate(zip(found, voices(text, page, found), strict=True)):
            own = own_sentence(sentence, voice)
            is_read = not (voice.is_foreign or voice.is_doubtful or own.is_question or own.is_unsure)
            if is_read and len(own.text) <= MAX_CHARS and not asked_for(found, at):
                label = _label(own, spans, unsure)
                yield Sample(str(row["set"]), is_real, number, own.text, label, features(own.text, signs(own)))


def _label(sentence: Sentence, spans: Sequence[str], unsure: Sequence[str]) -> bool | None:
    shares = [max(_share(sentence.text, span), _share(span, sentence.text)) for span in spans]
    if any(share >= MOSTLY for share in shares):
        return True
    doubts = [max(_share(sentence.text, span), _share(span, sentence.text)) for span in unsure]
    return None if any(share > HARDLY for share in (*shares, *doubts)) else False


def _share(text: str, whole: str) -> float:
    """The longest run of words of a text that another one has, as a share of the text."""
    words, there = _WORD.findall(text.lower()), f" {' '.join(_WORD.findall(whole.lower()))} "
    runs = (
        length
        for begin in range(len(words))
        for length in range(1, len(words) - begin + 1)
        if f" {' '.join(words[begin : begin + length])} " in there
    )
    return max(runs, default=0) / max(1, len(words))


class Design:
    """Samples as rows of numbers of features; the first one is the bias."""

    def __init__(self, given: Sequence[Sample]) -> None:
        seen: dict[str, tuple[set[int], set[str]]] = {}
        for one in given:
            for name in one.features:
                messages, sets = seen.setdefault(name, (set(), set()))
                messages.add(one.message)
                sets.add(one.set)
        self.names = ["", *sorted(name for name, (m, s) in seen.items() if len(m) >= FEWEST_MESSAGES and len(s) >= FEWEST_SETS)]
        number = {name: at for at, name in enumerate(self.names)}
        columns = [[0, *(number[name] for name in one.features if name in number)] for one in given]
        self.rows = numpy.repeat(numpy.arange(len(given)), [len(row) for row in columns])
        self.columns = numpy.concatenate([numpy.array(row) for row in columns])
        self.size = len(given)

    def scores(self, weights: Floats) -> Floats:
        return numpy.bincount(self.rows, weights[self.columns], self.size)

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--more", type=Path, help="labelled messages of real sessions")
    parser.add_argument("--write", action="store_true", help=f"write the weights to {WEIGHTS.name}")
    args = parser.parse_args()
    given = list(samples(_rows(HERE / "messages.jsonl"), is_real=False))
    if args.more:
        given += samples(_rows(args.more), is_real=True, first=given[-1].message + 1)
    design = Design(given)
    labels = numpy.array([one.lasts is True for one in given], float)
    counts = numpy.array([0.0 if one.lasts is None else REAL_COUNTS if one.is_real else 1.0 for one in given])
    sure = numpy.zeros(len(given))
    for fold in _folds(given):
        weights = design.fit(labels, numpy.where(fold, 0.0, counts))
        sure[fold] = 1 / (1 + numpy.exp(-design.scores(weights)[fold]))
    for least in (0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85):
        sys.stdout.write(f"{least}: {_told(given, sure >= least)}\n")
    if args.write:
        weights = design.fit(labels, counts)
        kept = {name: round(float(weight), 2) for name, weight in zip(design.names, weights, strict=True)}
        kept = {name: weight for name, weight in kept.items() if not name or abs(weight) >= LEAST}
        WEIGHTS.write_text(json.dumps(kept, ensure_ascii=False, indent=0) + "\n", "utf-8")
        sys.stdout.write(f"{len(kept)} weights in {WEIGHTS.name}\n")


def _rows(file: Path) -> Iterator[dict[str, object]]:
    yield from map(json.loads, file.read_text("utf-8").splitlines())


def _folds(given: Sequence[Sample]) -> Iterator[NDArray[numpy.bool_]]:
    sets = numpy.array([one.set for one in given])
    real = sorted({one.set for one in given if one.is_real})
    for one in sorted({one.set for one in given if not one.is_real}):
        yield sets == one
    for number in range(FOLDS if real else 0):
        yield numpy.isin(sets, real[number::FOLDS])


def _told(given: Sequence[Sample], found: NDArray[numpy.bool_]) -> str:
    names = sorted({"real" if one.is_real else one.set for one in given})
    parts = []
    for name in names:
        here = [(one, hit) for one, hit in zip(given, found, strict=True) if name == ("real" if one.is_real else one.set)]
        right = sum(hit and one.lasts is True for one, hit in here)
        wrong = sum(hit and one.lasts is False for one, hit in here)
        parts.append(f"{name} {right} of {sum(one.lasts is True for one, _ in here)}, wrong {wrong}")
    return "; ".join(parts)


if __name__ == "__main__":
    main()
