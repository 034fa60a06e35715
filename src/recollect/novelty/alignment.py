"""Two statements, word beside word: where they part, and what stands in the one where something else stands. Pure."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from recollect.novelty.statement import Statement


def differing_parts(ours: Sequence[str], theirs: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """What differs between two that begin and end alike; it is empty where one of them only says more."""
    begin = 0
    while begin < min(len(ours), len(theirs)) and ours[begin] == theirs[begin]:
        begin += 1
    end = 0
    while end < min(len(ours), len(theirs)) - begin and ours[-1 - end] == theirs[-1 - end]:
        end += 1
    if begin == 0:  # another subject
        return (), ()
    return ours[begin : len(ours) - end], theirs[begin : len(theirs) - end]


def is_swapped(old: Statement, new: Statement, values: frozenset[str], *, close: bool) -> bool:
    """Whether something stands in the one where something else stands in the other, beside the same word; `close`:
    right beside it."""
    ours, theirs = beside(old, new, values, close=close), beside(new, old, values, close=close)
    return any(place in theirs for place in ours)


def beside(one: Statement, other: Statement, values: frozenset[str], *, close: bool) -> set[tuple[str, str]]:
    """Where words stand that only this one has: before or after a word that both have."""
    common = frozenset(other.order) - {""}
    order = [word for word in _without_phrases(one.order, values) if word or close]
    found = set()
    for i, word in enumerate(order):
        if not word or word in common:
            continue
        if i + 1 < len(order) and order[i + 1] in common:
            found.add(("before", order[i + 1]))
        if i and order[i - 1] in common:
            found.add(("after", order[i - 1]))
    return found


def _without_phrases(order: Sequence[str], values: frozenset[str]) -> Iterator[str]:
    """Without the values, and without what belongs to them: the `morning` of `Monday morning`."""
    for before, word in pairwise(("", *order)):
        if word not in values and (not word or before not in values):
            yield word
