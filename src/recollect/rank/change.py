"""Whether a new statement changes what a known one says: it ends, moves or corrects it, or gives another value. Pure.

In doubt it does not: what is stored beside the other is found as well.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from recollect.rank.alignment import beside, gap, is_swapped
from recollect.text.alternatives import row_of, says_where
from recollect.text.statement import Statement
from recollect.text.statement_tokens import NAME
from recollect.text.statement_words import COMMON, ELSEWHERE, OWNS

HALF, MOSTLY = 0.5, 0.6
FEW = 3
GAP = 2  # a value has at most so many words
NUMBERS = ("number", "count", "characters", "version")

_DIGITS = re.compile(r"\d+")
_WEAK = COMMON | ELSEWHERE


def ends(old: Statement, new: Statement) -> bool:
    """It says that something is over which the old one holds."""
    over = new.ended & _said(old)
    named = frozenset(name for name in over & (old.names | new.names) if not _is_place(name))
    if not over or (new.ended & new.names and not named):
        return False
    beside = (old.words & new.words) - over
    if old.object in over and (old.object in old.named or beside):
        return True
    if named or old.names & new.names:
        return bool(beside or old.names & new.names - over) or len(old.content - over) <= FEW
    return new.ended - new.numbers <= over and bool(beside or len(over) > 1)


def changes(old: Statement, new: Statement) -> bool:
    """It says that something else holds now."""
    if _replaces(old, new) or _moves(old, new) or _corrects(old, new) or _changes_value(old, new):
        return True
    return _changes_object(old, new) or _fills_gap(old, new)


def _is_place(name: str) -> bool:
    """A language or a system: much is said of it that has nothing to do with each other."""
    row = row_of(name)
    return row is not None and says_where(row)


def says_where_class(name: str) -> bool:
    return name.startswith("alternative") and says_where(int(name.split()[1]))


def _said(one: Statement) -> frozenset[str]:
    """What a statement holds to be so."""
    denied = frozenset(word for clause in one.clauses if clause.negated for word in clause.words)
    return (one.content | one.name_parts) - one.ended - denied


def _replaces(old: Statement, new: Statement) -> bool:
    """It names what the old one names, and an alternative to it, and tells of a change."""
    rest = old.content - old.names
    if not new.changes and not new.is_past and not (len(rest) > 1 and rest <= new.content):
        return False
    for name, values in old.values.items():
        named = new.values.get(name, frozenset())
        is_over = values & new.ended if named & new.ended else values - new.gaps  # `... to Y`: that is the new one
        if name.startswith(("alternative", "person")) and values < named and is_over:
            return True
    return False


def _moves(old: Statement, new: Statement) -> bool:
    """It tells that what the old one speaks of became something else."""
    moved = new.moved & new.names or new.moved
    if not moved or not moved & _said(old) or not (moved & new.names or moved <= _said(old)):
        return False
    return len(old.content - new.moved) <= (FEW if len(new.moved) > 1 or new.moved & new.names else 1)


def _corrects(old: Statement, new: Statement) -> bool:
    """It says that something was wrong, of what the old one speaks of."""
    if not new.corrects:
        return False
    words = old.words & new.words
    shared = len(old.content & new.content)
    if is_swapped(old, new, frozenset(), close=True):
        return False
    if shared > 2 or (shared == 2 and len(old.content) <= 2 * shared):
        return True
    both_name_one = all(any(name.startswith(("alternative", NAME)) for name in one.values) for one in (old, new))
    return bool(words) and both_name_one and len(old.words - words) <= 1


def _changes_object(old: Statement, new: Statement) -> bool:
    """`Events go to Segment`, `events go to RudderStack`; `we lint with ESLint`, `we switched to Biome for linting`."""
    if not old.object or old.object in new.content or old.negated != new.negated:
        return False
    rest = old.content - {old.object}
    if new.changes and rest <= new.content and rest - _WEAK and (new.gaps - old.content):
        return True
    named = {old.object, new.object} <= old.named | new.named and not are_numbered(old.object, new.object)
    others = new.content - {new.object}
    if not new.object or not named or _is_place(old.object) or _is_place(new.object):
        return False
    if new.object in new.places and not {old.object, new.object} <= old.names | new.names:
        return False
    return len(rest & others) >= 2 and len(rest ^ others) <= 1


def _fills_gap(old: Statement, new: Statement) -> bool:
    """`We use Recharts for the charts`, `we use ECharts for the charts`: word for word, but for one value."""
    ours, theirs = gap(old.words_in_order, new.words_in_order)
    if not ours or not theirs or len(ours) > GAP or len(theirs) > GAP:
        return False
    if not set(ours) <= old.named or not set(theirs) <= new.named or old.negated != new.negated:
        return False
    if are_numbered(" ".join(ours), " ".join(theirs)):
        return False
    if not (set(ours) & old.gaps and set(theirs) & new.gaps) or set(ours) & old.places or set(theirs) & new.places:
        return False
    if any(says_where_class(name) and values & set(ours) for name, values in old.values.items()):
        return False
    return len(old.words_in_order) - len(ours) >= (FEW - 1 if new.changes else FEW)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Difference:
    """Two statements beside each other."""

    changed: list[tuple[str, str]]  # classes of which they give different values
    values: frozenset[str]  # these values
    shared: frozenset[str]  # what both speak of
    only_old: frozenset[str]
    only_new: frozenset[str]
    versioned: frozenset[str]  # of what they give versions

    @property
    def is_one_sided(self) -> bool:
        return not self.only_old or not self.only_new

    @property
    def overlap(self) -> float:
        return len(self.shared) / (len(self.shared) + min(len(self.only_old), len(self.only_new)))


def _difference(old: Statement, new: Statement) -> _Difference:
    changed = list(_changed(old, new))
    ours = frozenset(value for name, _ in changed for value in _values(old, name)) - new.all_values
    theirs = frozenset(value for _, name in changed for value in _values(new, name)) - old.all_values
    versioned = frozenset(name.partition(" ")[2] for pair in changed for name in pair if name.startswith("version"))
    return _Difference(
        changed=changed,
        values=ours | theirs,
        # That both name a thing of which both give a version, or that both have an owner, says nothing more.
        shared=((old.words & new.words) | (old.all_values & new.all_values)) - versioned - OWNS,
        only_old=old.content - ours - new.content,
        only_new=new.content - theirs - old.content,
        versioned=versioned,
    )


def _changes_value(old: Statement, new: Statement) -> bool:
    """Both give a value of one kind for the same thing, and it is not the same value."""
    if (old.negated != new.negated and not new.changes) or _are_events(old, new):
        return False
    found = _difference(old, new)
    if not found.changed or not _is_about_the_same(old, new, found):
        return False
    if found.is_one_sided:
        is_one = len(found.changed) == 1 or new.changes
        return is_one and not _is_narrowed(old, new, found.only_old, found.only_new)
    if is_swapped(old, new, found.values, close=new.changes) or len(found.changed) > 1:
        return False
    if new.changes:
        return found.overlap >= HALF and (len(found.shared) >= 2 or not new.corrects)
    return len(found.shared) >= FEW and found.overlap >= MOSTLY


def _are_events(old: Statement, new: Statement) -> bool:
    """Two things that came to an end, or happened, each with its cause."""
    return bool(old.ended and new.ended) or bool(old.reasons and new.reasons and not old.reasons & new.reasons)


def _is_about_the_same(old: Statement, new: Statement, found: _Difference) -> bool:
    shared, only_old, only_new = found.shared, found.only_old, found.only_new
    are_names = (NAME, NAME) in found.changed and not new.changes
    if are_names and (not _names_are_values(old, new) or (len(shared) < 2 and found.values & new.places)):
        return False
    told = (new.moved | new.ended) & new.names
    if told and not told & old.names:  # it tells what became of something else
        return False
    if not shared and not only_old and not only_new and not found.versioned:  # `use npm`, `use pnpm`
        (name, _), *more = found.changed
        return not more and name.startswith("alternative") and not says_where_class(name)
    says_little = not shared - _WEAK and (len(shared) < 2 or not found.is_one_sided)
    return not (says_little and (only_new or not found.versioned)) or (bool(shared) and not only_old and not only_new)


def _names_are_values(old: Statement, new: Statement) -> bool:
    """A name may as well be what a statement is about. `shard-1` and `shard-2` are two things."""
    ours, theirs = old.values[NAME] - new.values[NAME], new.values[NAME] - old.values[NAME]
    if len(ours) > 1 or len(theirs) > 1 or not (ours <= old.predicates and theirs <= new.predicates):
        return False
    return not are_numbered(*ours, *theirs)


def are_numbered(one: str, other: str) -> bool:
    """Whether they differ in their digits alone."""
    return _DIGITS.sub("", one) == _DIGITS.sub("", other)


def _is_narrowed(old: Statement, new: Statement, only_old: frozenset[str], only_new: frozenset[str]) -> bool:
    """The one holds for more than the other: `in YAML`, `the read timeout`, `of the audit topic`."""
    if new.changes:
        return bool(only_new & new.conditions)
    if only_old & old.conditions or only_new & new.conditions:
        return True
    ours = beside(old, new, old.all_values - only_old, close=True)
    theirs = beside(new, old, new.all_values - only_new, close=True)
    return any(place == "before" for place, _ in (*ours, *theirs))


def _values(one: Statement, name: str) -> frozenset[str]:
    return one.values.get(name, frozenset()) or one.maybe.get(name, frozenset())


def _changed(old: Statement, new: Statement) -> Iterator[tuple[str, str]]:
    """Classes of which both give values, and none in common."""
    for ours in sorted({*old.values, *old.maybe}):
        for theirs in sorted({*new.values, *new.maybe}):
            if not _are_of_one_kind(ours, theirs) or not _differ(old, ours, new, theirs):
                continue
            if _values(old, ours) & new.content and not new.changes and ours != NAME:
                continue  # it is named there too, only not as this
            if ours.startswith("alternative") and len(_values(new, theirs)) > len(_values(old, ours)):
                continue  # a list is no other value
            yield ours, theirs


def _differ(old: Statement, ours: str, new: Statement, theirs: str) -> bool:
    """A statement may name what it is about and what it says of it: of names, those that both have do not count."""
    one, other = _values(old, ours), _values(new, theirs)
    return bool(one - other and other - one) if ours == NAME else not one & other


def _are_of_one_kind(one: str, other: str) -> bool:
    if one == other:
        return True
    kinds = one.split()[0], other.split()[0]
    if set(kinds) == {"version"}:
        return "version" in (one, other)
    return all(kind in NUMBERS for kind in kinds) and "number" in kinds
