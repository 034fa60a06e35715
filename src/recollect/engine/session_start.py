"""The stable block: what holds in this project, chosen without a question. Built once per live context."""

from collections.abc import Collection
from datetime import datetime, timedelta

from recollect.domain.injection import Injection, Placement
from recollect.domain.memory import Kind, Memory, ScopeLevel, Viewer
from recollect.domain.settings import Settings
from recollect.engine.ports import FindsMemories
from recollect.privacy.visibility import may_inject
from recollect.rank.budget import Offer, fill
from recollect.rank.score import start_factors, start_score

STANDING = (Kind.PREFERENCE, Kind.RULE, Kind.CORRECTION)  # said by the user for good: they need no score
SECTIONS = ("Preferences and rules", "Language rules", "Project rules", "Decisions", "Files", "Known errors")
POOL_PER_PLACE = 10  # how many of the newest compete for one place


def build(memories: FindsMemories, viewer: Viewer, now: datetime, settings: Settings) -> Injection:
    if not settings.start.enabled:
        return Injection(placement=Placement.SYSTEM)
    start = settings.start
    chosen = [
        *_best(memories, viewer, now, settings, STANDING, start.preferences, floor=0.0),
        *_best(memories, viewer, now, settings, (Kind.DECISION,), start.decisions, since_days=start.decision_days),
        *_best(memories, viewer, now, settings, (Kind.FILE_CONTEXT,), start.files),
        *_best(memories, viewer, now, settings, (Kind.ERROR_PATTERN,), start.errors, since_days=start.error_days),
    ]
    offers = [Offer(memory, _section(memory)) for memory in chosen]
    return fill(offers, Placement.SYSTEM, budget_tokens=settings.budgets.start_tokens, sections=SECTIONS)


def _best(
    memories: FindsMemories,
    viewer: Viewer,
    now: datetime,
    settings: Settings,
    kinds: Collection[Kind],
    limit: int,
    *,
    since_days: int | None = None,
    floor: float | None = None,
) -> list[Memory]:
    wanted = [kind for kind in kinds if settings.kinds.injected[kind]]
    if not wanted:
        return []
    since = now - timedelta(days=since_days) if since_days is not None else None
    pool = [
        m
        for m in memories.newest(viewer, limit=limit * POOL_PER_PLACE, kinds=wanted, since=since, injectable=True)
        if may_inject(m, viewer)
    ]
    scored = [(start_score(start_factors(memory, now, settings), settings), memory) for memory in pool]
    enough = settings.start.floor if floor is None else floor
    ranked = sorted((pair for pair in scored if pair[0] >= enough), key=lambda pair: (-pair[0], pair[1].id))
    return [memory for _, memory in ranked[:limit]]


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
