"""Compute the relevance of a memory to a question, 0..1. Pure; words, their rarity and cosines come as arguments.

Raw cosines and shares of words are not relevance. Their conversion was fitted on a corpus of our own:
docs/explanation/relevance.md has the figures and the command that prints them.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from recollect.domain.calibration import Calibration

MIN_CORPUS = 200  # in a small store every word looks rare; assume a medium one
MAX_OTHER_WORDS = 12  # of a memory that are counted: a long memory is about each of its subjects
OTHER_WORDS_OF_SENTENCE = 6
MIN_MEMORY_WORDS = 5  # one word of a memory of two words does not mean half of it
FULL_OVERLAP = 0.55  # from here on words alone leave no doubt
OVERLAP_POWER = 0.78  # below it, maps the overlaps of fitting memories to the thresholds of their kinds
MIN_LIKELY_COSINE, MAX_LIKELY_COSINE = 0.2, 0.6  # of texts with none and with all words of the question
NAMED_RELEVANCE = 0.75  # relevance of a memory that is mentioned by its name

# all-MiniLM-L6-v2
MINILM = Calibration(bias=-4.91, cosine=7.99, overlap=10.69, named=2.87)


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """The words that a prompt and a memory share, weighted by rarity."""

    of_asked: float  # the share of the prompt that the memory has
    of_known: float  # the share of the memory that the prompt has
    named: float  # 0..1, confidence that the prompt mentions its title or an alias

    @property
    def overlap(self) -> float:
        """High only if both shares are high: one rare word of a long prompt or memory means little."""
        if not self.of_asked or not self.of_known:
            return 0.0
        return 2 / (1 / self.of_asked + 1 / self.of_known)


NO_WORDS = Coverage(of_asked=0.0, of_known=0.0, named=0.0)


def rarity(occurrences: Mapping[str, int], memories: int) -> dict[str, float]:
    """Return the weight of each word: 1 if no memory has it, less with every memory that has it."""
    total = max(memories, MIN_CORPUS)
    ceiling = math.log(1 + total)
    return {word: math.log(1 + total / (1 + count)) / ceiling for word, count in occurrences.items()}


def coverage(
    asked: Collection[str], known: Collection[str], weight: Mapping[str, float], *, named: float = 0.0
) -> Coverage:
    """`named`: confidence that the memory is mentioned by its name, which takes more than words; see `text.naming`."""
    shared = sum(map(weight.__getitem__, filter(known.__contains__, asked)))
    if not shared:
        return replace(NO_WORDS, named=named)  # mentioned by its initials, for example
    others = min(len(known) - sum(map(weight.__contains__, known)), MAX_OTHER_WORDS)
    of_asked = shared / sum(map(weight.__getitem__, asked))
    return Coverage(of_asked=of_asked, of_known=shared / max(shared + others, MIN_MEMORY_WORDS), named=named)


def coverage_of_turn(of_asked: float, asked: float) -> Coverage:
    """`asked`: the weight of the whole question. The turn's length does not count: one sentence of it may answer."""
    shared = of_asked * asked
    return Coverage(of_asked=of_asked, of_known=shared / (shared + OTHER_WORDS_OF_SENTENCE), named=0.0)


def relevance(cosine: float | None, words: Coverage, fit: Calibration = MINILM) -> float:
    """Never falls when a sign gets stronger. `cosine` is None if there is no vector: words decide."""
    if cosine is None:
        return max(math.pow(min(1.0, words.overlap / FULL_OVERLAP), OVERLAP_POWER), NAMED_RELEVANCE * words.named)
    return _logistic(fit.bias + fit.cosine * cosine + fit.overlap * words.overlap + fit.named * words.named)


def likely_cosine(words: Coverage) -> float:
    """Estimate the cosine of a memory without a vector from its words, so that it ranks beside others."""
    return MIN_LIKELY_COSINE + (MAX_LIKELY_COSINE - MIN_LIKELY_COSINE) * words.of_asked


def _logistic(x: float) -> float:
    """Both halves without an exponential that overflows."""
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))
