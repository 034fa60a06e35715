"""The start block of `start.style = "full"`: everything that may help, up to its budget."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from recollect.domain.injection import Choice, Injection, Placement, Verdict
from recollect.domain.memory import Hit, Kind, Memory, MemoryId, Role, ScopeLevel
from recollect.domain.session import Recap
from recollect.domain.settings import Budgets, Kinds, Start
from recollect.engine.anchoring import demote_stale
from recollect.engine.moments import continuity
from recollect.engine.moments.disputes import Disputes
from recollect.engine.moments.injections import build_injection, refuse
from recollect.engine.moments.situation import Situation
from recollect.engine.ports import SearchableMemories
from recollect.engine.redaction import redact_for_block
from recollect.rank.budget import BlockItem, FilledBlock, fill, item_for_memory, put_first_of_each_kind_first
from recollect.rank.score import apply_use, kinds_for_agent, start_factors, start_score
from recollect.text.block import index_line_of, line_of
from recollect.text.intent import Task

STANDING = (Kind.PREFERENCE, Kind.RULE, Kind.CORRECTION)  # the user said them for good: they need no score
RULES = ("Preferences and rules", "Language rules", "Project rules")
DECISIONS, FILES, ERRORS, FINDINGS = "Decisions", "Files", "Known errors", "Findings and outcomes"
INDEX = "More, by title; `recollect show ID` opens one"
POOL_PER_LINE = 6  # newest memories that compete for one line
LEVELS = (ScopeLevel.UNIVERSAL, ScopeLevel.LANGUAGE, ScopeLevel.PROJECT, ScopeLevel.SESSION)
SECTION_OF = {
    Kind.DECISION: DECISIONS,
    Kind.FILE_CONTEXT: FILES,
    Kind.ERROR_PATTERN: ERRORS,
    Kind.RESEARCH: FINDINGS,
    Kind.OUTCOME: FINDINGS,
}
# Kinds that take from the budget share of another kind.
SHARE_OF = {**dict.fromkeys(STANDING, Kind.PREFERENCE), Kind.OUTCOME: Kind.RESEARCH}


@dataclass(frozen=True, slots=True)
class _Group:
    """Kinds that compete with one another."""

    kinds: tuple[Kind, ...]
    limit: int
    since_days: int | None = None
    floor: float | None = None  # None: that of the settings
    may_be_of_tools: bool = True  # False: leave out what a tool printed, which no person said


@dataclass(slots=True)
class _Found:
    best: list[Hit] = field(default_factory=list)
    further: list[Hit] = field(default_factory=list)  # above the floor, beyond the limits
    too_low: list[Choice] = field(default_factory=list)


def build(
    memories: SearchableMemories,
    situation: Situation,
    budget_tokens: int,
    *,
    recaps: Sequence[Recap],
    task: Task | None,
) -> Injection:
    settings = situation.settings
    found = _Found()
    for group in _groups(settings.start):
        _find(memories, situation, task, group, found)
    disputes = Disputes(memories, situation)
    chosen = disputes.leave_out_lone_claims(_order(found.best))
    further = disputes.leave_out_lone_claims(found.further)
    filled = _fill(chosen, further, situation, budget_tokens, recaps)
    offered = [*chosen, *further]
    return build_injection(
        Placement.SYSTEM,
        filled,
        offered,
        budget_tokens=budget_tokens,
        considered=len(found.best) + len(further) + len(found.too_low),
        needed={hit.memory.id: settings.start.floor for hit in offered if hit.memory.kind not in STANDING},
        refused=found.too_low,
    )


def _fill(
    chosen: Sequence[Hit], further: Sequence[Hit], situation: Situation, budget_tokens: int, recaps: Sequence[Recap]
) -> FilledBlock:
    """Fill the block without the index, then again with an index of what found no room."""
    settings = situation.settings
    shown = [hit.memory for hit in chosen]
    summaries = continuity.without_notes(continuity.without_lines(recaps, shown))
    offers = [
        *map(_offer, map(redact_for_block, chosen)),
        *continuity.offer_notes(recaps, settings.start, situation.now, shown),
        *continuity.offer_summaries(summaries[: settings.start.sessions]),
    ]
    sections = [*_sections(situation.agent), *continuity.sections(recaps, settings.start), INDEX]
    scale = budget_tokens / max(1, _all_shares(settings.budgets))

    def fill_without_index(tokens: int) -> FilledBlock:
        shares = _shares(settings.budgets, settings.kinds, scale)
        return fill(offers, budget_tokens=tokens, shares=shares, sections=sections, show_omitted_count=False)

    index_tokens = 0
    if further or len(fill_without_index(budget_tokens).included) < len(offers):
        index_tokens = int(settings.budgets.index_tokens * scale)
    first = fill_without_index(budget_tokens - index_tokens)
    left_out = [hit for hit in chosen if first.verdicts[hit.memory.id] is Verdict.BUDGET]
    index = _offer_index([*left_out, *_order(further)], settings.start.index_entries)
    said = {_key(one) for one in (*first.included, *index)}
    others = [one for one in offers if _key(one) not in said]  # they get what the index leaves
    older = []
    if len(first.included) == len(offers):
        older = continuity.offer_older(summaries[settings.start.sessions :])
    return fill(
        [*first.included, *index, *others, *older],
        budget_tokens=budget_tokens,
        shares={INDEX: index_tokens},
        sections=sections,
        show_omitted_count=situation.shows_omitted_count,
        share_leftovers=False,
        already_left_out=len({hit.memory.id for hit in further}.difference(said)),
    )


def _key(one: BlockItem) -> MemoryId | str:
    return one.memory_id or one.forms[-1]


def _groups(start: Start) -> list[_Group]:
    return [
        _Group(STANDING, start.preferences, floor=0.0),
        _Group((Kind.DECISION,), start.decisions, since_days=start.decision_days),
        _Group((Kind.FILE_CONTEXT,), start.files),
        _Group((Kind.ERROR_PATTERN,), start.errors, since_days=start.error_days),
        _Group((Kind.RESEARCH, Kind.OUTCOME), start.others, since_days=start.other_days, may_be_of_tools=False),
    ]


def _find(memories: SearchableMemories, situation: Situation, task: Task | None, group: _Group, found: _Found) -> None:
    settings = situation.settings
    switched_on = [kind for kind in group.kinds if settings.kinds.injected[kind]]
    if not switched_on:
        return
    newest = memories.newest(
        situation.viewer,
        limit=group.limit * POOL_PER_LINE,
        kinds=switched_on,
        since=None if group.since_days is None else situation.now - timedelta(days=group.since_days),
        injectable=True,
        confirmed=True,
    )
    if not group.may_be_of_tools:
        newest = [memory for memory in newest if memory.source.role is not Role.TOOL]
    pool = filter(situation.is_news, newest)
    hits = sorted((_score(memory, situation, task) for memory in pool), key=_best_first)
    hits = demote_stale(hits, group.limit, situation.look_up_freshness, settings.stale)
    floor = settings.start.floor if group.floor is None else group.floor
    enough = [hit for hit in hits if _score_without_use(hit) >= floor]
    too_low = [hit for hit in hits if _score_without_use(hit) < floor]
    found.best += enough[: group.limit]
    found.further += enough[group.limit :]
    found.too_low += refuse(too_low, Verdict.FLOOR, dict.fromkeys((hit.memory.id for hit in too_low), floor))


def _score_without_use(hit: Hit) -> float:
    """Compared with the floor: a memory that was never used may still be shown."""
    return hit.factors["base"] * hit.factors.get("freshness", 1.0)


def _score(memory: Memory, situation: Situation, task: Task | None) -> Hit:
    settings = situation.settings
    factors = start_factors(memory, situation.viewer, task, situation.now, settings.kinds)
    base = start_score(factors, settings.start)
    score, factors = apply_use(base, {**factors, "base": base}, memory.use, settings.loop)
    return Hit(memory=memory, relevance=1.0, score=score, factors=factors)  # no question: all are relevant


def _order(hits: Iterable[Hit]) -> list[Hit]:
    return put_first_of_each_kind_first(sorted(hits, key=_best_first))


def _best_first(hit: Hit) -> tuple[float, float, str]:
    return -hit.score, -hit.memory.valid_from.timestamp(), hit.memory.id


def _offer(hit: Hit) -> BlockItem:
    memory = hit.memory
    level = level_of(memory)
    place = LEVELS.index(level)
    section = SECTION_OF.get(memory.kind, RULES[place])
    shares = (level, SHARE_OF.get(memory.kind, memory.kind))
    return item_for_memory(memory, section, hit.freshness, shares, order=place)


def level_of(memory: Memory) -> ScopeLevel:
    return ScopeLevel.PROJECT if memory.scope.level is ScopeLevel.SESSION else memory.scope.level


def _offer_index(hits: Iterable[Hit], limit: int) -> list[BlockItem]:
    """Titles only, without stale memories: a title cannot say that its file has changed."""
    offers: list[BlockItem] = []
    for hit in hits:
        if len(offers) == limit:
            break
        if hit.freshness.is_stale or index_line_of(hit.memory) is None:
            continue
        memory = redact_for_block(hit).memory
        line = index_line_of(memory)
        if line is not None:
            is_whole = line == line_of(memory)  # a short memory is its own title
            means = Verdict.SHOWN if is_whole else Verdict.LISTED
            offers.append(BlockItem((line,), INDEX, memory.id, (INDEX,), verdict=means))
    return offers


def _shares(budgets: Budgets, kinds: Kinds, scale: float) -> dict[str, int]:
    levels = {
        ScopeLevel.UNIVERSAL: budgets.universal_tokens,
        ScopeLevel.LANGUAGE: budgets.language_tokens,
        ScopeLevel.PROJECT: budgets.project_tokens,
    }
    memories = sum(levels.values()) + budgets.reserve_tokens
    return {
        **{level: int(tokens * scale) for level, tokens in levels.items()},
        **{kind: int(memories * share * scale) for kind, share in kinds.start_share.items()},
        **continuity.shares(budgets, scale),
    }


def _all_shares(budgets: Budgets) -> int:
    memories = budgets.universal_tokens + budgets.language_tokens + budgets.project_tokens + budgets.reserve_tokens
    return memories + budgets.codes_tokens + budgets.summaries_tokens + budgets.index_tokens


def _sections(agent: str | None) -> list[str]:
    """Rules first, then the sections that help this type of agent most."""
    kind_of = {
        DECISIONS: Kind.DECISION,
        FILES: Kind.FILE_CONTEXT,
        ERRORS: Kind.ERROR_PATTERN,
        FINDINGS: Kind.OUTCOME if agent == "build" else Kind.RESEARCH,
    }
    helpful = kinds_for_agent(agent)
    return [*RULES, *sorted(kind_of, key=lambda section: kind_of[section] not in helpful)]  # stable
