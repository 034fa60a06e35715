"""The answer to an agent's question: memories that fit it, the newest ones, or one memory with its evidence. After some
answers in one live context, further ones are titles, which can be opened by their ids; so is every live memory."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from recollect.domain.event import Asked
from recollect.domain.freshness import NOT_CHECKED, Freshness
from recollect.domain.injection import Injection, Moment, Placement, QuietReason, Verdict
from recollect.domain.memory import Hit, Memory, MemoryId, Scope, ScopeLevel
from recollect.domain.session import Session
from recollect.engine import search
from recollect.engine.context import Context
from recollect.engine.memories.lookup import find_visible
from recollect.engine.memories.review import find_dispute
from recollect.engine.moments.disputes import Disputes
from recollect.engine.moments.injections import build_injection, refuse, silence
from recollect.engine.moments.sent_log import record_unnamed
from recollect.engine.moments.situation import (
    LiveBlocks,
    Situation,
    find_quiet_reason,
    find_situation,
    load_live_context,
)
from recollect.engine.ports import Embeds, FindsMemories, WritesMemories
from recollect.engine.redaction import redact_for_block
from recollect.rank.budget import BlockItem, FilledBlock, block_budget, fill, item_for_memory
from recollect.text.block import (
    BlockLine,
    bare_line_of,
    index_line_of,
    item_line_of,
    line_of,
    reminder_line_of,
    render,
    visible,
)
from recollect.text.query import search_words
from recollect.text.sentences import ELLIPSIS, sentences
from recollect.text.tokens import estimate
from recollect.text.words import word_set

EVIDENCE, DISPUTED = "Said then", "Disputed"
UNCERTAIN = "Nothing known fits; the nearest, which may be about something else"
NOT_FOUND = "There is no memory with this id that may be told; ask with words."
MAX_DISPUTES_NAMED = 3
MEANING = "meaning"  # the factor that only a model can compute
MAX_NEWEST = 100


class AnswerStore(FindsMemories, WritesMemories, Protocol): ...


def answer(ctx: Context, session: Session, event: Asked) -> Injection:
    started_s = ctx.seconds()
    quiet = find_quiet_reason(ctx, session, enabled=ctx.settings.on_demand.enabled)
    if quiet in (QuietReason.OFF, QuietReason.PAUSED):  # a session that opted out of injections may still ask
        injection = silence(Placement.ANSWER, quiet)
    else:
        if event.filters.is_of_own_project and session.project is not None:
            event = replace(event, filters=replace(event.filters, scope=Scope.project(session.project)))
        situation = find_situation(ctx, session, event, load_live_context(ctx, session, event))
        injection = build_answer(ctx.store, ctx.model(), event, situation)
    return record_unnamed(ctx, session, injection, event, started_s, Moment.ON_DEMAND)


def build_answer(store: AnswerStore, embeds: Embeds | None, asked: Asked, situation: Situation) -> Injection:
    budgets = situation.settings.budgets
    # An agent that opens one memory wants all of it.
    usual = budgets.query_tokens if asked.id is None else budgets.most_tokens
    wanted = max(1, min(asked.budget_tokens or usual, usual) - asked.reserved_tokens)
    left = budgets.live_start_tokens - situation.live.tokens(Moment.START, Moment.ON_DEMAND)
    allowed = block_budget(wanted, budgets, window_tokens=situation.window_tokens)
    budget_tokens = min(allowed, left)
    if budget_tokens <= 0:
        return silence(Placement.ANSWER, QuietReason.CAP)
    if asked.id is not None:
        built = _answer_with_details(store, asked.id, situation, budget_tokens)
    else:
        built = _answer_with_list(store, embeds, asked, situation, budget_tokens)
    is_full = left < allowed and any(choice.verdict is Verdict.BUDGET for choice in built.choices)
    return replace(built, quiet=QuietReason.CAP) if is_full and not built.block else built


def _answer_with_list(
    store: AnswerStore, embeds: Embeds | None, asked: Asked, situation: Situation, budget_tokens: int
) -> Injection:
    budgets = situation.settings.budgets
    hits = _newest(store, asked, situation) if asked.newest else _search(store, embeds, asked, situation)
    words = frozenset(search_words(asked.query))
    usual = situation.settings.on_demand.threshold
    thresholds = {hit.memory.id: _threshold(hit, words, usual) for hit in hits}
    fitting = [hit for hit in hits if hit.relevance >= thresholds[hit.memory.id]]
    others = [hit for hit in hits if hit not in fitting]
    if asked.nearest and not fitting:
        return _answer_with_nearest(store, embeds, asked, situation, others, budget_tokens)
    disputes = Disputes(store, situation)
    fitting = disputes.add_counterparts(fitting)
    has_room_for_whole = situation.live.tokens(Moment.ON_DEMAND) + budget_tokens <= budgets.query_whole_tokens
    filled = _fill(fitting, _offer_whole if has_room_for_whole else _offer_title, situation, budget_tokens)
    if fitting and not filled.block:  # each is too long, even in short: at least titles, which can be opened
        filled = _fill(fitting, _offer_title, situation, budget_tokens)
    alone = disputes.lone_claims(fitting, filled)
    if alone:
        fitting = [hit for hit in fitting if hit.memory.id not in alone]
        filled = _fill(fitting, _offer_title, situation, budget_tokens)
    return build_injection(
        Placement.ANSWER,
        filled,
        fitting,
        budget_tokens=budget_tokens,
        considered=len(hits),
        needed=thresholds,
        refused=refuse(others, Verdict.THRESHOLD, thresholds),
    )


def _fill(
    hits: Sequence[Hit], make_offer: Callable[[Hit], BlockItem], situation: Situation, budget_tokens: int
) -> FilledBlock:
    budgets = situation.settings.budgets
    shares: dict[str, int] = {
        ScopeLevel.UNIVERSAL: budgets.query_universal_tokens,
        ScopeLevel.LANGUAGE: budgets.query_language_tokens,
        ScopeLevel.PROJECT: budgets.query_project_tokens,
    }
    offers = _offer_each(hits, make_offer, situation.live)
    return fill(offers, budget_tokens=budget_tokens, shares=shares, show_omitted_count=situation.shows_omitted_count)


def _answer_with_nearest(
    store: AnswerStore,
    embeds: Embeds | None,
    asked: Asked,
    situation: Situation,
    others: Sequence[Hit],
    budget_tokens: int,
) -> Injection:
    """The agent asked for it and nothing fits: the nearest few, in short and marked as uncertain."""
    near = list(others or _search(store, embeds, asked, situation, uncertain=True))
    best = Disputes(store, situation).add_counterparts(near[: search.MAX_NEAREST])
    filled = fill(
        [replace(one, section=UNCERTAIN) for one in _offer_each(best, _offer_title, situation.live)],
        budget_tokens=budget_tokens,
        sections=(UNCERTAIN,),
        show_omitted_count=False,
    )
    return build_injection(
        Placement.ANSWER,
        filled,
        best,
        budget_tokens=budget_tokens,
        considered=len(near),
        needed=dict.fromkeys((hit.memory.id for hit in best), situation.settings.on_demand.threshold),
        refused=refuse([hit for hit in near if hit not in best], Verdict.THRESHOLD),
    )


def _search(
    store: AnswerStore, embeds: Embeds | None, asked: Asked, situation: Situation, *, uncertain: bool = False
) -> list[Hit]:
    hits = search.recall(
        store,
        embeds,
        asked.query,
        situation.viewer,
        limit=situation.settings.turn.candidates,
        now=situation.now,
        settings=situation.settings,
        filters=asked.filters,
        look=situation.look_up_freshness,
        uncertain=uncertain,
    )
    return [hit for hit in hits if situation.may_show(hit.memory)]


def _newest(memories: FindsMemories, asked: Asked, situation: Situation) -> list[Hit]:
    kinds, scope = asked.filters.kinds, asked.filters.scope
    newest = memories.newest(situation.viewer, limit=MAX_NEWEST, kinds=sorted(kinds) or None, injectable=True)
    wanted = [memory for memory in newest if scope in (None, str(memory.scope)) and situation.may_show(memory)]
    freshness = situation.look_up_freshness(wanted)
    return [_certain_hit(memory, freshness.get(memory.id, NOT_CHECKED)) for memory in wanted]


def _certain_hit(memory: Memory, freshness: Freshness) -> Hit:
    return Hit(memory=memory, relevance=1.0, score=1.0, freshness=freshness)


def _threshold(hit: Hit, words: frozenset[str], usual: float) -> float:
    """A memory with all words of the question needs half, however long it is. Without a model it needs nothing: there,
    relevance falls with every other word of the memory."""
    if not words or not words <= word_set(hit.memory):
        return usual
    return usual / 2 if MEANING in hit.factors else 0.0


def _offer_each(hits: Sequence[Hit], make_offer: Callable[[Hit], BlockItem], live: LiveBlocks) -> list[BlockItem]:
    """A memory that is live already gets a reminder."""
    offers = []
    for hit in hits:
        make = _offer_reminder if hit.memory.id in live.memory_ids else make_offer
        offers.append(make(redact_for_block(hit)))
    return offers


def _offer_whole(hit: Hit) -> BlockItem:
    return item_for_memory(hit.memory, freshness=hit.freshness, shares=(hit.memory.scope.level,))


def _offer_reminder(hit: Hit) -> BlockItem:
    line = reminder_line_of(hit.memory)
    return BlockItem((line,), memory_id=hit.memory.id, shares=(hit.memory.scope.level,), verdict=Verdict.RECALLED)


def _offer_title(hit: Hit) -> BlockItem:
    title = index_line_of(hit.memory)
    is_whole = title == line_of(hit.memory)  # a short memory is its own title
    line = bare_line_of(hit.memory) if title is None else title
    means = Verdict.SHOWN if is_whole else Verdict.SHORT
    return BlockItem((line,), memory_id=hit.memory.id, shares=(hit.memory.scope.level,), verdict=means)


def _answer_with_details(
    store: WritesMemories, memory_id: MemoryId, situation: Situation, budget_tokens: int
) -> Injection:
    """The whole memory with as much of its evidence as fits; else as much of the memory as fits."""
    memory = find_visible(store, memory_id, situation.may_show)
    if memory is None:  # an agent gets no list of other ids
        return replace(silence(Placement.ANSWER), notice=NOT_FOUND)
    freshness = situation.look_up_freshness([memory]).get(memory.id, NOT_CHECKED)
    hit = _certain_hit(memory, freshness)
    safe = redact_for_block(hit)
    disputed = [BlockItem((item_line_of(line),), DISPUTED) for line in _disputes(store, memory, situation)]
    room_tokens = budget_tokens - _overhead_tokens(disputed)
    whole = line_of(safe.memory, safe.freshness)
    evidence: list[BlockItem] = []
    if estimate(whole) <= room_tokens:
        ways: tuple[str, ...] = (whole,)
        evidence = [BlockItem((item_line_of(said),), EVIDENCE) for said in safe.memory.evidence if visible(said)]
    else:  # no evidence: it only repeats the memory, which has more to say
        ways = tuple(filter(None, (whole, _shorten_line(safe, room_tokens))))
    filled = fill(
        [BlockItem(ways, memory_id=memory.id), *disputed, *evidence],
        budget_tokens=budget_tokens,
        sections=("", DISPUTED, EVIDENCE),
        show_omitted_count=False,
    )
    return build_injection(Placement.ANSWER, filled, [hit], budget_tokens=budget_tokens, considered=1)


def _disputes(store: WritesMemories, memory: Memory, situation: Situation) -> list[str]:
    """Say which memories it contradicts and which contradict it, as far as the model may see them."""
    known, against = find_dispute(store, memory)
    lines = []
    contradicts = _name_visible(known, situation)
    if contradicts:
        lines.append(f"It contradicts {contradicts}; the user has not decided.")
    contradicted_by = _name_visible(against, situation)
    if contradicted_by:
        lines.append(f"It is contradicted by {contradicted_by}; the user has not decided.")
    return lines


def _name_visible(memories: Sequence[Memory], situation: Situation) -> str:
    ids: list[str] = [memory.id for memory in memories if situation.may_show(memory)]
    named = ids[:MAX_DISPUTES_NAMED]
    if len(ids) > MAX_DISPUTES_NAMED:
        named.append(f"{len(ids) - MAX_DISPUTES_NAMED} more")
    return ", ".join(named)


def _overhead_tokens(offers: Sequence[BlockItem]) -> int:
    """The cost of a block with these lines, without the memory itself."""
    lines = [BlockLine(one.section, one.forms[0]) for one in offers]
    return estimate(render([BlockLine("", ""), *lines])) + len(lines) + 1


def _shorten_line(hit: Hit, room_tokens: int) -> str | None:
    """The line with as many whole sentences as fit, else words, else characters; None: nothing fits."""
    text = hit.memory.text

    def line(beginning: str) -> str:
        return line_of(replace(hit.memory, text=f"{beginning}{ELLIPSIS}"), hit.freshness)

    for parts in (sentences(text), text.split(" "), list(text)):
        glue = "" if len(parts) == len(text) else " "
        fits, breaks = 0, len(parts)  # this many parts fit; this many do not
        while breaks - fits > 1:
            middle = (fits + breaks) // 2
            if estimate(line(glue.join(parts[:middle]))) <= room_tokens:
                fits = middle
            else:
                breaks = middle
        if fits:
            return line(glue.join(parts[:fits]))
    return None
