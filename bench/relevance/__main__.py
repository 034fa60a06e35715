"""`python -m bench.relevance`: fits the function from cosines and words to relevance, and prints its quality.

Needs the embedding model (`recollect model build`). Every figure of a fitted row is for projects that its fit has not
seen. Copy the printed calibration into `rank/calibrate.py`.
"""

import numpy as np

from bench.relevance.corpus import projects
from bench.relevance.fit import (
    SURE_THRESHOLD,
    Figures,
    auc,
    average_precision,
    figures,
    logistic,
    mark_shown,
    predict_held_out,
    weights,
)
from bench.relevance.pairs import Floats, Pair, pairs
from recollect.embed.minilm import load
from recollect.paths import find_paths
from recollect.rank.calibrate import relevance

NAME_WEIGHT = 4.1  # near the fit for plain names (3.9); set by hand, because half of the ordinary names here are traps
STRETCH = 0.7  # spreads the thresholds of the kinds over the range of the fit
MIN_PRECISION = 0.87  # of the lines shown at the thresholds; recall is as high as that allows
OFFSETS = np.arange(-4.0, 1.0, 0.05)


def main() -> None:
    model = load(find_paths().model)
    corpus = projects()
    found = pairs(corpus, model)
    fits = np.array([float(pair.fits) for pair in found])
    groups = [pair.project for pair in found]
    cosine = np.array([pair.cosine for pair in found])
    overlap = np.array([pair.words.overlap for pair in found])
    named = NAME_WEIGHT * np.array([float(pair.words.named) for pair in found])
    nothing = np.zeros(len(found))
    both = np.column_stack([cosine, overlap])

    asked = [prompt for project in corpus for prompt in project.prompts]
    print(
        f"{len(corpus)} projects, {sum(len(p.memories) for p in corpus)} visible memories, {len(asked)} prompts, ",
        end="",
    )
    print(f"{sum(not prompt.fits for prompt in asked)} of them want nothing; model {model.model}\n")

    said = predict_held_out(both, fits, named, groups)
    offset = _offset(said, fits, found)
    rows = {
        "the larger share of words": np.array([pair.plain for pair in found]),
        "words alone, as shipped": np.array([relevance(None, pair.alone) for pair in found]),
        "cosine alone, held out": _apply_offset(predict_held_out(cosine[:, None], fits, nothing, groups), fits, found),
        "cosine and words, held out": logistic(STRETCH * said + offset),
        "cosine and words, as shipped": np.array([relevance(pair.cosine, pair.words) for pair in found]),
    }
    _table(rows, fits, found)
    _thresholds(rows["cosine and words, held out"], fits, found)
    _unlike(rows, fits, found)

    bias, by_cosine, by_overlap = weights(both, fits, named)
    print(
        f"\nCalibration(bias={STRETCH * bias + offset:.2f}, cosine={STRETCH * by_cosine:.2f}, "
        f"overlap={STRETCH * by_overlap:.2f}, named={STRETCH * NAME_WEIGHT:.2f})"
    )


def _offset(said: Floats, fits: Floats, found: list[Pair]) -> float:
    """Return the largest offset up to which every offset keeps MIN_PRECISION."""
    best = float(OFFSETS[0])
    for offset in OFFSETS:
        if figures(mark_shown(logistic(STRETCH * said + offset), found), fits, found).precision < MIN_PRECISION:
            break
        best = float(offset)
    return best


def _apply_offset(said: Floats, fits: Floats, found: list[Pair]) -> Floats:
    return logistic(STRETCH * said + _offset(said, fits, found))


def _table(rows: dict[str, Floats], fits: Floats, found: list[Pair]) -> None:
    print(f"{'':30} {'':11} | {'first prompt':^27} | {'later prompts':^20} | surely (> {SURE_THRESHOLD:.2f})")
    print(f"{'':30}  AUC   AP  | prec. recall   F1  silence | prec. recall silence | prec. recall")
    for name, said in rows.items():
        first = figures(mark_shown(said, found), fits, found)
        later = figures(mark_shown(said, found, later=True), fits, found)
        surely = figures(mark_shown(said, found, threshold=SURE_THRESHOLD), fits, found)
        print(
            f"{name:30} {auc(said, fits):.3f} {average_precision(said, fits):.3f} | {_pr(first)}  {first.f1:.2f}   "
            f"{first.silence:.2f}   | {_pr(later)}   {later.silence:.2f}   | {_pr(surely)}"
        )


def _thresholds(said: Floats, fits: Floats, found: list[Pair]) -> None:
    print("\ncosine and words, held out, one threshold for all kinds")
    for threshold in (0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8):
        at = figures(mark_shown(said, found, threshold=threshold), fits, found)
        print(f"  {threshold:.2f}   {_pr(at)}   F1 {at.f1:.2f}   {at.shown:4} lines   silence {at.silence:.2f}")


def _unlike(rows: dict[str, Floats], fits: Floats, found: list[Pair]) -> None:
    apart = np.array([pair.words.overlap == 0 for pair in found]) & (fits > 0)
    print(f"\nof the {int(apart.sum())} (of {int(fits.sum())}) that share no word with their prompt, shown:")
    for name, said in rows.items():
        print(f"  {name:30} {float(mark_shown(said, found)[apart].mean()):.2f}")


def _pr(at: Figures) -> str:
    return f"{at.precision:5.2f} {at.recall:5.2f} "


if __name__ == "__main__":
    main()
