"""How well a memory fits what was asked, 0..1. Pure; words and their rarity come as arguments."""

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

MIN_CORPUS = 200  # in a small store every word looks rare; pretend a middling one
MEMORY_COVERAGE_WEIGHT = 0.8  # a prompt that names most of a short memory, whatever else it says
NAMED = 0.75  # it was called by its name


def rarity(occurrences: Mapping[str, int], memories: int) -> dict[str, float]:
    """The weight of each word: 1 for one that is in no memory, falling with every memory that has it."""
    total = max(memories, MIN_CORPUS)
    ceiling = math.log(1 + total)
    return {word: math.log(1 + total / (1 + count)) / ceiling for word, count in occurrences.items()}


def lexical_relevance(
    asked: Collection[str],
    known: Collection[str],
    weight: Mapping[str, float],
    names: Iterable[Collection[str]] = (),
) -> float:
    """The share of what was asked that the memory speaks of, or of the memory that was asked for, by weight.

    `names` are what the memory is called (title, aliases): a prompt that has all words of one of them means it.
    """
    shared = sum(weight[word] for word in asked if word in known)
    if not shared:
        return 0.0
    of_asked = shared / sum(weight[word] for word in asked)
    of_known = shared / (shared + sum(word not in weight for word in known))
    named = NAMED if any(name and all(word in asked for word in name) for name in names) else 0.0
    return max(of_asked, MEMORY_COVERAGE_WEIGHT * of_known, named)


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    of_asked: float
    of_known: float
    named: bool


def coverage(
    asked: Collection[str], known: Collection[str], weight: Mapping[str, float], names: Iterable[Collection[str]] = ()
) -> Coverage:
    shared = sum(weight[word] for word in asked if word in known)
    if not shared:
        return Coverage(of_asked=0.0, of_known=0.0, named=False)
    return Coverage(
        of_asked=shared / sum(weight[word] for word in asked),
        of_known=shared / (shared + sum(word not in weight for word in known)),
        named=any(name and all(word in asked for word in name) for name in names),
    )


def relevance(cosine: float | None, words: Coverage) -> float:
    by_word = max(words.of_asked, MEMORY_COVERAGE_WEIGHT * words.of_known, NAMED if words.named else 0.0)
    if cosine is None:
        return by_word
    return max(by_word, min(1.0, max(0.0, cosine)))
