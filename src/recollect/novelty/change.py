"""Decide whether a new statement replaces a known one. Pure.

It does if both are about the same side of the same thing: all that the known one says comes back, except one value; or
the new one names this value and says that it is over. In doubt it does not: both stay.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from recollect.novelty.alternatives import names_places, row_of
from recollect.novelty.statement import Statement
from recollect.novelty.statement_tokens import NAME
from recollect.novelty.statement_words import CHANGE_DATES, COMMON_STEMS, LINK_STEMS, OWNERSHIP, PLACES

ENOUGH_SHARED = 2  # words in common, if one more word differs
FEW_WORDS = 3  # a statement of so few words hardly says more than what it uses
UNITS = frozenset("seconds bytes percent pixels factor characters".split())
COUNTS = frozenset("number count version characters".split())

_DIGITS = re.compile(r"\d+")


def replaces(old: Statement, new: Statement) -> bool:
    """Return True if a part of the new one says outright that what the old one says is different now."""
    return any(_replaces(old, part) for part in new.parts)


def _replaces(old: Statement, new: Statement) -> bool:
    if new.is_addition:
        return False
    return _ends(old, new) or (denies(old, new) and new.has_change_word) or _gives_another_value(old, new)


def may_replace(old: Statement, new: Statement) -> bool:
    """Return True if it probably gives another value to the same thing: both stay, and the newer one leads."""
    return not _are_apart(old, new) and any(_may_replace(old, part) for part in new.parts)


def _may_replace(old: Statement, new: Statement) -> bool:
    if new.is_addition or old.is_negated or not (new.has_change_word or new.is_correction or new.ended):
        return False
    over = new.ended & old.given
    old_values = old.given - new.content
    new_values = (new.given | new.goals) - old.content - new.ended
    old_topic = old.content - old_values - over - LINK_STEMS - old.verbs
    new_topic = new.content - new_values - new.ended - LINK_STEMS - CHANGE_DATES - new.verbs
    if _has_other_version(old, new):  # `db is pg 15`, `rds is pg 16 now`
        return len(old_topic - new_topic) < ENOUGH_SHARED and len(new_topic - old_topic) < ENOUGH_SHARED
    if not over and not any(_may_be_values(old, one, new, other) for one in old_values for other in new_values):
        return False
    if not old_topic:
        return bool(over)
    return old_topic == new_topic and not old_topic <= COMMON_STEMS


def _has_other_version(old: Statement, new: Statement) -> bool:
    for name, versions in old.values.items():
        if name.startswith("version ") and name in new.values and not versions & new.values[name]:
            return True
    return False


def _may_be_values(old: Statement, old_stem: str, new: Statement, new_stem: str) -> bool:
    """Return True if they have a kind in common, or one of them is a word without a kind."""
    old_kinds, new_kinds = kinds_of(old, old_stem), kinds_of(new, new_stem)
    return bool(old_kinds & new_kinds) or not old_kinds or not new_kinds


def _are_apart(old: Statement, new: Statement) -> bool:
    """Return True if only the new one limits where or when it is true: `staging`, `for the web client`."""
    more = new.content - old.content
    return bool(new.conditions & more - new.given - new.goals) or any(place & more for place in PLACES)


def denies(old: Statement, new: Statement) -> bool:
    """Return True if one says the negation of the other, word for word."""
    return old.is_negated != new.is_negated and not any(_differences(old, new)) and bool(old.content & new.content)


def _differences(old: Statement, new: Statement) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words that only the old or only the new one has. In a report of a change, which often uses another verb,
    verbs do not count, unless both have a different one."""
    only_old, only_new = old.content - new.content, new.content - old.content
    if not new.has_change_word:
        return only_old, only_new
    only_old, only_new = only_old - LINK_STEMS, only_new - LINK_STEMS - CHANGE_DATES
    if "person" in old.values:
        only_old, only_new = only_old - OWNERSHIP, only_new - OWNERSHIP
    if only_old & old.verbs and only_new & new.verbs:
        return only_old, only_new
    return only_old - old.verbs, only_new - new.verbs


def _ends(old: Statement, new: Statement) -> bool:
    """Return True if it names the old value and says that it is over: `switched from Y to X`, `Y is gone`."""
    over = new.ended & old.given
    if not over or old.is_negated or old.ended & over:
        return False
    kinds = frozenset().union(*(kinds_of(old, stem) for stem in over))
    topic = new.content - over - new.goals - LINK_STEMS - CHANGE_DATES
    topic = frozenset(stem for stem in topic if not kinds_of(new, stem) & kinds)
    rest = old.content - over - LINK_STEMS
    if "person" in kinds:  # `Mia took over the docs from Jo`
        topic, rest = topic - new.name_like - OWNERSHIP, rest - OWNERSHIP
    shared, extra = topic & old.content, topic - old.content - new.verbs
    max_extra = 1 if len(shared - COMMON_STEMS) > 1 else 0
    if extra & new.conditions or len(extra) > max_extra:
        return False  # it is about something else, or about less
    if shared:
        max_missing = 1 if len(rest) > 1 else 0
        return len(rest - new.content - old.verbs) <= max_missing
    is_name = over <= old.name_like | old.names and not any(map(is_place, over))
    return is_name and not topic and len(rest) <= FEW_WORDS


