"""Which turns of a project's sessions answer a question. Pure: the same sightings, the same order.

A turn is judged by its words, by its meaning alone and together with what came before it, by its session and by its
neighbours: an answer seldom repeats the words of its question. Both halves are scaled to 0..1 before they are added.
Of turns that say something of the same thing, the newest comes first.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from recollect.domain.search import SightedTurns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from recollect.domain.search import Flags, Numbers, Reals
    from recollect.domain.vector import Vector

    Doubles = NDArray[np.float64]

MEANING_WEIGHT = 0.6  # the words have the rest
MEANING_SPREAD = 0.4  # of two cosines together: where all turns are about as near, the words decide
SESSION_WEIGHT = 0.15  # the words of the whole session
BEFORE, AFTER, FARTHER = 0.2, 0.3, 0.1  # shares of the neighbours' scores; an answer comes after its question
SPEAKER_BONUS = 0.15  # it is spoken by somebody whom the question names
USER_BONUS = 0.1  # replies repeat the question and fill the first places
_SHARES = BEFORE + AFTER + 2 * FARTHER
_MOST_OF_ONE = 1 + SESSION_WEIGHT
MOST = _MOST_OF_ONE * (1 + _SHARES) + SPEAKER_BONUS + USER_BONUS
SESSION_SATURATION, SESSION_LENGTH = 1.2, 0.4  # how soon more of a word counts no more; how much long sessions lose
ALIKE = 0.5  # the cosine of two passages that speak of the same thing
UNKNOWN_MEANING = 0.5  # what was just said has no vector yet: its words stand for half of its meaning

NONE: Mapping[int, float] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """The parts of a turn's score, each for all turns of the project."""

    words: "Doubles"  # 0..1, the share of the question that the turn has, by rarity
    meaning: "Doubles"  # a cosine; 0 where it is not known
    session: "Doubles"  # 0..1, the best session has 1
    neighbours: "Doubles"  # 0..1, what the turns around it bring
    score: "Doubles"  # 0..1

    def best(self, limit: int) -> "Numbers":
        """Positions, the best first; equal ones in their order."""
        import numpy as np

        order = np.argsort(-self.score, kind="stable")[:limit]
        return order[self.score[order] > -np.inf]


def rank(
    turns: SightedTurns,
    weights: Mapping[str, float],
    cosine: "Reals | None",
    passages: Mapping[int, float] = NONE,
) -> Ranked:
    """`passages`: for positions where it is known, how near the nearest passage comes."""
    import numpy as np

    words, asked = _by_words(turns, weights)
    session = _scaled(_by_session(turns, weights))
    base = _scaled(words) + SESSION_WEIGHT * session
    meaning = np.zeros(len(turns.numbers))
    if cosine is not None and not np.isnan(cosine).all():
        unknown = np.isnan(cosine)
        context = np.nan_to_num(cosine.astype(np.float64), nan=float(np.nanmin(cosine)))
        nearest = context.copy()
        for position, value in passages.items():
            nearest[position] = value
        meaning = np.where(unknown, 0.0, np.maximum(context, nearest))
        by_meaning = np.where(unknown, UNKNOWN_MEANING * _scaled(words), _scaled(context + nearest, MEANING_SPREAD))
        base = MEANING_WEIGHT * by_meaning + (1 - MEANING_WEIGHT) * _scaled(words) + SESSION_WEIGHT * session
    around = _around(turns, base)
    score = (base + around + SPEAKER_BONUS * turns.by_asked + USER_BONUS * turns.from_user) / MOST
    known = (words > 0) | (meaning > 0)
    score[~(turns.wanted & known)] = -np.inf
    return Ranked(
        words=words / (asked or 1.0),
        meaning=meaning,
        session=session,
        neighbours=around / (_MOST_OF_ONE * _SHARES),
        score=score,
    )


def newest_first(
    ranked: Ranked, turns: SightedTurns, first: Mapping[int, "Vector"], leading: Collection[int]
) -> Ranked:
    """`first`: the positions of the first few, with the passage that comes nearest to the question. Of two that are
    alike, the newer one takes the place of the older one, which follows it, if it is among the `leading`."""
    import numpy as np

    if len(first) < 2 or not leading:
        return ranked
    vectors = np.stack([np.frombuffer(vector, np.float32) for vector in first.values()])
    are_alike = vectors @ vectors.T >= ALIKE
    at = np.array([*first], np.int64)
    when, score = turns.at_ms[at], ranked.score.copy()
    for one, position in enumerate(at.tolist()):
        if position in leading:
            older = at[are_alike[one] & (when < when[one])]
            score[position] = max(score[position], ranked.score[older].max(initial=-np.inf))
    order = at[np.lexsort((-when, -score[at]))]  # of equal ones the newest
    score[order] -= np.arange(len(at)) * np.finfo(np.float64).eps
    return replace(ranked, score=score)


def word_rarity(total: int, having: int) -> float:
    return math.log(1 + (total - having + 0.5) / (having + 0.5))


def _by_words(turns: SightedTurns, weights: Mapping[str, float]) -> tuple["Doubles", float]:
    import numpy as np

    score, asked, total = np.zeros(len(turns.numbers)), 0.0, len(turns.numbers)
    for word, positions in turns.having.items():
        worth = weights[word] * word_rarity(total, len(positions))
        score[positions] += worth
        asked += worth
    return score, asked


def _by_session(turns: SightedTurns, weights: Mapping[str, float]) -> "Doubles":
    import numpy as np

    if not len(turns.numbers):
        return np.zeros(0)
    codes = turns.sessions
    length = np.bincount(codes)
    there = int(np.count_nonzero(length))
    usual = length.sum() / there
    norm = SESSION_SATURATION * (1 - SESSION_LENGTH + SESSION_LENGTH * length / usual)
    score = np.zeros(len(length))
    for word, positions in turns.having.items():
        times = np.bincount(codes[positions], minlength=len(length))
        worth = weights[word] * word_rarity(there, int(np.count_nonzero(times)))
        score += worth * times * (SESSION_SATURATION + 1) / (times + norm)
    return np.asarray(score[codes], np.float64)


def _scaled(values: "Doubles", least: float = 0.0) -> "Doubles":
    """From 0 to 1; what differs by less than `least` does not differ much."""
    import numpy as np

    if not len(values) or values.max() <= values.min():
        return np.zeros(len(values))
    scaled: Doubles = (values - values.min()) / max(values.max() - values.min(), least)
    return scaled


def _around(turns: SightedTurns, base: "Doubles") -> "Doubles":
    """What the neighbours in the same session bring: people to each other, and a prompt and its reply. The reply to the
    prompt before speaks of something else."""
    score = base * 0
    for distance, before, after in ((1, BEFORE, AFTER), (2, FARTHER, FARTHER)):
        if len(base) <= distance:
            break
        together = _belong_together(turns, distance)
        score[distance:][together] += before * base[:-distance][together]
        score[:-distance][together] += after * base[distance:][together]
    return score


def _belong_together(turns: SightedTurns, distance: int) -> "Flags":
    is_said, answers = turns.from_user[distance:] & turns.from_user[:-distance], ~turns.from_user[distance:]
    same_session = turns.sessions[distance:] == turns.sessions[:-distance]
    together: Flags = same_session & (is_said | answers if distance == 1 else is_said)
    return together
