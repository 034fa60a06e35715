"""Rank the turns of a project's sessions by how well they answer a question. Pure: same sightings, same order.

A turn scores by its words, by its meaning alone and together with the turn before, by its session and by its
neighbours: an answer seldom repeats the words of its question. Words and meaning are scaled to 0..1 before they are
added. Of turns about the same thing, the newest comes first.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from recollect.domain.search import TurnMatches

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from recollect.domain.search import Flags, Numbers, Reals
    from recollect.domain.vector import Vector

    Doubles = NDArray[np.float64]

MEANING_WEIGHT = 0.6  # words have the rest
MEANING_SPREAD = 0.4  # of two cosines added: if all turns are about equally near, the words decide
SESSION_WEIGHT = 0.15  # the words of the whole session
BEFORE, AFTER, FARTHER = 0.2, 0.3, 0.1  # shares of the neighbours' scores; an answer comes after its question
SPEAKER_BONUS = 0.15  # the question names its speaker
USER_BONUS = 0.1  # replies repeat the question and would take the first places
_NEIGHBOUR_SHARES = BEFORE + AFTER + 2 * FARTHER
_MAX_BASE = 1 + SESSION_WEIGHT
MAX_SCORE = _MAX_BASE * (1 + _NEIGHBOUR_SHARES) + SPEAKER_BONUS + USER_BONUS
SESSION_SATURATION, SESSION_LENGTH = 1.2, 0.4  # how soon repetitions stop counting; how much long sessions lose
MIN_SIMILAR_COSINE = 0.5  # of two passages about the same thing
UNKNOWN_MEANING = 0.5  # a new turn has no vector yet: its words replace half of its meaning

NO_PASSAGES: Mapping[int, float] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedTurns:
    """The parts of a turn's score, each for all turns of the project."""

    words: "Doubles"  # 0..1, the share of the question that the turn has, by rarity
    meaning: "Doubles"  # a cosine; 0 where it is not known
    session: "Doubles"  # 0..1, 1 for the best session
    neighbours: "Doubles"  # 0..1, from the turns around it
    score: "Doubles"  # 0..1

    def best(self, limit: int) -> "Numbers":
        """Return positions, the best first; equal ones in their order."""
        import numpy as np

        order = np.argsort(-self.score, kind="stable")[:limit]
        return order[self.score[order] > -np.inf]


def rank(
    turns: TurnMatches,
    weights: Mapping[str, float],
    cosine: "Reals | None",
    passages: Mapping[int, float] = NO_PASSAGES,
) -> RankedTurns:
    """`passages`: the cosine of the nearest passage, for positions where it is known."""
    import numpy as np

    words, total_weight = _score_words(turns, weights)
    session = _scale(_score_sessions(turns, weights))
    base = _scale(words)
    meaning = np.zeros(len(turns.numbers))
    if cosine is not None and not np.isnan(cosine).all():
        is_unknown = np.isnan(cosine)
        context = np.nan_to_num(cosine.astype(np.float64), nan=float(np.nanmin(cosine)))
        nearest = context.copy()
        for position, value in passages.items():
            nearest[position] = value
        meaning = np.where(is_unknown, 0.0, np.maximum(context, nearest))
        by_meaning = np.where(is_unknown, UNKNOWN_MEANING * _scale(words), _scale(context + nearest, MEANING_SPREAD))
        base = MEANING_WEIGHT * by_meaning + (1 - MEANING_WEIGHT) * base
    base = base + SESSION_WEIGHT * session
    neighbours = _score_neighbours(turns, base)
    score = (base + neighbours + SPEAKER_BONUS * turns.by_named_speaker + USER_BONUS * turns.from_user) / MAX_SCORE
    is_found = (words > 0) | (meaning > 0)
    score[~(turns.passes_filters & is_found)] = -np.inf
    return RankedTurns(
        words=words / (total_weight or 1.0),
        meaning=meaning,
        session=session,
        neighbours=neighbours / (_MAX_BASE * _NEIGHBOUR_SHARES),
        score=score,
    )


def prefer_newest(
    ranked: RankedTurns, turns: TurnMatches, first: Mapping[int, "Vector"], leading: Collection[int]
) -> RankedTurns:
    """Let the newer of two similar turns take the place of the older one. `first`: positions of the first few, with the
    passage nearest to the question; `leading`: those that may move up."""
    import numpy as np

    if len(first) < 2 or not leading:
        return ranked
    vectors = np.stack([np.frombuffer(vector, np.float32) for vector in first.values()])
    are_similar = vectors @ vectors.T >= MIN_SIMILAR_COSINE
    positions = np.array([*first], np.int64)
    times, score = turns.at_ms[positions], ranked.score.copy()
    for number, position in enumerate(positions.tolist()):
        if position in leading:
            older = positions[are_similar[number] & (times < times[number])]
            score[position] = max(score[position], ranked.score[older].max(initial=-np.inf))
    order = positions[np.lexsort((-times, -score[positions]))]  # of equal ones the newest
    score[order] -= np.arange(len(positions)) * np.finfo(np.float64).eps
    return replace(ranked, score=score)


def word_rarity(total: int, having: int) -> float:
    return math.log(1 + (total - having + 0.5) / (having + 0.5))


def _score_words(turns: TurnMatches, weights: Mapping[str, float]) -> tuple["Doubles", float]:
    """Return the score of each turn, and the weight of the whole question."""
    import numpy as np

    total = len(turns.numbers)
    score, total_weight = np.zeros(total), 0.0
    for word, positions in turns.positions_by_word.items():
        weight = weights[word] * word_rarity(total, len(positions))
        score[positions] += weight
        total_weight += weight
    return score, total_weight


def _score_sessions(turns: TurnMatches, weights: Mapping[str, float]) -> "Doubles":
    import numpy as np

    if not len(turns.numbers):
        return np.zeros(0)
    codes = turns.sessions
    length = np.bincount(codes)
    sessions = int(np.count_nonzero(length))
    mean_length = length.sum() / sessions
    norm = SESSION_SATURATION * (1 - SESSION_LENGTH + SESSION_LENGTH * length / mean_length)
    score = np.zeros(len(length))
    for word, positions in turns.positions_by_word.items():
        times = np.bincount(codes[positions], minlength=len(length))
        weight = weights[word] * word_rarity(sessions, int(np.count_nonzero(times)))
        score += weight * times * (SESSION_SATURATION + 1) / (times + norm)
    return np.asarray(score[codes], np.float64)


def _scale(values: "Doubles", least: float = 0.0) -> "Doubles":
    """Scale to 0..1; a spread of less than `least` stays small."""
    import numpy as np

    if not len(values) or values.max() <= values.min():
        return np.zeros(len(values))
    scaled: Doubles = (values - values.min()) / max(values.max() - values.min(), least)
    return scaled


def _score_neighbours(turns: TurnMatches, base: "Doubles") -> "Doubles":
    """Add shares of neighbours in the same session: people to each other, a prompt to its reply but not to the last."""
    score = base * 0
    for distance, before, after in ((1, BEFORE, AFTER), (2, FARTHER, FARTHER)):
        if len(base) <= distance:
            break
        together = _belong_together(turns, distance)
        score[distance:][together] += before * base[:-distance][together]
        score[:-distance][together] += after * base[distance:][together]
    return score


def _belong_together(turns: TurnMatches, distance: int) -> "Flags":
    later_from_user = turns.from_user[distance:]
    belong = later_from_user & turns.from_user[:-distance]
    if distance == 1:
        belong = belong | ~later_from_user
    together: Flags = (turns.sessions[distance:] == turns.sessions[:-distance]) & belong
    return together
