"""Factors, each 0..1, and their weighted sum with its breakdown. Pure: time comes as an argument."""

import math
from collections.abc import Collection, Mapping
from datetime import datetime

from recollect.domain.freshness import Freshness
from recollect.domain.memory import Kind, Memory, ScopeLevel, Usage, Viewer
from recollect.domain.settings import Loop, SearchSettings, Settings, Stale, TurnSettings
from recollect.text.intent import KINDS_FOR, Intent, Task
from recollect.text.words import word_set

SECONDS_PER_DAY = 86_400
ENOUGH_WORDS = 3  # of the session's, in a memory that belongs to it

SCOPE_MATCH: Mapping[ScopeLevel, float] = {
    ScopeLevel.UNIVERSAL: 0.4,
    ScopeLevel.LANGUAGE: 0.7,
    ScopeLevel.PROJECT: 1.0,
    ScopeLevel.SESSION: 1.0,
}
WRONG_LANGUAGE, WRONG_PROJECT = 0.1, 0.05  # seen from elsewhere, where it is public or preferences are shared
UNKNOWN_TASK = 0.5
SAME_AGENT, OTHER_AGENT = 1.0, 0.5
LEAST_DURABLE = 0.7  # of its score, for what hardly matters later
PRIOR = 2  # replies that nobody has seen, as often used as not: one look decides little

# What helps a type of agent most; both see everything.
FAVOURED: Mapping[str, frozenset[Kind]] = {
    "plan": frozenset({Kind.DECISION, Kind.RESEARCH, Kind.ERROR_PATTERN}),
    "build": frozenset({Kind.FILE_CONTEXT, Kind.ERROR_PATTERN, Kind.OUTCOME}),
}


def favoured(agent: str | None) -> frozenset[Kind]:
    return FAVOURED.get((agent or "").lower(), frozenset())


def scope_match(memory: Memory, viewer: Viewer) -> float:
    match memory.scope.level:
        case ScopeLevel.LANGUAGE if memory.scope.name != viewer.language:
            return WRONG_LANGUAGE
        case ScopeLevel.PROJECT if memory.scope.name != viewer.project:
            return WRONG_PROJECT
        case ScopeLevel.SESSION if memory.scope.name != viewer.session:
            return WRONG_PROJECT
        case level:
            return SCOPE_MATCH[level]


def task_match(memory: Memory, task: Task | None) -> float:
    """How much its kind helps with the task: the first of those that do 1, the last a little."""
    if task is None:
        return UNKNOWN_TASK
    kinds = KINDS_FOR.get(task, KINDS_FOR[Task.GENERAL])
    return 1 - kinds.index(memory.kind) / len(kinds) if memory.kind in kinds else 0.0


def agent_match(memory: Memory, agent: str | None) -> float:
    return SAME_AGENT if agent is not None and memory.source.agent == agent else OTHER_AGENT


def use_rate(use: Usage, loop: Loop) -> float:
    """How often what was shown was used, .5 where nobody knows; a person's word counts for several replies."""
    said = loop.feedback_weight * use.feedback
    used = use.used + max(0, said) + PRIOR
    unused = use.unused + max(0, -said) + PRIOR
    return used / (used + unused)


def use_factor(use: Usage, loop: Loop) -> float:
    """What a score is multiplied by: within a narrow band around 1, so that nothing starves and nothing dominates."""
    return 1 + loop.reach * (2 * use_rate(use, loop) - 1) if loop.enabled else 1.0


def age_days(memory: Memory, now: datetime) -> float:
    """Never negative: a clock that was set back makes nothing younger than new."""
    return max(0.0, (now - memory.valid_from).total_seconds() / SECONDS_PER_DAY)


def recency(memory: Memory, now: datetime, settings: Settings) -> float:
    half_life_days = settings.kinds.half_life_days.get(memory.kind)
    if half_life_days is None:
        return 1.0
    return math.pow(0.5, age_days(memory, now) / max(half_life_days, 0.01))  # 0 = gone at once


