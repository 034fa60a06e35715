"""What a new statement is to a known one: the same, an update, a contradiction, or another matter. Pure.

It compares what two statements speak of, the values that they give, what they negate and what they say is over. In
doubt it is another matter: a memory too many is found and forgotten, one that was merged wrongly is lost.
"""

from collections.abc import Sequence
from enum import Enum, auto

from recollect.domain.memory import Kind
from recollect.novelty.change import denies, differing_parts, may_replace, replaces
from recollect.novelty.opposites import are_opposites
from recollect.novelty.statement import Statement, statement
from recollect.novelty.statement_tokens import QUOTE
from recollect.novelty.statement_words import GENERIC_STEMS, OPPOSITE_DIRECTIONS

ENOUGH = 3  # so many words in common outweigh one that says nothing
LIKELY = 0.4  # of the words of the shorter one are shared by two that speak of the same thing
LAST = 2  # where what something is done to stands


class Relation(Enum):
    SAME = auto()
    UPDATES = auto()
    CONTRADICTS = auto()
    UNRELATED = auto()


def may_matter(words: frozenset[str], known: frozenset[str], text: str) -> bool:
    """A quick look at the words, before two statements are taken apart."""
    if statement(text).reports_change or not words or not known or min(len(words), len(known)) == 1:
        return True
    return len(words & known) >= LIKELY * min(len(words), len(known))


def verdict_of(old_text: str, new_text: str, old_kind: Kind, new_kind: Kind) -> Relation:
    old, new = statement(old_text), statement(new_text)
    if _is_same(old, new):
        return Relation.SAME if old_kind is new_kind else Relation.UNRELATED
    if old.all_words == new.all_words and _prefers_otherwise(old, new):
        return Relation.CONTRADICTS
    if _are_elsewhere(old, new):
        return Relation.UNRELATED
    if replaces(old, new):
        return Relation.UPDATES
    is_disputed = not new.is_addition and (_opposes(old, new) or may_replace(old, new))
    return Relation.CONTRADICTS if is_disputed else Relation.UNRELATED


def _is_same(old: Statement, new: Statement) -> bool:
    if (
        old.is_negated != new.is_negated
        or not old.all_words
        or _prefers_otherwise(old, new)
        or _is_turned_round(old, new)
    ):
        return False
    if bool(old.moved) != bool(new.moved) or old.ended != new.ended or old.numbers != new.numbers:
        return False
    if not _is_in_order(old, new):
        return False
    if not _turn_alike(old, new):
        return False
    more = old.all_words ^ new.all_words
    return not more or (len(more) == 1 and more <= GENERIC_STEMS and len(old.content & new.content) >= ENOUGH)


def _turn_alike(old: Statement, new: Statement) -> bool:
    """`before` may be said without the word; but it is not `after`, and `only` is never said without it."""
    apart = old.directions ^ new.directions
    return not any(OPPOSITE_DIRECTIONS.get(turn, turn) in apart for turn in apart)


def _is_in_order(old: Statement, new: Statement) -> bool:
    """What stands first in the one may stand last in the other, but who does it to whom stays as it is."""
    ours, theirs = old.words_in_order, new.words_in_order
    numbers = [[word for word in order if word in old.numbers] for order in (ours, theirs)]
    if numbers[0] != numbers[1]:
        return False
    if len(ours) != len(theirs) or _is_moved(ours, theirs):
        return True
    return old.is_passive != new.is_passive or bool(old.subject) != bool(new.subject)


def _is_moved(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether the one is the other with a piece of it in front of what came before it: `in CI, ...`."""
    mine, other = differing_parts(("", *ours), ("", *theirs))
    twice = (*mine, *mine)
    return any(twice[at : at + len(mine)] == tuple(other) for at in range(len(mine) or 1))


def _prefers_otherwise(old: Statement, new: Statement) -> bool:
    """`X over Y`, and `Y over X`."""
    return bool(old.put_second - new.put_second) and bool(new.put_second - old.put_second)


def _is_turned_round(old: Statement, new: Statement) -> bool:
    """`X calls Y`, and `Y calls X`."""
    if not old.subject or not new.subject or old.subject == new.subject or old.is_passive != new.is_passive:
        return False
    return new.subject in old.words_in_order[-LAST:] and old.subject in new.words_in_order[-LAST:]


def _are_elsewhere(old: Statement, new: Statement) -> bool:
    """The one gives the least and the other the most of something; the one quotes this, and the other that."""
    if old.bounds and new.bounds and not old.bounds & new.bounds:
        return True
    return QUOTE in old.values and QUOTE in new.values and not old.values[QUOTE] & new.values[QUOTE]


def _opposes(old: Statement, new: Statement) -> bool:
    """What the one says, the other denies, or says the opposite of."""
    only_old, only_new = old.content - new.content, new.content - old.content
    if denies(old, new):
        return True
    is_opposed = len(only_old) == len(only_new) == 1 and are_opposites(only_old, only_new)
    return is_opposed and old.is_negated == new.is_negated and bool(old.content & new.content)
