"""Factors and their weights, moment by moment."""

from dataclasses import replace

import pytest

from recollect.domain.memory import Kind, Memory, Role, Source, Viewer
from recollect.domain.settings import Compaction, Settings, Start, TurnSettings
from recollect.rank.score import (
    compaction_factors,
    compaction_score,
    recency,
    scope_match,
    start_factors,
    start_score,
    turn_factors,
    turn_score,
)
from recollect.text.intent import Intent, Task
from tests.builders import NOW, OTHER_PROJECT, PROJECT, a_memory
from tests.requirements import covers

DEFAULTS = Settings()
HERE = Viewer(project=PROJECT, language="go")
GENERAL = Intent(task=Task.GENERAL)


@covers("SCO-5")
@pytest.mark.parametrize(
    ("scope", "match"),
    [
        ("universal", 0.4),
        ("language:go", 0.7),
        ("language:python", 0.1),
        (f"project:{PROJECT}", 1.0),
        (f"project:{OTHER_PROJECT}", 0.05),
    ],
)
def test_the_nearer_a_scope_the_better_it_matches(scope: str, match: float) -> None:
    assert scope_match(a_memory(scope=scope), HERE) == match
    assert scope_match(a_memory(scope=scope), Viewer()) <= match


def every_factor(memory: Memory) -> dict[str, float]:
    return {
        **turn_factors(memory, 0.5, GENERAL, NOW, DEFAULTS.kinds),
        **start_factors(memory, HERE, Task.BUG_FIX, NOW, DEFAULTS.kinds),
        **compaction_factors(memory, "plan", ["auth", "jwt"], NOW, DEFAULTS.kinds),
    }


@covers("SCO-1")
@pytest.mark.parametrize("kind", list(Kind))
def test_every_factor_lies_between_nothing_and_all(kind: Kind) -> None:
    for days_old in (-3, 0, 1, 10_000):
        for seen in (1, 9, 10**9):
            factors = every_factor(a_memory(kind=kind, days_old=days_old, seen=seen, importance=2.0))
            assert {
                "relevance",
                "recency",
                "importance",
                "frequency",
                "kind",
                "scope",
                "task",
                "agent",
                "keyword",
            } <= set(factors)
            assert all(0 <= value <= 1 for value in factors.values()), factors


@covers("SCO-2")
def test_the_weights_are_those_that_were_agreed_on() -> None:
    turn, start, compaction = TurnSettings(), Start(), Compaction()
    assert (turn.relevance_weight, turn.recency_weight, turn.importance_weight) == (0.40, 0.20, 0.15)
    assert (turn.frequency_weight, turn.kind_weight) == (0.10, 0.15)
    assert (start.scope_weight, start.frequency_weight, start.recency_weight, start.task_weight) == (0.4, 0.3, 0.2, 0.1)
    assert (compaction.recency_weight, compaction.importance_weight) == (0.40, 0.30)
    assert (compaction.agent_weight, compaction.keyword_weight) == (0.20, 0.10)


@covers("SCO-2")
def test_a_weight_that_is_set_decides() -> None:
    memory = a_memory(days_old=10_000, seen=10**9, scope="universal", source=Source(role=Role.USER, agent="plan"))
    of_start, of_turn = (
        start_factors(memory, HERE, None, NOW, DEFAULTS.kinds),
        turn_factors(memory, 0.25, GENERAL, NOW, DEFAULTS.kinds),
    )
    only_scope = replace(DEFAULTS, start=Start(scope_weight=9, frequency_weight=0, recency_weight=0, task_weight=0))
    assert start_score(of_start, only_scope.start) == pytest.approx(0.4)
    none = {f"{name}_weight": 0.0 for name in ("recency", "importance", "frequency", "kind", "entity")}
    assert turn_score(of_turn, TurnSettings(**none)) == pytest.approx(0.25)  # type: ignore[arg-type]
    only_agent = replace(
        DEFAULTS, compaction=Compaction(recency_weight=0, importance_weight=0, agent_weight=1, keyword_weight=0)
    )
    for agent, score in (("plan", 1.0), ("build", 0.5), (None, 0.5)):
        assert (
            compaction_score(compaction_factors(memory, agent, [], NOW, DEFAULTS.kinds), only_agent.compaction) == score
        )


@covers("SCO-3")
@pytest.mark.parametrize(
    ("kind", "days"),
    [
        (Kind.DECISION, 180),
        (Kind.FILE_CONTEXT, 90),
        (Kind.RESEARCH, 45),
        (Kind.ERROR_PATTERN, 30),
        (Kind.OUTCOME, 14),
        (Kind.PREFERENCE, None),
        (Kind.RULE, None),
        (Kind.CORRECTION, None),
    ],
)
def test_half_of_it_is_left_after_the_half_life_of_its_kind(kind: Kind, days: int | None) -> None:
    aged = a_memory(kind=kind, days_old=days or 9999)
    assert recency(aged, NOW, DEFAULTS.kinds) == pytest.approx(1.0 if days is None else 0.5)
    assert recency(a_memory(kind=kind), NOW, DEFAULTS.kinds) == 1.0