def frequency(memory: Memory) -> float:
    """Said once .5, ten times about .9: the first repetitions count most."""
    return 1 - 1 / (1 + memory.seen)


def turn_factors(
    memory: Memory, relevance: float, about: Intent, now: datetime, settings: Settings
) -> dict[str, float]:
    fixing = about.task is Task.BUG_FIX
    priority = settings.kinds.bug_fix_priority if fixing else settings.kinds.priority
    return {
        "relevance": relevance,
        "recency": recency(memory, now, settings),
        "importance": memory.importance / 2,
        "frequency": frequency(memory),
        "kind": priority.get(memory.kind, 0.0),
        "entity": float(about.is_named_in(memory)),
    }


def with_use(score: float, factors: dict[str, float], use: Usage, loop: Loop) -> tuple[float, dict[str, float]]:
    """The score as use has made it, at most 1, and the factor among the others where it is not 1."""
    factor = use_factor(use, loop)
    return (score, factors) if factor == 1.0 else (min(1.0, score * factor), {**factors, "use": factor})


def turn_score(factors: Mapping[str, float], weights: TurnSettings | SearchSettings) -> float:
    """`weights` of a prompt, or of somebody who asks."""
    return _weighted(
        factors,
        {
            "relevance": weights.relevance_weight,
            "recency": weights.recency_weight,
            "importance": weights.importance_weight,
            "frequency": weights.frequency_weight,
            "kind": weights.kind_weight,
            "entity": weights.entity_weight,
        },
    )


def with_durability(score: float, factors: dict[str, float], memory: Memory) -> tuple[float, dict[str, float]]:
    """What was read in a session counts by how likely it is to matter later; what was said outright counts wholly."""
    if memory.durability >= 1.0:
        return score, factors
    factor = LEAST_DURABLE + (1 - LEAST_DURABLE) * memory.durability
    return score * factor, {**factors, "durability": memory.durability}


def freshness_factor(freshness: Freshness, stale: Stale) -> float:
    """What a score is multiplied by; the worst of several files decides. What has only moved is as good as changed."""
    if freshness.is_gone:
        return stale.gone_factor
    return stale.changed_factor if freshness.is_stale else 1.0


def start_factors(
    memory: Memory, viewer: Viewer, task: Task | None, now: datetime, settings: Settings
) -> dict[str, float]:
    return {
        "scope": scope_match(memory, viewer),
        "frequency": frequency(memory),
        "recency": recency(memory, now, settings),
        "task": task_match(memory, task),
    }


def start_score(factors: Mapping[str, float], settings: Settings) -> float:
    start = settings.start
    weights = {
        "scope": start.scope_weight,
        "frequency": start.frequency_weight,
        "recency": start.recency_weight,
        "task": start.task_weight,
    }
    return _weighted(factors, weights)


def compaction_factors(
    memory: Memory, agent: str | None, said: Collection[str], now: datetime, settings: Settings
) -> dict[str, float]:
    """`said` are the words of the session's last prompts."""
    words = word_set(memory)
    shared = sum(word in words for word in said)
    return {
        "recency": recency(memory, now, settings),
        "importance": settings.kinds.compaction_importance.get(memory.kind, 0.2),
        "agent": agent_match(memory, agent),
        "keyword": min(1.0, shared / ENOUGH_WORDS),
    }


def compaction_score(factors: Mapping[str, float], settings: Settings) -> float:
    weights = settings.compaction
    return _weighted(
        factors,
        {
            "recency": weights.recency_weight,
            "importance": weights.importance_weight,
            "agent": weights.agent_weight,
            "keyword": weights.keyword_weight,
        },
    )


def _weighted(factors: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The weighted mean, so that a factor that is not there yet does not pull every score down."""
    return sum(weights[name] * factors[name] for name in weights) / (sum(weights.values()) or 1.0)
