"""Whether a new statement changes what a known one says. Pure.

It does if both speak of the same thing and of the same side of it: all that the known one says comes back, but for one
value; or the new one names this value and says that it is over. In doubt it does not: both stay.
"""

import re

from recollect.novelty.alignment import differing_parts, is_swapped
from recollect.novelty.alternatives import names_places, row_of
from recollect.novelty.statement import Statement
from recollect.novelty.statement_tokens import NAME
from recollect.novelty.statement_words import CHANGE_DATES, COMMON_STEMS, LINK_STEMS, OWNERSHIP, PLACES

ENOUGH = 2  # words in common, where one more is said
FEW = 3  # words of a statement that hardly says more than what it uses
UNITS = frozenset("seconds bytes percent pixels factor characters".split())
COUNTS = frozenset("number count version characters".split())

_DIGITS = re.compile(r"\d+")


def replaces(old: Statement, new: Statement) -> bool:
    """Whether it says outright that something else is so now, of all that the old one speaks of."""
    return any(_changes(old, part) for part in new.parts)


def _changes(old: Statement, new: Statement) -> bool:
    if new.is_addition:
        return False
    return _ends(old, new) or (denies(old, new) and new.has_change_word) or _gives_another_value(old, new)


def may_replace(old: Statement, new: Statement) -> bool:
    """Whether it likely speaks of the same thing and gives it another value: both stay, and the newer one leads."""
    return not _are_apart(old, new) and any(_may_change(old, part) for part in new.parts)


def _may_change(old: Statement, new: Statement) -> bool:
    if new.is_addition or old.is_negated or not (new.has_change_word or new.is_correction or new.ended):
        return False
    over = new.ended & old.given
    ours, theirs = old.given - new.content, (new.given | new.goals) - old.content - new.ended
    said = old.content - ours - over - LINK_STEMS - old.verbs
    told = new.content - theirs - new.ended - LINK_STEMS - CHANGE_DATES - new.verbs
    versions = [name for name in old.values if name.startswith("version ") and name in new.values]
    if any(not old.values[name] & new.values[name] for name in versions):  # `db is pg 15`, `rds is pg 16 now`
        return len(said - told) < ENOUGH and len(told - said) < ENOUGH
    if not over and not any(_may_be_values(old, one, new, other) for one in ours for other in theirs):
        return False
    return bool(said - COMMON_STEMS) and said == told if said else bool(over)


def _may_be_values(old: Statement, ours: str, new: Statement, theirs: str) -> bool:
    """Of one kind, or at least one of them a word that has none."""
    one, other = kinds_of(old, ours), kinds_of(new, theirs)
    return bool(one & other) or not one or not other


def _are_apart(old: Statement, new: Statement) -> bool:
    """The new one says where or when it is so, which the old one does not: `staging`, `for the web client`."""
    more = new.content - old.content
    return bool(new.conditions & more - new.given - new.goals) or any(place & more for place in PLACES)


def denies(old: Statement, new: Statement) -> bool:
    """The one denies what the other says, word for word."""
    return old.is_negated != new.is_negated and not any(_apart(old, new)) and bool(old.content & new.content)


def _apart(old: Statement, new: Statement) -> tuple[frozenset[str], frozenset[str]]:
    """What only the one says, and what only the other. Who tells of a change often says otherwise what is done: this
    does not count, unless they tell of two things that are done."""
    ours, theirs = old.content - new.content, new.content - old.content
    if not new.has_change_word:
        return ours, theirs
    ours, theirs = ours - LINK_STEMS, theirs - LINK_STEMS - CHANGE_DATES
    if "person" in old.values:
        ours, theirs = ours - OWNERSHIP, theirs - OWNERSHIP
    return (ours, theirs) if ours & old.verbs and theirs & new.verbs else (ours - old.verbs, theirs - new.verbs)