def _gives_another_value(old: Statement, new: Statement) -> bool:
    """Return True if only one value differs; without a word of change, all other words must be the same."""
    if old.is_negated != new.is_negated:
        return False
    only_old, only_new = _differences(old, new)
    values = [(ours, theirs) for ours in only_old for theirs in only_new if are_values(old, ours, new, theirs)]
    if len(values) != 1:
        return False
    old_value, new_value = values[0]
    if new_value in new.ended:
        return False
    more_old, more_new = only_old - {old_value}, only_new - {new_value}
    has_more = bool(more_old or more_new)
    if not new.has_change_word:
        return not has_more and is_in_place(old, new) and is_single(old, old_value, new_value)
    shared = (old.content & new.content) - LINK_STEMS - old.verbs
    if not has_more:
        return bool(shared)
    if not kinds_of(old, old_value) & kinds_of(new, new_value):  # two kinds, and another difference: two matters
        return False
    if len(more_old) > 1 or len(more_new) > 1 or more_new & new.conditions:
        return False
    if len(shared - COMMON_STEMS) < ENOUGH_SHARED:
        return False
    # If each has a word of its own beside the same shared word, that word was swapped too.
    pair = {old_value, new_value}
    return _own_places(old, new, pair).isdisjoint(_own_places(new, old, pair))


def are_values(old: Statement, old_stem: str, new: Statement, new_stem: str) -> bool:
    old_kinds, new_kinds = kinds_of(old, old_stem), kinds_of(new, new_stem)
    are_counts = bool(old_kinds and new_kinds) and old_kinds | new_kinds <= COUNTS
    if old_kinds & new_kinds & UNITS or (are_counts and new.has_change_word):
        return True
    if old_stem not in old.given or new_stem not in new.given:
        return False
    if are_counts or old_kinds & new_kinds - {NAME}:
        return True
    # `in Postgres`, `actually, in Redis`
    if new.has_change_word and is_alternative(old_kinds) and is_alternative(new_kinds):
        return is_in_place(old, new) or (new_stem in new.goals and not is_place(old_stem))
    are_names = old_kinds == new_kinds == {NAME}
    if not old_kinds | new_kinds:
        are_names = old_stem in old.name_like and new_stem in new.name_like
    return are_names and new_stem in new.goals | new.equated and not are_numbered(old_stem, new_stem)


def is_single(old: Statement, old_value: str, new_value: str) -> bool:
    """Return True if there can be only one such value. For a name only `X is Y` says so; a place is one of several."""
    if is_place(old_value) or is_place(new_value):
        return False
    kinds = kinds_of(old, old_value)
    is_last = old.words_in_order[-1] == old_value
    if not kinds or NAME in kinds:
        return old_value in old.equated or (is_last and NAME in kinds and old_value in old.goals)
    return is_last or bool(kinds & (UNITS | COUNTS))


def is_in_place(old: Statement, new: Statement) -> bool:
    """Return True if they differ in one word and start and end alike."""
    only_old, only_new = differing_parts(old.words_in_order, new.words_in_order)
    return len(only_old) == len(only_new) == 1


def differing_parts(old: Sequence[str], new: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Return what differs between a common start and end; one part is empty if the other statement only says more."""
    begin = 0
    while begin < min(len(old), len(new)) and old[begin] == new[begin]:
        begin += 1
    end = 0
    while end < min(len(old), len(new)) - begin and old[-1 - end] == new[-1 - end]:
        end += 1
    if begin == 0:  # another subject
        return (), ()
    return old[begin : len(old) - end], new[begin : len(new) - end]


def _own_places(one: Statement, other: Statement, values: set[str]) -> set[tuple[str, str]]:
    """Return where words are that only `one` has: before or after which shared word."""
    # A value counts with the word after it: the `morning` of `Monday morning`.
    words = [word for before, word in pairwise(("", *one.order)) if word and values.isdisjoint((before, word))]
    shared = frozenset(other.order) - {""}
    found = set()
    for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False):
        if word not in shared:
            found.update({("before", after), ("after", before)})
    return {(side, neighbour) for side, neighbour in found if neighbour in shared}


def kinds_of(statement: Statement, stem: str) -> frozenset[str]:
    return statement.kinds.get(stem, frozenset())


def is_alternative(kinds: frozenset[str]) -> bool:
    return any(kind.startswith("alternative") for kind in kinds)


def is_place(name: str) -> bool:
    """Languages and systems: many unrelated statements mention the same one."""
    row = row_of(name)
    return row is not None and names_places(row)


def are_numbered(one: str, other: str) -> bool:
    """`shard-1` and `shard-2` are two things."""
    return _DIGITS.sub("", one) == _DIGITS.sub("", other)
