"""The start block as `start.style = "full"` wants it: all that may help, up to its budget."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice

from recollect.domain.injection import Choice, Injection, Placement, Verdict
from recollect.domain.memory import Hit, Kind, Memory, Role, ScopeLevel
from recollect.domain.session import Recap
from recollect.domain.settings import Budgets, Settings
from recollect.engine import continuity
from recollect.engine.anchoring import settled
from recollect.engine.disputes import leave_out_lone_claims
from recollect.engine.ports import FindsMemories
from recollect.engine.redaction import redact_for_block
from recollect.engine.situation import Situation, build_injection, refuse
from recollect.rank.budget import Offer, fill, first_of_each_kind, offer
from recollect.rank.score import favoured, start_factors, start_score, with_use
from recollect.text.block import index_line_of, line_of
from recollect.text.intent import Task

STANDING = (Kind.PREFERENCE, Kind.RULE, Kind.CORRECTION)  # said by the user for good: they need no score
RULES = ("Preferences and rules", "Language rules", "Project rules")
DECISIONS, FILES, ERRORS, FINDINGS = "Decisions", "Files", "Known errors", "Findings and outcomes"
INDEX = "More, by title; `recollect show ID` opens one"
POOL_PER_PLACE = 6  # how many of the newest compete for one place
LEVELS = (ScopeLevel.UNIVERSAL, ScopeLevel.LANGUAGE, ScopeLevel.PROJECT, ScopeLevel.SESSION)
# Whose share of the budget a kind takes from.
SHARE_OF = {**dict.fromkeys(STANDING, Kind.PREFERENCE), Kind.OUTCOME: Kind.RESEARCH}


@dataclass(frozen=True, slots=True)
class _Group:
    """Kinds that compete with one another."""

    kinds: tuple[Kind, ...]
    limit: int
    since_days: int | None = None
    floor: float | None = None  # None: that of the settings
    may_be_of_tools: bool = True  # what a tool printed is nobody's word: unasked, it is not told


def build(
    memories: FindsMemories,
    situation: Situation,
    budget_tokens: int,
    *,
    recaps: Sequence[Recap] = (),
    task: Task | None = None,
) -> Injection:
    settings = situation.settings
    budgets = settings.budgets
    weighed = [_weigh(memories, situation, task, group) for group in _groups(settings)]
    best = [hit for hits, limit, _ in weighed for hit in hits[:limit]]
    further = leave_out_lone_claims([hit for hits, limit, _ in weighed for hit in hits[limit:]], situation)
    low = [choice for _, _, choices in weighed for choice in choices]
    chosen = leave_out_lone_claims(_ordered(best), situation)
    told_here = [hit.memory for hit in chosen]
    left = continuity.without_notes(continuity.without_lines(recaps, told_here))
    offers = [
        *map(_offer, map(redact_for_block, chosen)),
        *continuity.offer_notes(recaps, settings, situation.now, told_here),
        *continuity.offer_summaries(left[: settings.start.sessions]),
    ]
    sections = [*_sections(situation.agent), *continuity.sections(recaps, settings), INDEX]
    scale = budget_tokens / max(1, _all_shares(budgets))
    shares = _shares(settings, scale)
    all_of_it = fill(offers, budget_tokens=budget_tokens, shares=shares, sections=sections, counts_rest=False)
    index_tokens = int(budgets.index_tokens * scale) if further or len(all_of_it.said) < len(offers) else 0
    first = fill(
        offers,
        budget_tokens=budget_tokens - index_tokens,
        shares=shares,
        sections=sections,
        counts_rest=False,
    )
    older = continuity.offer_older(left[settings.start.sessions :]) if len(first.said) == len(offers) else []
    left_out = [hit for hit in chosen if first.verdicts[hit.memory.id] is Verdict.BUDGET]
    listed = _index([*left_out, *_ordered(further)], settings.start.index_entries)
    told = {one.memory or one.ways[-1] for one in (*first.said, *listed)}
    others = [one for one in offers if (one.memory or one.ways[-1]) not in told]  # what the index leaves flows on
    filled = fill(
        [*first.said, *listed, *others, *older],
        budget_tokens=budget_tokens,
        shares={INDEX: index_tokens},
        sections=sections,
        counts_rest=situation.counts_rest,
        flows=False,
        besides=len({hit.memory.id for hit in further}.difference(told)),
    )
    return build_injection(
        Placement.SYSTEM,
        filled,
        [*chosen, *further],
        budget_tokens=budget_tokens,
        considered=len(best) + len(further) + len(low),
        needed={hit.memory.id: settings.start.floor for hit in (*chosen, *further) if hit.memory.kind not in STANDING},
        refused=low,
    )


def _groups(settings: Settings) -> list[_Group]:
    start = settings.start
    return [
        _Group(STANDING, start.preferences, floor=0.0),
        _Group((Kind.DECISION,), start.decisions, since_days=start.decision_days),
        _Group((Kind.FILE_CONTEXT,), start.files),
        _Group((Kind.ERROR_PATTERN,), start.errors, since_days=start.error_days),
        _Group((Kind.RESEARCH, Kind.OUTCOME), start.others, since_days=start.other_days, may_be_of_tools=False),
    ]


def _weigh(
    memories: FindsMemories, situation: Situation, task: Task | None, group: _Group
) -> tuple[list[Hit], int, list[Choice]]:
    """Those that may be shown, the best first; how many of them are candidates; and those that score too low."""
    settings = situation.settings
    wanted = [kind for kind in group.kinds if settings.kinds.injected[kind]]
    if not wanted:
        return [], 0, []
    since = situation.now - timedelta(days=group.since_days) if group.since_days is not None else None
    pool = [
        memory
        for memory in memories.newest(
            situation.viewer,
            limit=group.limit * POOL_PER_PLACE,
            kinds=wanted,
            since=since,
            injectable=True,
            confirmed=True,
        )
        if situation.may_show(memory)
        and not situation.is_said_here(memory)
        and memory.id not in situation.live.memory_ids
        and (group.may_be_of_tools or memory.source.role is not Role.TOOL)
    ]
    floor = settings.start.floor if group.floor is None else group.floor
    weighed = sorted((_weighed(memory, situation, task) for memory in pool), key=_best_first)
    fresh = settled(weighed, group.limit, situation.look_up_freshness, settings.stale)
    too_low = [hit for hit in fresh if _base(hit) < floor]
    enough = [hit for hit in fresh if _base(hit) >= floor]
    return enough, group.limit, refuse(too_low, Verdict.FLOOR, dict.fromkeys((h.memory.id for h in too_low), floor))


def _base(hit: Hit) -> float:
    """Its score but for use: what was never used stays above the floor."""
    return hit.factors["base"] * hit.factors.get("freshness", 1.0)


def _weighed(memory: Memory, situation: Situation, task: Task | None) -> Hit:
    """Nothing is asked, so all of it is relevant."""
    settings = situation.settings
    factors = start_factors(memory, situation.viewer, task, situation.now, settings)
    base = start_score(factors, settings)
    score, factors = with_use(base, {**factors, "base": base}, memory.use, settings.loop)
    return Hit(memory=memory, relevance=1.0, score=score, factors=factors)


def _ordered(hits: Iterable[Hit]) -> list[Hit]:
    return first_of_each_kind(sorted(hits, key=_best_first))


def _best_first(hit: Hit) -> tuple[float, float, str]:
    """Of equal ones the newest."""
    return -hit.score, -hit.memory.valid_from.timestamp(), hit.memory.id


def _offer(hit: Hit) -> Offer:
    memory = hit.memory
    level = level_of(memory)
    shares = (level, SHARE_OF.get(memory.kind, memory.kind))
    return offer(memory, _section(memory), hit.freshness, shares, order=LEVELS.index(level))


def level_of(memory: Memory) -> ScopeLevel:
    return ScopeLevel.PROJECT if memory.scope.level is ScopeLevel.SESSION else memory.scope.level


def _index(hits: Iterable[Hit], limit: int) -> list[Offer]:
    """A title cannot say that its file has changed: what is stale is not listed."""
    short = (hit for hit in hits if not hit.freshness.is_stale and index_line_of(hit.memory) is not None)
    safe = (redact_for_block(hit).memory for hit in short)
    told = ((memory, line) for memory in safe if (line := index_line_of(memory)) is not None)
    return [_listed(memory, line) for memory, line in islice(told, limit)]


def _listed(memory: Memory, line: str) -> Offer:
    """What is short enough to be its own title is told whole by it."""
    means = Verdict.SHOWN if line == line_of(memory) else Verdict.LISTED
    return Offer((line,), INDEX, memory.id, (INDEX,), means=means)


def _shares(settings: Settings, scale: float) -> dict[str, int]:
    budgets = settings.budgets
    levels = {
        ScopeLevel.UNIVERSAL: budgets.universal_tokens,
        ScopeLevel.LANGUAGE: budgets.language_tokens,
        ScopeLevel.PROJECT: budgets.project_tokens,
    }
    memories = sum(levels.values()) + budgets.reserve_tokens
    return {
        **{level: int(tokens * scale) for level, tokens in levels.items()},
        **{kind: int(memories * share * scale) for kind, share in settings.kinds.start_share.items()},
        **continuity.shares(budgets, scale),
    }


def _all_shares(budgets: Budgets) -> int:
    return (
        budgets.universal_tokens
        + budgets.language_tokens
        + budgets.project_tokens
        + budgets.reserve_tokens
        + budgets.codes_tokens
        + budgets.summaries_tokens
        + budgets.index_tokens
    )


def _sections(agent: str | None) -> list[str]:
    """What helps this type of agent most stands first among what is not a rule."""
    of_kind = {
        DECISIONS: Kind.DECISION,
        FILES: Kind.FILE_CONTEXT,
        ERRORS: Kind.ERROR_PATTERN,
        FINDINGS: Kind.OUTCOME if agent == "build" else Kind.RESEARCH,
    }
    helpful = favoured(agent)
    facts = sorted(of_kind, key=lambda section: of_kind[section] not in helpful)  # stable
    return [*RULES, *facts]


def _section(memory: Memory) -> str:
    match memory.kind:
        case Kind.DECISION:
            return DECISIONS
        case Kind.FILE_CONTEXT:
            return FILES
        case Kind.ERROR_PATTERN:
            return ERRORS
        case Kind.RESEARCH | Kind.OUTCOME:
            return FINDINGS
        case _:
            return RULES[LEVELS.index(level_of(memory))]
