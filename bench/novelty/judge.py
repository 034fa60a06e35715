"""Figures for pairs: each alone, and each among all memories of one project."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from bench.novelty.pairs import Pair
from recollect import wiring
from recollect.domain.memory import Draft, Kind, MemoryId, ProjectId, Role, Scope, Source
from recollect.domain.outcome import Contradicts, New, Same, Stored, Updates
from recollect.domain.settings import Settings
from recollect.engine.memories.teaching import remember_one
from recollect.novelty.compare import Relation, relation_between

SAID = datetime(2026, 1, 1, tzinfo=UTC)
WEEKS_LATER = timedelta(weeks=6)


@dataclass(frozen=True, slots=True)
class Confusion:
    """How often a pair with a person's label (first) got a verdict (second)."""

    counts: Counter[tuple[Relation, Relation]]

    def precision(self, verdict: Relation) -> float:
        return _share(self.counts[verdict, verdict], sum(self.counts[label, verdict] for label in Relation))

    def recall(self, verdict: Relation) -> float:
        return self.share_called(verdict, verdict)

    def share_called(self, label: Relation, verdict: Relation) -> float:
        return _share(self.counts[label, verdict], sum(self.counts[label, other] for other in Relation))

    @property
    def wrong_merges(self) -> float:
        """Return the share of pairs with another label that were merged as the same."""
        wrong = total = 0
        for (label, verdict), count in self.counts.items():
            if label is not Relation.SAME:
                total += count
                wrong += count * (verdict is Relation.SAME)
        return _share(wrong, total)


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowd:
    """Result for the second statements of a set, in a project that knows all the first ones."""

    statements: int
    right: int  # related pairs with the right outcome for the right memory
    expected: int
    wrong: int  # memories replaced, contradicted or merged by a statement of another pair


def judge_alone(given: Iterable[Pair]) -> Confusion:
    return Confusion(
        Counter((pair.label, relation_between(pair.old, pair.new, pair.old_kind, pair.new_kind)) for pair in given)
    )


def judge_in_crowd(given: Sequence[Pair]) -> Crowd:
    right = wrong = 0
    with wiring.open_engine(lambda _: Settings(), None) as engine:
        known: dict[str, MemoryId] = {}
        for number, pair in enumerate(given):
            draft = _draft(pair.old, pair.old_kind, SAID + timedelta(minutes=number))
            known[pair.id] = remember_one(engine.context(None, draft.at), draft).memory.id
        for number, pair in enumerate(given):
            draft = _draft(pair.new, pair.new_kind, SAID + WEEKS_LATER + timedelta(minutes=number))
            outcome = remember_one(engine.context(None, draft.at), draft)
            touched = _affected_ids(outcome)
            right += pair.label is _verdict(outcome) and known[pair.id] in touched
            wrong += len(touched - {known[pair.id]})
    expected = sum(pair.label is not Relation.UNRELATED for pair in given)
    return Crowd(statements=len(given), right=right, expected=expected, wrong=wrong)


def _draft(text: str, kind: Kind, at: datetime) -> Draft:
    scope, source = Scope.project(ProjectId("name:bench")), Source(role=Role.USER, host="bench")
    return Draft(text=text, kind=kind, scope=scope, at=at, source=source)


def _verdict(outcome: Stored) -> Relation:
    match outcome:
        case New():
            return Relation.UNRELATED
        case Same():
            return Relation.SAME
        case Updates():
            return Relation.UPDATES
        case Contradicts():
            return Relation.CONTRADICTS


def _affected_ids(outcome: Stored) -> set[MemoryId]:
    match outcome:
        case New():
            return set()
        case Same(memory):
            return {memory.id}
        case Updates(_, others) | Contradicts(_, others):
            return {other.id for other in others}


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