def _ends(old: Statement, new: Statement) -> bool:
    """It names the value that the old one gives, and says that it is over: `switched from Y to X`, `Y is gone`."""
    over = new.ended & old.given
    if not over or old.is_negated or old.ended & over:
        return False
    kinds = frozenset().union(*(kinds_of(old, stem) for stem in over))
    said = new.content - over - new.goals - LINK_STEMS - CHANGE_DATES
    said = frozenset(stem for stem in said if not kinds_of(new, stem) & kinds)
    rest = old.content - over - LINK_STEMS
    if "person" in kinds:  # `Mia took over the docs from Jo`
        said, rest = said - new.capitalised - OWNERSHIP, rest - OWNERSHIP
    more = said - old.content - new.verbs
    if more & new.conditions or len(more) > (1 if len(said & old.content - COMMON_STEMS) > 1 else 0):
        return False  # it speaks of something else, or of less
    if said & old.content:
        return len(rest - new.content - old.verbs) <= (1 if len(rest) > 1 else 0)
    is_named = over <= old.capitalised | old.names and not any(map(is_place, over))
    return is_named and not said and len(rest) <= FEW


def _gives_another_value(old: Statement, new: Statement) -> bool:
    """The same, but for one value; without a word of change, word for word."""
    if old.is_negated != new.is_negated:
        return False
    only_old, only_new = _apart(old, new)
    values = [(ours, theirs) for ours in only_old for theirs in only_new if are_values(old, ours, new, theirs)]
    if len(values) != 1 or values[0][1] in new.ended:
        return False
    ((ours, theirs),) = values
    rest = (only_old - {ours}) | (only_new - {theirs})
    if not new.has_change_word:
        return not rest and is_in_place(old, new) and is_single(old, ours, theirs)
    shared = (old.content & new.content) - LINK_STEMS - old.verbs
    if not rest:
        return bool(shared)
    if not kinds_of(old, ours) & kinds_of(new, theirs):  # two kinds, and something else besides: two matters
        return False
    more_old, more_new = only_old - {ours}, only_new - {theirs}
    if len(more_old) > 1 or len(more_new) > 1 or more_new & new.conditions or len(shared - COMMON_STEMS) < ENOUGH:
        return False
    return not is_swapped(old, new, frozenset({ours, theirs}), close=False)


def are_values(old: Statement, ours: str, new: Statement, theirs: str) -> bool:
    """Whether both are given as values, and of one kind."""
    one, other = kinds_of(old, ours), kinds_of(new, theirs)
    are_counts = bool(one and other) and one | other <= COUNTS
    if one & other & UNITS or (are_counts and new.has_change_word):
        return True
    if ours not in old.given or theirs not in new.given:
        return False
    if are_counts or one & other - {NAME}:
        return True
    if new.has_change_word and is_alternative(one) and is_alternative(other):  # `in Postgres`, `actually, in Redis`
        return is_in_place(old, new) or (theirs in new.goals and not is_place(ours))
    is_name = one == other == {NAME} or (not one | other and ours in old.capitalised and theirs in new.capitalised)
    return is_name and theirs in new.goals | new.equated and not are_numbered(ours, theirs)


def is_single(old: Statement, ours: str, theirs: str) -> bool:
    """Whether it can have but one such value. Of a name only `X is Y` says so; a place is one of several."""
    if is_place(ours) or is_place(theirs):
        return False
    kinds = kinds_of(old, ours)
    is_last = old.words_in_order[-1] == ours
    if not kinds or NAME in kinds:
        return ours in old.equated or (is_last and NAME in kinds and ours in old.goals)
    return is_last or bool(kinds & (UNITS | COUNTS))


def is_in_place(old: Statement, new: Statement) -> bool:
    """Whether they begin and end alike."""
    ours, theirs = differing_parts(old.words_in_order, new.words_in_order)
    return len(ours) == len(theirs) == 1


def kinds_of(one: Statement, stem: str) -> frozenset[str]:
    """Alternatives by their row."""
    found = {**one.possible_values, **one.values}
    return frozenset(name if name[0] == "a" else name.split()[0] for name, stems in found.items() if stem in stems)


def is_alternative(kinds: frozenset[str]) -> bool:
    return any(kind.startswith("alternative") for kind in kinds)


def is_place(name: str) -> bool:
    """A language or a system: much is said of it that has nothing to do with each other."""
    row = row_of(name)
    return row is not None and names_places(row)


def are_numbered(one: str, other: str) -> bool:
    """`shard-1` and `shard-2` are two things."""
    return _DIGITS.sub("", one) == _DIGITS.sub("", other)
