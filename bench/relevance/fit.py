"""A small logistic model, fitted on all projects but one and measured on that one, and its figures."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.relevance.pairs import Floats, Pair
from recollect.domain.memory import Kind
from recollect.domain.settings import Settings

RIDGE = 0.01
STEPS = 50
SURE_THRESHOLD = 0.70


@dataclass(frozen=True, slots=True)
class Figures:
    """Compares the lines that would be shown with those that should be."""

    shown: int
    precision: float
    recall: float
    silence: float  # of the prompts that no memory fits, the share that shows nothing

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def logistic(x: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-x)))


def weights(signs: Floats, fits: Floats, given: Floats) -> Floats:
    """Fit by Newton's method; the first weight is the bias. `given` is added unchanged: it is not fitted."""
    table = np.column_stack([np.ones(len(signs)), signs])
    ridge = RIDGE * np.eye(table.shape[1])
    found = np.zeros(table.shape[1])
    for _ in range(STEPS):
        chance = logistic(table @ found + given)
        slope = table.T @ (chance - fits) + ridge @ found
        curve = (table * (chance * (1 - chance))[:, None]).T @ table + ridge
        found = found - np.linalg.solve(curve, slope)
    return found


def predict_held_out(signs: Floats, fits: Floats, given: Floats, groups: Sequence[str]) -> Floats:
    """Return for each pair the score of a model that has seen no pair of its project."""
    said = np.zeros(len(fits))
    names = np.array(groups)
    for name in sorted(set(groups)):
        here = names == name
        found = weights(signs[~here], fits[~here], given[~here])
        said[here] = found[0] + signs[here] @ found[1:] + given[here]
    return said


def mark_shown(relevance: Floats, pairs: list[Pair], *, later: bool = False, threshold: float | None = None) -> Floats:
    """Return 1 for pairs that pass the threshold (of the kind, or given) and the relative cut of a turn block."""
    settings = Settings()
    raised = settings.turn.later_threshold if later else 0.0
    limit = np.array([_limit(pair.kind, settings, threshold) + raised for pair in pairs])
    heard = np.array([pair.heard for pair in pairs])
    passing = np.where((relevance >= limit) & heard, relevance, 0.0)
    _, of = np.unique([pair.prompt for pair in pairs], return_inverse=True)
    best = np.zeros(of.max() + 1)
    np.maximum.at(best, of, passing)
    named = np.array([pair.words.named > 0 for pair in pairs])
    kept = named | (passing >= settings.turn.relative_cut * best[of])
    return np.asarray((passing > 0) & kept, dtype=np.float64)


def _limit(kind: Kind, settings: Settings, threshold: float | None) -> float:
    return settings.kinds.threshold[kind] if threshold is None else threshold


def figures(taken: Floats, fits: Floats, pairs: list[Pair]) -> Figures:
    right = float(taken @ fits)
    prompts = np.array([pair.prompt for pair in pairs])
    wants = set(prompts[fits > 0])
    speaks = set(prompts[taken > 0])
    nothing = set(prompts) - wants
    return Figures(
        shown=int(taken.sum()),
        precision=right / max(1.0, float(taken.sum())),
        recall=right / float(fits.sum()),
        silence=len(nothing - speaks) / len(nothing),
    )


def auc(said: Floats, fits: Floats) -> float:
    """Return the probability that a fitting pair scores above one that does not fit; a tie counts half."""
    _, place, count = np.unique(said, return_inverse=True, return_counts=True)
    rank = (np.cumsum(count) - (count - 1) / 2)[place]
    yes = float(fits.sum())
    return float((rank[fits > 0].sum() - yes * (yes + 1) / 2) / (yes * (len(fits) - yes)))


def average_precision(said: Floats, fits: Floats) -> float:
    order = np.argsort(-said, kind="stable")
    right = np.cumsum(fits[order])
    return float((right / np.arange(1, len(order) + 1))[fits[order] > 0].mean())
