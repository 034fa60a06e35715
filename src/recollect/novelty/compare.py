"""Compare a new statement with a known one: the same, an update, a contradiction, or another matter. Pure.

It compares their topics, the values that they give, their negations, and what they say is over. In doubt it is another
matter: a memory too many is found and forgotten, one that was merged wrongly is lost.
"""

from collections.abc import Sequence
from enum import Enum, auto

from recollect.domain.memory import Kind
from recollect.novelty.change import denies, differing_parts, may_replace, replaces
from recollect.novelty.opposites import are_opposites
from recollect.novelty.statement import Statement, parse_statement
from recollect.novelty.statement_tokens import QUOTE
from recollect.novelty.statement_words import GENERIC_STEMS, OPPOSITE_DIRECTIONS

ENOUGH_SHARED = 3  # words in common outweigh one generic word that differs
LIKELY_SHARE = 0.4  # of the words of the shorter statement, in two about the same thing
OBJECT_WORDS = 2  # the object of a verb is among the last words


class Relation(Enum):
    SAME = auto()
    UPDATES = auto()
    CONTRADICTS = auto()
    UNRELATED = auto()


def may_be_related(words: frozenset[str], known: frozenset[str], text: str) -> bool:
    """Check the words quickly, before two statements are parsed."""
    if parse_statement(text).reports_change or not words or not known or min(len(words), len(known)) == 1:
        return True
    return len(words & known) >= LIKELY_SHARE * min(len(words), len(known))


def relation_between(old_text: str, new_text: str, old_kind: Kind, new_kind: Kind) -> Relation:
    old, new = parse_statement(old_text), parse_statement(new_text)
    if _is_same(old, new):
        return Relation.SAME if old_kind is new_kind else Relation.UNRELATED
    if old.all_words == new.all_words and _have_other_preference(old, new):
        return Relation.CONTRADICTS
    if _are_two_matters(old, new):
        return Relation.UNRELATED
    if replaces(old, new):
        return Relation.UPDATES
    if not new.is_addition and (_opposes(old, new) or may_replace(old, new)):
        return Relation.CONTRADICTS
    return Relation.UNRELATED


def _is_same(old: Statement, new: Statement) -> bool:
    if old.is_negated != new.is_negated or not old.all_words:
        return False
    if bool(old.moved) != bool(new.moved) or old.ended != new.ended or old.numbers != new.numbers:
        return False
    if _have_other_preference(old, new) or _are_roles_swapped(old, new):
        return False
    if not _is_in_order(old, new) or not _have_same_direction(old, new):
        return False
    more = old.all_words ^ new.all_words
    return not more or (len(more) == 1 and more <= GENERIC_STEMS and len(old.content & new.content) >= ENOUGH_SHARED)


def _have_same_direction(old: Statement, new: Statement) -> bool:
    """A statement may imply `before`; but `before` is not `after`, and `only` is never implied."""
    differences = old.directions ^ new.directions
    return not any(OPPOSITE_DIRECTIONS.get(one, one) in differences for one in differences)


def _is_in_order(old: Statement, new: Statement) -> bool:
    """The start of one may be the end of the other, but who does something to whom must be the same."""
    old_words, new_words = old.words_in_order, new.words_in_order
    if [word for word in old_words if word in old.numbers] != [word for word in new_words if word in old.numbers]:
        return False
    if len(old_words) != len(new_words) or _is_piece_moved(old_words, new_words):
        return True
    return old.is_passive != new.is_passive or bool(old.subject) != bool(new.subject)


def _is_piece_moved(old: Sequence[str], new: Sequence[str]) -> bool:
    """Return True if one is the other with a piece moved to the front: `in CI, ...`."""
    old_part, new_part = differing_parts(("", *old), ("", *new))
    twice = (*old_part, *old_part)
    return any(twice[at : at + len(old_part)] == tuple(new_part) for at in range(len(old_part) or 1))


def _have_other_preference(old: Statement, new: Statement) -> bool:
    """`X over Y`, and `Y over X`."""
    return bool(old.put_second - new.put_second) and bool(new.put_second - old.put_second)


def _are_roles_swapped(old: Statement, new: Statement) -> bool:
    """`X calls Y`, and `Y calls X`."""
    if not old.subject or not new.subject or old.subject == new.subject or old.is_passive != new.is_passive:
        return False
    return new.subject in old.words_in_order[-OBJECT_WORDS:] and old.subject in new.words_in_order[-OBJECT_WORDS:]


def _are_two_matters(old: Statement, new: Statement) -> bool:
    """Return True if one gives a minimum and the other a maximum, or if they quote different texts."""
    if old.bounds and new.bounds and not old.bounds & new.bounds:
        return True
    return QUOTE in old.values and QUOTE in new.values and not old.values[QUOTE] & new.values[QUOTE]


def _opposes(old: Statement, new: Statement) -> bool:
    if denies(old, new):
        return True
    only_old, only_new = old.content - new.content, new.content - old.content
    if old.is_negated != new.is_negated or not old.content & new.content:
        return False
    return len(only_old) == len(only_new) == 1 and are_opposites(only_old, only_new)
