"""The stable block: what holds in this project, chosen without a question. Built once per live context."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice

from recollect.domain.injection import Choice, Injection, Placement, Point, Quiet, Verdict
from recollect.domain.memory import Hit, Kind, Memory, Role, ScopeLevel
from recollect.domain.session import Recap
from recollect.domain.settings import Budgets, Settings
from recollect.engine import continuity
from recollect.engine.anchoring import settled
from recollect.engine.disputes import undisputed
from recollect.engine.ports import FindsMemories
from recollect.engine.showing import for_block
from recollect.engine.situation import Situation, injection, refused, silence
from recollect.rank.budget import Offer, allowance, fill, first_of_each_kind, offer
from recollect.rank.score import favoured, start_factors, start_score, with_use
from recollect.text.block import Entry, index_line_of, line_of, render
from recollect.text.intent import Task
from recollect.text.tokens import estimate

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
    memories: FindsMemories, situation: Situation, *, recaps: Sequence[Recap] = (), task: Task | None = None
) -> Injection:
    settings = situation.settings
    budgets = settings.budgets
    left = budgets.live_start_tokens - situation.live.tokens(Point.ON_DEMAND)
    budget_tokens = min(allowance(budgets.start_tokens, budgets, window_tokens=situation.window_tokens), left)
    if budget_tokens <= 0:
        return silence(Placement.SYSTEM, Quiet.CAP)
    weighed = [_weigh(memories, situation, task, group) for group in _groups(settings)]
    best = [hit for hits, limit, _ in weighed for hit in hits[:limit]]
    further = undisputed([hit for hits, limit, _ in weighed for hit in hits[limit:]], situation)
    low = [choice for _, _, choices in weighed for choice in choices]
    chosen = undisputed(_ordered(best), situation)
    memories_told = [hit.memory for hit in chosen]
    offers = [*map(_offer, map(for_block, chosen)), *continuity.notes(recaps, settings, situation.now, memories_told)]
    sections = [*_sections(situation.agent), *continuity.sections(recaps, settings), INDEX]
    scale = budget_tokens / max(1, _all_shares(budgets))
    shares = _shares(settings, scale)
    all_of_it = fill(offers, budget_tokens=budget_tokens, shares=shares, sections=sections, counts_rest=False)
    index_tokens = int(budgets.index_tokens * scale) if further or len(all_of_it.said) < len(offers) else 0
    summaries, room_tokens = _summaries(
        offers,
        continuity.without_lines(recaps, memories_told),
        settings,
        budget_tokens - index_tokens,
        shares,
        sections,
    )
    offers += summaries
    first = fill(
        offers,
        budget_tokens=budget_tokens - index_tokens,
        shares={**shares, continuity.SUMMARIES: room_tokens},
        sections=sections,
        counts_rest=False,
    )
    left_out = [hit for hit in chosen if first.verdicts[hit.memory.id] is Verdict.BUDGET]
    listed = _index([*left_out, *_ordered(further)], settings.start.index_entries)
    told = {one.memory or one.ways[-1] for one in (*first.said, *listed)}
    others = [one for one in offers if (one.memory or one.ways[-1]) not in told]  # what the index leaves flows on
    filled = fill(
        [*first.said, *listed, *others],
        budget_tokens=budget_tokens,
        shares={INDEX: index_tokens},
        sections=sections,
        counts_rest=situation.counts_rest,
        flows=False,
        besides=len({hit.memory.id for hit in further}.difference(told)),
    )
    return injection(
        Placement.SYSTEM,
        filled,
        [*chosen, *further],
        budget_tokens=budget_tokens,
        considered=len(best) + len(further) + len(low),
        needed={hit.memory.id: settings.start.floor for hit in (*chosen, *further) if hit.memory.kind not in STANDING},
        refused=low,
    )


def _summaries(
    offers: Sequence[Offer],
    recaps: Sequence[Recap],
    settings: Settings,
    budget_tokens: int,
    shares: Mapping[str, int],
    sections: Sequence[str],
) -> tuple[list[Offer], int]:
    """They have their share, and what memories and notes leave; and the room for them."""
    share = shares[continuity.SUMMARIES]
    others = fill(offers, budget_tokens=budget_tokens - share, shares=shares, sections=sections, counts_rest=False)
    # Counted line by line, as they will be: together they cost a little less.
    said = [one.ways[0] for one in others.said]
    headings = {one.section for one in others.said} | {continuity.SESSIONS, continuity.EARLIER}
    around = estimate(render([Entry("", "")], more=len(offers)))
    spent = around + sum(estimate(f"{line}\n") for line in said) + sum(estimate(f"{one}:\n") for one in headings)
    room_tokens = max(share, budget_tokens - spent)
    summaries = continuity.summaries_within(
        recaps, settings, room_tokens=room_tokens, said=said, older=len(said) == len(offers)
    )
    return summaries, room_tokens


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
        and not situation.is_heard(memory)
        and memory.id not in situation.live.shown
        and (group.may_be_of_tools or memory.source.role is not Role.TOOL)
    ]
    floor = settings.start.floor if group.floor is None else group.floor
    weighed = sorted((_weighed(memory, situation, task) for memory in pool), key=_best_first)
    fresh = settled(weighed, group.limit, situation.look, settings.stale)
    too_low = [hit for hit in fresh if _base(hit) < floor]
    enough = [hit for hit in fresh if _base(hit) >= floor]
    return enough, group.limit, refused(too_low, Verdict.FLOOR, dict.fromkeys((h.memory.id for h in too_low), floor))


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
    level = _level(memory)
    shares = (level, SHARE_OF.get(memory.kind, memory.kind))
    return offer(memory, _section(memory), hit.freshness, shares, order=LEVELS.index(level))


def _level(memory: Memory) -> ScopeLevel:
    return ScopeLevel.PROJECT if memory.scope.level is ScopeLevel.SESSION else memory.scope.level


def _index(hits: Iterable[Hit], limit: int) -> list[Offer]:
    """A title cannot say that its file has changed: what is stale is not listed."""
    short = (hit for hit in hits if not hit.freshness.is_stale and index_line_of(hit.memory) is not None)
    safe = (for_block(hit).memory for hit in short)
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
            return RULES[LEVELS.index(_level(memory))]
