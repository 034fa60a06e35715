"""Score memories: factors, each 0..1, and their weighted mean. Pure: time comes as an argument."""

import math
from collections.abc import Collection, Mapping
from datetime import datetime

from recollect.domain.freshness import Freshness
from recollect.domain.memory import Kind, Memory, ScopeLevel, Usage, Viewer
from recollect.domain.settings import Compaction, Kinds, Loop, SearchSettings, Stale, Start, TurnSettings
from recollect.text.intent import KINDS_FOR, Intent, Task
from recollect.text.query import IDLE_WORDS
from recollect.text.words import identifiers, index_words, word_set

SECONDS_PER_DAY = 86_400
ENOUGH_WORDS = 3  # of the session, in a memory that belongs to it

SCOPE_MATCH: Mapping[ScopeLevel, float] = {
    ScopeLevel.UNIVERSAL: 0.4,
    ScopeLevel.LANGUAGE: 0.7,
    ScopeLevel.PROJECT: 1.0,
    ScopeLevel.SESSION: 1.0,
}
WRONG_LANGUAGE, WRONG_PROJECT = 0.1, 0.05  # seen from elsewhere, if it is public or preferences are shared
UNKNOWN_TASK = 0.5
SAME_AGENT, OTHER_AGENT = 1.0, 0.5
MIN_DURABILITY_FACTOR = 0.7  # for a memory that hardly matters later
PRIOR = 2  # assumed replies that used it, and as many that did not: one real reply decides little

MIN_USED_WORDS, MIN_USED_SHARE = 2, 0.35  # of the words that only the memory has, in a reply that used it
MAX_REPLY_CHARS = 50_000
# Kinds that help a type of agent most; both see everything.
FAVOURED: Mapping[str, frozenset[Kind]] = {
    "plan": frozenset({Kind.DECISION, Kind.RESEARCH, Kind.ERROR_PATTERN}),
    "build": frozenset({Kind.FILE_CONTEXT, Kind.ERROR_PATTERN, Kind.OUTCOME}),
}


def kinds_for_agent(agent: str | None) -> frozenset[Kind]:
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
    """Return how much its kind helps with the task: 1 for the first helpful kind, little for the last."""
    if task is None:
        return UNKNOWN_TASK
    kinds = KINDS_FOR.get(task, KINDS_FOR[Task.GENERAL])
    if memory.kind not in kinds:
        return 0.0
    return 1 - kinds.index(memory.kind) / len(kinds)


def agent_match(memory: Memory, agent: str | None) -> float:
    return SAME_AGENT if agent is not None and memory.source.agent == agent else OTHER_AGENT


def was_used(memory: Memory, reply: str, prompt: str) -> bool:
    """Guess by words that the prompt did not have: its words are in every reply. Affects only the order of what fits."""
    reply, prompt = reply[:MAX_REPLY_CHARS].lower(), prompt[:MAX_REPLY_CHARS].lower()
    if any(name in reply and name not in prompt for name in map(str.lower, identifiers(memory.text))):
        return True
    own = word_set(memory) - frozenset(index_words(prompt)) - IDLE_WORDS
    shared = own.intersection(index_words(reply))
    return len(shared) >= max(MIN_USED_WORDS, MIN_USED_SHARE * len(own))


def use_rate(use: Usage, loop: Loop) -> float:
    """Return the share of replies that used it, .5 if unknown; a person's feedback counts for several replies."""
    feedback = loop.feedback_weight * use.feedback
    used = use.used + max(0, feedback) + PRIOR
    unused = use.unused + max(0, -feedback) + PRIOR
    return used / (used + unused)


def use_factor(use: Usage, loop: Loop) -> float:
    """Return a factor in a narrow band around 1, so that nothing starves and nothing dominates."""
    return 1 + loop.reach * (2 * use_rate(use, loop) - 1) if loop.enabled else 1.0


