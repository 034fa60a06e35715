"""Factors, each 0..1, and their weighted sum with its breakdown. Pure: time comes as an argument."""

import math
from collections.abc import Mapping
from datetime import datetime

from recollect.domain.freshness import Freshness
from recollect.domain.memory import Memory, ScopeLevel
from recollect.domain.settings import Search, Settings, Stale, Turn
from recollect.text.intent import Intent, Task

SECONDS_PER_DAY = 86_400

SCOPE_MATCH: Mapping[ScopeLevel, float] = {
    ScopeLevel.UNIVERSAL: 0.4,
    ScopeLevel.LANGUAGE: 0.7,
    ScopeLevel.PROJECT: 1.0,
    ScopeLevel.SESSION: 1.0,
}


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


def turn_score(factors: Mapping[str, float], weights: Turn | Search) -> float:
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


def freshness_factor(freshness: Freshness, stale: Stale) -> float:
    """What a score is multiplied by; the worst of several files decides. What has only moved is as good as changed."""
    if freshness.is_gone:
        return stale.gone_factor
    return stale.changed_factor if freshness.is_stale else 1.0


def start_factors(memory: Memory, now: datetime, settings: Settings) -> dict[str, float]:
    return {
        "scope": SCOPE_MATCH[memory.scope.level],
        "frequency": frequency(memory),
        "recency": recency(memory, now, settings),
    }


def start_score(factors: Mapping[str, float], settings: Settings) -> float:
    start = settings.start
    weights = {
        "scope": start.scope_weight,
        "frequency": start.frequency_weight,
        "recency": start.recency_weight,
    }
    return _weighted(factors, weights)


def _weighted(factors: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The weighted mean, so that a factor that is not there yet does not pull every score down."""
    return sum(weights[name] * factors[name] for name in weights) / (sum(weights.values()) or 1.0)
