"""The relevance that words alone tell."""

from collections.abc import Collection, Mapping

from recollect.rank.calibrate import coverage, relevance


def lexical_relevance(
    asked: Collection[str], known: Collection[str], weight: Mapping[str, float], *, named: float = 0.0
) -> float:
    return relevance(None, coverage(asked, known, weight, named=named))