def age_days(memory: Memory, now: datetime) -> float:
    """Never negative, even if the clock was set back."""
    return max(0.0, (now - memory.valid_from).total_seconds() / SECONDS_PER_DAY)


def recency(memory: Memory, now: datetime, kinds: Kinds) -> float:
    half_life_days = kinds.half_life_days.get(memory.kind)
    if half_life_days is None:
        return 1.0
    return math.pow(0.5, age_days(memory, now) / max(half_life_days, 0.01))  # a half-life of 0: gone at once


def frequency(memory: Memory) -> float:
    """Said once .5, ten times about .9: the first repetitions count most."""
    return 1 - 1 / (1 + memory.seen)


def turn_factors(memory: Memory, relevance: float, about: Intent, now: datetime, kinds: Kinds) -> dict[str, float]:
    fixing = about.task is Task.BUG_FIX
    priority = kinds.bug_fix_priority if fixing else kinds.priority
    return {
        "relevance": relevance,
        "recency": recency(memory, now, kinds),
        "importance": memory.importance / 2,
        "frequency": frequency(memory),
        "kind": priority.get(memory.kind, 0.0),
        "entity": float(about.is_named_in(memory)),
    }


def apply_use(score: float, factors: dict[str, float], use: Usage, loop: Loop) -> tuple[float, dict[str, float]]:
    """Apply the use factor, up to a score of 1, and list it among the factors if it is not 1."""
    factor = use_factor(use, loop)
    if factor == 1.0:
        return score, factors
    return min(1.0, score * factor), {**factors, "use": factor}


def turn_score(factors: Mapping[str, float], weights: TurnSettings | SearchSettings) -> float:
    """`weights`: of a prompt, or of a search."""
    return _mean(
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


def apply_durability(score: float, factors: dict[str, float], memory: Memory) -> tuple[float, dict[str, float]]:
    """Lower the score of a memory that may not matter later; one that the user stated outright keeps its score."""
    if memory.durability >= 1.0:
        return score, factors
    factor = MIN_DURABILITY_FACTOR + (1 - MIN_DURABILITY_FACTOR) * memory.durability
    return score * factor, {**factors, "durability": memory.durability}


def freshness_factor(freshness: Freshness, stale: Stale) -> float:
    """Return the factor of the worst file. A file that only moved counts as changed."""
    if freshness.is_gone:
        return stale.gone_factor
    return stale.changed_factor if freshness.is_stale else 1.0


def start_factors(memory: Memory, viewer: Viewer, task: Task | None, now: datetime, kinds: Kinds) -> dict[str, float]:
    return {
        "scope": scope_match(memory, viewer),
        "frequency": frequency(memory),
        "recency": recency(memory, now, kinds),
        "task": task_match(memory, task),
    }


def start_score(factors: Mapping[str, float], weights: Start) -> float:
    return _mean(
        factors,
        {
            "scope": weights.scope_weight,
            "frequency": weights.frequency_weight,
            "recency": weights.recency_weight,
            "task": weights.task_weight,
        },
    )


def compaction_factors(
    memory: Memory, agent: str | None, said: Collection[str], now: datetime, kinds: Kinds
) -> dict[str, float]:
    """`said`: the words of the session's last prompts."""
    words = word_set(memory)
    shared = sum(word in words for word in said)
    return {
        "recency": recency(memory, now, kinds),
        "importance": kinds.compaction_importance.get(memory.kind, 0.2),
        "agent": agent_match(memory, agent),
        "keyword": min(1.0, shared / ENOUGH_WORDS),
    }


def compaction_score(factors: Mapping[str, float], weights: Compaction) -> float:
    return _mean(
        factors,
        {
            "recency": weights.recency_weight,
            "importance": weights.importance_weight,
            "agent": weights.agent_weight,
            "keyword": weights.keyword_weight,
        },
    )


def _mean(factors: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Divide by the sum of the weights: a missing factor does not lower every score."""
    return sum(weights[name] * factors[name] for name in weights) / (sum(weights.values()) or 1.0)
