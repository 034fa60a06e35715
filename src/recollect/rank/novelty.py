"""What a new statement is to a known one: the same, an update, a contradiction, or another matter. Pure.

It compares what two statements speak of, the values that they give, what they negate and what they say is over. In
doubt it is another matter: a memory too many is found and forgotten, one that was merged wrongly is lost.
"""

import re
from collections.abc import Iterator, Sequence
from enum import Enum, auto
from itertools import pairwise

from recollect.domain.memory import Draft, Kind, Memory
from recollect.text.alternatives import row_of, says_where
from recollect.text.opposites import opposed
from recollect.text.statement import Clause, Statement, statement
from recollect.text.statement_tokens import NAME, QUOTE
from recollect.text.statement_words import COMMON, GENERIC, OWNS, PLACES

NEARLY_ALL = 5  # so many words in common outweigh one that only one of them has
HALF, MOSTLY, NEARLY = 0.5, 0.6, 0.75
LIKELY = 0.4  # of the words of the shorter one are shared by two that speak of the same thing
FEW = 3
LAST = 2  # where what something is done to stands
GAP = 2  # a value has at most so many words
NUMBERS = ("number", "count", "characters", "version")


_DIGITS = re.compile(r"\d+")
_ELSEWHERE = frozenset().union(*PLACES)
_WEAK = COMMON | _ELSEWHERE


class Verdict(Enum):
    SAME = auto()
    UPDATES = auto()
    CONTRADICTS = auto()
    UNRELATED = auto()


def may_matter(words: frozenset[str], known: frozenset[str], text: str) -> bool:
    """A quick look at the words, before two statements are taken apart."""
    if statement(text).tells or not words or not known or min(len(words), len(known)) == 1:
        return True
    return len(words & known) >= LIKELY * min(len(words), len(known))


def compare(known: Memory, draft: Draft) -> Verdict:
    return verdict_of(known.text, draft.text, known.kind, draft.kind)


def verdict_of(old_text: str, new_text: str, old_kind: Kind, new_kind: Kind) -> Verdict:
    old, new = statement(old_text), statement(new_text)
    if _is_same(old, new):
        return Verdict.SAME if old_kind is new_kind else Verdict.UNRELATED
    if old.flat == new.flat and _prefers_otherwise(old, new):
        return Verdict.CONTRADICTS
    if _are_elsewhere(old, new):
        return Verdict.UNRELATED
    if _ends(old, new):
        return Verdict.UPDATES
    if new.adds:
        return Verdict.UNRELATED
    if _replaces(old, new) or _moves(old, new) or _corrects(old, new) or _changes_value(old, new):
        return Verdict.UPDATES
    if _changes_object(old, new) or _fills_gap(old, new):
        return Verdict.UPDATES
    if _opposes(old, new):
        return Verdict.UPDATES if new.changes else Verdict.CONTRADICTS
    return Verdict.UNRELATED


def _is_same(old: Statement, new: Statement) -> bool:
    if old.negated != new.negated or not old.flat or _prefers_otherwise(old, new) or _is_turned_round(old, new):
        return False
    if bool(old.moved) != bool(new.moved) or old.ended != new.ended or old.numbers != new.numbers:
        return False
    if not _is_in_order(old, new):
        return False
    only_old, only_new = old.flat - new.flat, new.flat - old.flat
    if only_old and only_new:
        return False
    more = only_old | only_new
    if not more:
        return True
    if old.corrects != new.corrects:
        return False
    if more & (old.value_parts | new.value_parts | _ELSEWHERE) or len(more) > 1:
        return False
    shared = len(old.content & new.content)
    return shared >= NEARLY_ALL or (shared >= NEARLY_ALL - 2 and more <= GENERIC)


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
    mine, other = _gap(("", *ours), ("", *theirs))
    twice = (*mine, *mine)
    return any(twice[at : at + len(mine)] == tuple(other) for at in range(len(mine) or 1))


def _prefers_otherwise(old: Statement, new: Statement) -> bool:
    """`X over Y`, and `Y over X`."""
    return bool(old.directed - new.directed) and bool(new.directed - old.directed)


def _is_turned_round(old: Statement, new: Statement) -> bool:
    """`X calls Y`, and `Y calls X`."""
    if not old.subject or not new.subject or old.subject == new.subject or old.is_passive != new.is_passive:
        return False
    return new.subject in old.words_in_order[-LAST:] and old.subject in new.words_in_order[-LAST:]


def _are_elsewhere(old: Statement, new: Statement) -> bool:
    """The one holds in staging, say, and the other in production; the one quotes this, and the other that."""
    if old.bounds and new.bounds and not old.bounds & new.bounds:
        return True
    if QUOTE in old.values and QUOTE in new.values and not old.values[QUOTE] & new.values[QUOTE]:
        return True  # two messages are two matters
    both = [name for name in old.values.keys() & new.values.keys() if _says_where(name)]
    differ = [name for name in both if not old.values[name] & new.values[name]]
    if any(old.words != new.words or (new.values[name] & new.places and "write" not in new.words) for name in differ):
        return not new.moved
    return any(old.words & row and new.words & row and not old.words & new.words & row for row in PLACES)


