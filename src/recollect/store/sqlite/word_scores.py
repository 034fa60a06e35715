"""Scores memories by words: the share of the question's words that a memory has, weighted by rarity."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from recollect.domain.search import WordMatches
from recollect.rank.calibrate import rarity

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class WordScores:
    numbers: "NDArray[np.int64]"  # of the memories, in ascending order
    values: "NDArray[np.float64]"

    def best(self, limit: int) -> dict[int, float]:
        """Return the highest first; of equal ones the newest."""
        last = len(self.numbers) - 1
        first = last - np.argsort(-self.values[::-1], kind="stable")[:limit]
        return dict(zip(self.numbers[first].tolist(), self.values[first].tolist(), strict=True))

    def of(self, numbers: Collection[int]) -> dict[int, float]:
        """Return 0 for a memory that has no word of the question."""
        asked = np.fromiter(numbers, np.int64, len(numbers))
        if not len(self.numbers):
            return dict.fromkeys(asked.tolist(), 0.0)
        at = np.minimum(np.searchsorted(self.numbers, asked), len(self.numbers) - 1)
        found = np.where(self.numbers[at] == asked, self.values[at], 0.0)
        return dict(zip(asked.tolist(), found.tolist(), strict=True))

    def only(self, numbers: Collection[int]) -> "WordScores":
        here = np.isin(self.numbers, np.fromiter(numbers, np.int64, len(numbers)))
        return WordScores(self.numbers[here], self.values[here])


def score_words(sighting: WordMatches) -> WordScores:
    rarities = rarity(sighting.occurrences, sighting.memories)
    total = sum(rarities.values()) or 1.0
    having = {word: np.array(numbers, np.int64) for word, numbers in sighting.numbers_by_word.items() if numbers}
    if not having:
        return WordScores(np.zeros(0, np.int64), np.zeros(0))
    weights = np.repeat([rarities[word] / total for word in having], [len(numbers) for numbers in having.values()])
    numbers, positions = np.unique(np.concatenate(list(having.values())), return_inverse=True)
    values: NDArray[np.float64] = np.bincount(positions, weights=weights).astype(np.float64)
    return WordScores(numbers, values)
