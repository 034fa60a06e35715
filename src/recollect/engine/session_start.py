"""The stable block: what holds in this project, chosen without a question. Built once per live context."""

from collections.abc import Collection
from datetime import datetime, timedelta
from functools import partial

from recollect.domain.injection import Injection, Placement
from recollect.domain.memory import Hit, Kind, Memory, ScopeLevel, Viewer
from recollect.domain.settings import Settings
from recollect.engine.admission import is_ignored
from recollect.engine.anchoring import Looks, nobody_looks, settled
from recollect.engine.ports import FindsMemories
from recollect.engine.showing import for_block
from recollect.privacy.visibility import may_inject
from recollect.rank.budget import Offer, fill
from recollect.rank.conflicts import newest_first
from recollect.rank.score import start_factors, start_score

STANDING = (Kind.PREFERENCE, Kind.RULE, Kind.CORRECTION)  # said by the user for good: they need no score
SECTIONS = ("Preferences and rules", "Language rules", "Project rules", "Decisions", "Files", "Known errors")
POOL_PER_PLACE = 10  # how many of the newest compete for one place


def build(
    memories: FindsMemories, viewer: Viewer, now: datetime, settings: Settings, look: Looks = nobody_looks
) -> Injection:
    if not settings.start.enabled:
        return Injection(placement=Placement.SYSTEM)
    start = settings.start
    best = partial(_best, memories, viewer, now, settings, look)
    chosen = [
        *best(STANDING, start.preferences, floor=0.0),
        *best((Kind.DECISION,), start.decisions, since_days=start.decision_days),
        *best((Kind.FILE_CONTEXT,), start.files),
        *best((Kind.ERROR_PATTERN,), start.errors, since_days=start.error_days),
    ]
    offers = [Offer(hit.memory, _section(hit.memory), hit.freshness) for hit in map(for_block, newest_first(chosen))]
    return fill(offers, Placement.SYSTEM, budget_tokens=settings.budgets.start_tokens, sections=SECTIONS)


def _best(
    memories: FindsMemories,
    viewer: Viewer,
    now: datetime,
    settings: Settings,
    look: Looks,
    kinds: Collection[Kind],
    limit: int,
    *,
    since_days: int | None = None,
    floor: float | None = None,
) -> list[Hit]:
    wanted = [kind for kind in kinds if settings.kinds.injected[kind]]
    if not wanted:
        return []
    since = now - timedelta(days=since_days) if since_days is not None else None
    pool = [
        m
        for m in memories.newest(viewer, limit=limit * POOL_PER_PLACE, kinds=wanted, since=since, injectable=True)
        if may_inject(m, viewer) and not is_ignored(m, settings.privacy)
    ]
    enough = settings.start.floor if floor is None else floor
    weighed = [hit for memory in pool if (hit := _weighed(memory, now, settings)).score >= enough]
    ranked = sorted(weighed, key=lambda hit: (-hit.score, hit.memory.id))
    return [hit for hit in settled(ranked, limit, look, settings.stale)[:limit] if hit.score >= enough]


def _weighed(memory: Memory, now: datetime, settings: Settings) -> Hit:
    factors = start_factors(memory, now, settings)
    return Hit(memory=memory, relevance=1.0, score=start_score(factors, settings), factors=factors)  # nothing is asked


def _section(memory: Memory) -> str:
    match memory.kind:
        case Kind.DECISION:
            return "Decisions"
        case Kind.FILE_CONTEXT:
            return "Files"
        case Kind.ERROR_PATTERN:
            return "Known errors"
        case _:
            levels = {ScopeLevel.UNIVERSAL: "Preferences and rules", ScopeLevel.LANGUAGE: "Language rules"}
            return levels.get(memory.scope.level, "Project rules")