def _is_place(name: str) -> bool:
    """A language or a system: much is said of it that has nothing to do with each other."""
    row = row_of(name)
    return row is not None and says_where(row)


def _says_where(name: str) -> bool:
    return name.startswith("alternative") and says_where(int(name.split()[1]))


def _said(one: Statement) -> frozenset[str]:
    """What a statement holds to be so."""
    denied = frozenset(word for clause in one.clauses if clause.negated for word in clause.words)
    return (one.content | one.name_parts) - one.ended - denied


def _ends(old: Statement, new: Statement) -> bool:
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
    if _is_swapped(old, new, frozenset(), close=True):
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
    ours, theirs = _gap(old.words_in_order, new.words_in_order)
    if not ours or not theirs or len(ours) > GAP or len(theirs) > GAP:
        return False
    if not set(ours) <= old.named or not set(theirs) <= new.named or old.negated != new.negated:
        return False
    if are_numbered(" ".join(ours), " ".join(theirs)):
        return False
    if not (set(ours) & old.gaps and set(theirs) & new.gaps) or set(ours) & old.places or set(theirs) & new.places:
        return False
    if any(_says_where(name) and values & set(ours) for name, values in old.values.items()):
        return False
    return len(old.words_in_order) - len(ours) >= (FEW - 1 if new.changes else FEW)


def _gap(ours: Sequence[str], theirs: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
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


def _changes_value(old: Statement, new: Statement) -> bool:
    """Both give a value of one kind for the same thing, and it is not the same value."""
    changed = list(_changed(old, new))
    if not changed or (old.negated != new.negated and not new.changes) or (old.ended and new.ended):
        return False
    if old.reasons and new.reasons and not old.reasons & new.reasons:  # two events, each with its cause
        return False
    ours = frozenset(value for name, _ in changed for value in _values(old, name)) - new.all_values
    theirs = frozenset(value for _, name in changed for value in _values(new, name)) - old.all_values
    shared = (old.words & new.words) | (old.all_values & new.all_values)
    only_old = (old.words | old.all_values) - ours - new.words - new.all_values
    only_new = (new.words | new.all_values) - theirs - old.words - old.all_values
    if (NAME, NAME) in changed and not new.changes and not _names_are_values(old, new):
        return False
    told = (new.moved | new.ended) & new.names
    if told and not told & old.names:  # it tells what became of something else
        return False
    versioned = frozenset(name.partition(" ")[2] for pair in changed for name in pair if name.startswith("version"))
    shared -= versioned  # that both name a thing of which both give a version says nothing more
    shared -= OWNS
    if (
        not shared - _WEAK
        and (len(shared) < 2 or (only_old and only_new))
        and (only_new or (only_old and not versioned))
    ):
        return False
    if not shared and not only_old and not only_new and not versioned:  # `use npm`, `use pnpm`
        return len(changed) == 1 and changed[0][0].startswith("alternative") and not _says_where(changed[0][0])
    if not shared and (only_new or not versioned):
        return False
    if (NAME, NAME) in changed and not new.changes and len(shared) < 2 and theirs & new.places:
        return False
    if not only_old or not only_new:
        return (len(changed) == 1 or new.changes) and not _is_narrowed(old, new, only_old, only_new)
    if _is_swapped(old, new, ours | theirs, close=new.changes) or len(changed) > 1:
        return False
    overlap = len(shared) / (len(shared) + min(len(only_old), len(only_new)))
    if new.changes:
        return overlap >= HALF and (len(shared) >= 2 or not new.corrects)
    return len(shared) >= FEW and overlap >= MOSTLY


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
    ours = _beside(old, new, old.all_values - only_old, close=True)
    theirs = _beside(new, old, new.all_values - only_new, close=True)
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


def _is_swapped(old: Statement, new: Statement, values: frozenset[str], *, close: bool) -> bool:
    """Whether something stands in the one where something else stands in the other, beside the same word; `close`:
    right beside it."""
    ours, theirs = _beside(old, new, values, close=close), _beside(new, old, values, close=close)
    return any(place in theirs for place in ours)


def _beside(one: Statement, other: Statement, values: frozenset[str], *, close: bool) -> set[tuple[str, str]]:
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


def _opposes(old: Statement, new: Statement) -> bool:
    return any(_clash(old, ours, new, theirs) for ours in old.clauses for theirs in new.clauses)


def _clash(old: Statement, ours: Clause, new: Statement, theirs: Clause) -> bool:
    one, other = ours.words | ours.about, theirs.words | theirs.about
    shared = one & other
    only_old, only_new = one - other, other - one
    turned = opposed(only_old, only_new)
    if (ours.negated != theirs.negated) == turned or not shared:
        return False
    if only_old & old.all_values and only_new & new.all_values:
        return False
    if one == other:
        return True
    if not turned and only_old and only_new and _is_swapped(old, new, frozenset(), close=True):
        return False
    if only_new & new.conditions and not only_old and not turned:  # an exception, not the opposite
        return False
    agreed = len(shared) + turned
    return agreed >= 2 and agreed >= min(len(one), len(other)) * (MOSTLY if new.changes else NEARLY)
