"""How well a memory fits what was asked, 0..1. Pure; words, their rarity and cosines come as arguments.

Raw cosines and shares of words are not relevance. How they become one was fitted on a corpus of our own:
docs/explanation/relevance.md has the figures and the command that gives them.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from recollect.domain.calibration import Calibration

MIN_CORPUS = 200  # in a small store every word looks rare; pretend a middling one
UNSAID = 12  # words of a memory that were not asked for count up to here: a long memory is about each of its subjects
UNSAID_IN_A_SENTENCE = 6
SHORT = 5  # a memory of two words is not half asked for by one of them
FULL_OVERLAP = 0.55  # from here words alone leave no doubt
OVERLAP_POWER = 0.78  # below it, this brings the overlaps of what fits to the thresholds of their kinds
LEAST_LIKELY, MOST_LIKELY = 0.2, 0.6  # cosines of texts that share none and all of what was asked
NAMED = 0.75  # it was called by its name

# all-MiniLM-L6-v2
MINILM = Calibration(bias=-4.91, cosine=7.99, overlap=10.69, named=2.87)


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What the words of a prompt and of a memory have in common, by rarity."""

    of_asked: float  # the share of what was asked that the memory speaks of
    of_known: float  # the share of the memory that was asked for
    named: float  # how surely the prompt calls it by its title or an alias, 0..1

    @property
    def overlap(self) -> float:
        """High only if both shares are: one rare word in a long prompt, or in a long memory, says little."""
        if not self.of_asked or not self.of_known:
            return 0.0
        return 2 / (1 / self.of_asked + 1 / self.of_known)


NO_WORDS = Coverage(of_asked=0.0, of_known=0.0, named=0.0)


def rarity(occurrences: Mapping[str, int], memories: int) -> dict[str, float]:
    """The weight of each word: 1 for one that is in no memory, falling with every memory that has it."""
    total = max(memories, MIN_CORPUS)
    ceiling = math.log(1 + total)
    return {word: math.log(1 + total / (1 + count)) / ceiling for word, count in occurrences.items()}


def coverage(
    asked: Collection[str],
    known: Collection[str],
    weight: Mapping[str, float],
    *,
    named: float = 0.0,
) -> Coverage:
    """`named`: how surely it was called by its name, which is told by more than words; see `text.naming`."""
    shared = sum(weight[word] for word in asked if word in known)
    if not shared:
        return replace(NO_WORDS, named=named)  # by its initials, say
    unsaid = min(sum(word not in weight for word in known), UNSAID)
    return Coverage(
        of_asked=shared / sum(weight[word] for word in asked),
        of_known=shared / max(shared + unsaid, SHORT),
        named=named,
    )


def coverage_of_turn(of_asked: float, asked: float) -> Coverage:
    """`asked` is the weight of all that was asked. How long the turn is says nothing: one sentence of it may answer."""
    shared = of_asked * asked
    return Coverage(of_asked=of_asked, of_known=shared / (shared + UNSAID_IN_A_SENTENCE), named=0.0)


def relevance(cosine: float | None, words: Coverage, fit: Calibration = MINILM) -> float:
    """Never falls when a sign gets stronger. `cosine` is None where there is no vector to compare: words decide."""
    if cosine is None:
        return max(math.pow(min(1.0, words.overlap / FULL_OVERLAP), OVERLAP_POWER), NAMED * words.named)
    return _logistic(fit.bias + fit.cosine * cosine + fit.overlap * words.overlap + fit.named * words.named)


def likely_cosine(words: Coverage) -> float:
    """Of what has no vector yet, so that it stands beside what has one: the words tell the most of it."""
    return LEAST_LIKELY + (MOST_LIKELY - LEAST_LIKELY) * words.of_asked


def _logistic(x: float) -> float:
    """Both halves without an exponential that overflows."""
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))
