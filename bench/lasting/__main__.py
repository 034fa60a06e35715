"""Fit the probability that a sentence lasts. `python -m bench.lasting [--more FILE] [--write]`

`messages.jsonl` has messages with their lasting spans. `--more` adds labelled messages of real sessions, which are not
part of this repository: {"set": a repository, "text", "lasts": [spans], "unsure": [spans]}. Prints what each threshold
finds in sets that the fit did not see: our sets are left out one by one, real ones in eight groups.
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

from bench.linear import Design
from recollect.capture.said.clauses import Sentence, sentences
from recollect.capture.said.masking import mask_message
from recollect.capture.said.outright import MAX_CHARS, lasting_features, signs_of
from recollect.capture.said.remember_requests import text_to_remember
from recollect.capture.said.voice import own_sentence, voices

HERE = Path(__file__).parent
WEIGHTS = HERE.parents[1] / "src/recollect/capture/lasting.json"
REAL_WEIGHT = 2.0  # of a real message; one that was written for this has 1
FOLDS = 8
MIN_LASTING_SHARE, MAX_OTHER_SHARE = (
    0.6,
    0.2,
)  # share of a sentence in a lasting span: from the first on it lasts, up to the second it does not
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Sample:
    set: str
    is_real: bool
    message: int
    text: str
    lasts: bool | None  # None: the labeller was not sure
    features: frozenset[str]


def samples(rows: Iterable[dict[str, object]], *, is_real: bool, first: int = 0) -> Iterator[Sample]:
    for number, row in enumerate(rows, first):
        text, spans, unsure = str(row["text"]), list(row["lasts"]), list(row.get("unsure", []))  # type: ignore[call-overload]
        page = mask_message(text)
        found = sentences(page)
        for at, (sentence, voice) in enumerate(zip(found, voices(text, page, found), strict=True)):
            own = own_sentence(sentence, voice)
            is_read = not (voice.is_foreign or voice.is_doubtful or own.is_question or own.is_unsure)
            if is_read and len(own.text) <= MAX_CHARS and not text_to_remember(found, at):
                label = _label(own, spans, unsure)
                yield Sample(
                    str(row["set"]),
                    is_real,
                    number,
                    own.text,
                    label,
                    frozenset(lasting_features(own.text, signs_of(own))),
                )


def _label(sentence: Sentence, spans: Sequence[str], unsure: Sequence[str]) -> bool | None:
    shares = [max(_share(sentence.text, span), _share(span, sentence.text)) for span in spans]
    if any(share >= MIN_LASTING_SHARE for share in shares):
        return True
    doubts = [max(_share(sentence.text, span), _share(span, sentence.text)) for span in unsure]
    return None if any(share > MAX_OTHER_SHARE for share in (*shares, *doubts)) else False


def _share(text: str, whole: str) -> float:
    """Return the longest run of words that both texts share, as a share of the first."""
    words, there = _WORD.findall(text.lower()), f" {' '.join(_WORD.findall(whole.lower()))} "
    runs = (
        length
        for begin in range(len(words))
        for length in range(1, len(words) - begin + 1)
        if f" {' '.join(words[begin : begin + length])} " in there
    )
    return max(runs, default=0) / max(1, len(words))


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
    counts = numpy.array([REAL_WEIGHT if one.is_real else 1.0 for one in given])
    counts[[one.lasts is None for one in given]] = 0.0
    sure = numpy.zeros(len(given))
    for fold in _folds(given):
        weights = design.fit(labels, numpy.where(fold, 0.0, counts))
        sure[fold] = 1 / (1 + numpy.exp(-design.scores(weights)[fold]))
    for least in (0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85):
        sys.stdout.write(f"{least}: {_describe_found(given, sure >= least)}\n")
    if args.write:
        sys.stdout.write(f"{design.write(design.fit(labels, counts), WEIGHTS)} weights in {WEIGHTS.name}\n")


def _rows(file: Path) -> Iterator[dict[str, object]]:
    yield from map(json.loads, file.read_text("utf-8").splitlines())


def _folds(given: Sequence[Sample]) -> Iterator[NDArray[numpy.bool_]]:
    sets = numpy.array([one.set for one in given])
    real = sorted({one.set for one in given if one.is_real})
    for one in sorted({one.set for one in given if not one.is_real}):
        yield sets == one
    for number in range(FOLDS if real else 0):
        yield numpy.isin(sets, real[number::FOLDS])


def _describe_found(given: Sequence[Sample], found: NDArray[numpy.bool_]) -> str:
    names = sorted({"real" if one.is_real else one.set for one in given})
    parts = []
    for name in names:
        here = [
            (one, hit) for one, hit in zip(given, found, strict=True) if name == ("real" if one.is_real else one.set)
        ]
        right = sum(hit and one.lasts is True for one, hit in here)
        wrong = sum(hit and one.lasts is False for one, hit in here)
        parts.append(f"{name} {right} of {sum(one.lasts is True for one, _ in here)}, wrong {wrong}")
    return "; ".join(parts)


if __name__ == "__main__":
    main()
