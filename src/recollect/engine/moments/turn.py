"""The moment of a prompt: the turn block has the few memories that fit it and are not in the live context yet, or there is
silence."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from recollect.capture.happened.choices import is_choice
from recollect.domain.event import Prompt
from recollect.domain.injection import Choice, Injection, LogEntry, Moment, Placement, QuietReason, Verdict
from recollect.domain.memory import Hit, Memory, MemoryId, Role, Tier, Viewer
from recollect.domain.search import FoundMemory, Meaning
from recollect.domain.session import Session
from recollect.domain.settings import Loop, TurnPlacement
from recollect.engine.anchoring import demote_stale
from recollect.engine.context import Context
from recollect.engine.learning.inbox import is_host_generated
from recollect.engine.moments import session_state, usage
from recollect.engine.moments.corrections import Correction, find_corrections
from recollect.engine.moments.disputes import Disputes
from recollect.engine.moments.injections import MAX_LOGGED_REFUSALS, build_choice, build_injection, silence
from recollect.engine.moments.quotes import quote_answers
from recollect.engine.moments.sent_log import record, replay_injection
from recollect.engine.moments.situation import (
    LiveBlocks,
    Situation,
    find_quiet_reason,
    find_situation,
    load_live,
    load_live_context,
)
from recollect.engine.moments.start import build_start
from recollect.engine.ports import Embeds, FindsMemories, KeepsMemories, KeepsTurns
from recollect.engine.redaction import redact_for_block
from recollect.engine.search import MemoryQuery, embed_query, weigh
from recollect.rank.budget import (
    BlockItem,
    FilledBlock,
    block_budget,
    fill,
    item_for_memory,
    put_first_of_each_kind_first,
    put_kinds_first,
)
from recollect.rank.score import apply_use, kinds_for_agent
from recollect.text.asking import PromptPurpose, prompt_purpose, refers_to_earlier_work, without_host_tags
from recollect.text.block import with_lines
from recollect.text.embedding_text import project_words
from recollect.text.intent import intent
from recollect.text.naming import read_prompt_words
from recollect.text.optout import find_opt_out, without_markers
from recollect.text.query import asks_something, content_words
from recollect.text.tokens import estimate

SURE_RELEVANCE = 0.70  # hits above it are sure: they come first, whatever their age, unless they are stale
DOUBTFUL_SHARE = "doubtful"  # the name of the budget share for hits that are not sure
MAX_PROMPT_CHARS = 20_000  # people say first what they want, and paste after it
MAX_ESTIMATED_CHARS = 10_000
RECENT_PROMPT_CHARS = 2000
EMPTY_BLOCK_TOKENS = 25  # of the fence around a block of quotes alone


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptHits:
    fitting: tuple[Hit, ...] = ()  # best first
    refused: tuple[Choice, ...] = ()
    considered: int = 0
    meaning: Meaning | None = None  # of the prompt


class TurnStore(FindsMemories, KeepsMemories, KeepsTurns, Protocol): ...


def answer(ctx: Context, session: Session, event: Prompt, sent: LogEntry | None) -> Injection:
    """Answer a prompt with a block or with silence. `sent`: what the message was sent with, if the host asks again."""
    if sent is not None:
        return replay_injection(sent, event)
    started_s = ctx.seconds()
    opt_out = find_opt_out(event.text)
    if opt_out.session:
        session = session_state.apply_opt_outs(
            ctx.store, session, recalls=not opt_out.recall_session, captures=not opt_out.capture_session
        )
    quiet = find_quiet_reason(ctx, session, enabled=ctx.settings.turn.enabled)
    if opt_out.recall and not ctx.answers_paused:
        quiet = QuietReason.OPTED_OUT
    if quiet is None and is_host_generated(event):
        quiet = QuietReason.IDLE
    if not ctx.answers_paused:
        ctx.live.prompts.note(session.id, event.text[:RECENT_PROMPT_CHARS])
    if quiet is not None:
        injection = silence(Placement.MESSAGE, quiet)
    elif ctx.settings.inject.placement is TurnPlacement.SYSTEM:
        injection = _build_system_block(ctx, session, event)
    else:
        situation = find_situation(ctx, session, event, load_live_context(ctx, session, event))
        corrections = find_corrections(ctx.store, situation)
        injection = build_turn_block(ctx.store, ctx.model(), without_markers(event.text), situation, corrections)
    recorded = record(ctx, session, event.message, injection, event, started_s, Moment.PROMPT)
    if ctx.settings.loop.enabled and not ctx.answers_paused:
        usage.note_prompt(ctx, session.id, event.text[:RECENT_PROMPT_CHARS], recorded.ids)
    return recorded


def _build_system_block(ctx: Context, session: Session, event: Prompt) -> Injection:
    """Build one block for the system prompt. It replaces that of the last prompt, whose memories may be shown again."""
    from_tools = load_live(ctx.store, session, event.live).from_tools
    start = build_start(ctx, session, event, from_tools)
    sent_start = LogEntry(
        session=session.id,
        context=session.context,
        message=None,
        injection=start,
        at=event.at,
        took_ms=0.0,
        point=Moment.START,
    )
    situation = find_situation(ctx, session, event, LiveBlocks((sent_start, *from_tools.sent)))
    fitting = build_turn_block(ctx.store, ctx.model(), without_markers(event.text), situation)
    block = "\n".join(filter(None, [start.block, fitting.block]))
    return replace(
        fitting,
        placement=Placement.SYSTEM,
        block=block,
        tokens=estimate(block),
        budget_tokens=start.budget_tokens + fitting.budget_tokens,
        ids=(*start.ids, *fitting.ids),
        considered=max(start.considered, fitting.considered),
        choices=(*fitting.choices, *start.choices),
        quiet=None if block else fitting.quiet,
    )


def build_turn_block(
    store: TurnStore,
    embeds: Embeds | None,
    prompt: str,
    situation: Situation,
    corrections: Sequence[Correction] = (),
) -> Injection:
    """Build the block with the memories, corrections and quotes that fit a prompt, or say why there is none."""
    settings = situation.settings
    budgets = settings.budgets
    prompt_text = without_host_tags(prompt[:MAX_PROMPT_CHARS])
    words = content_words(prompt_text)
    purpose = prompt_purpose(prompt_text)
    if purpose is PromptPurpose.NOTHING and not corrections:
        return silence(Placement.MESSAGE, QuietReason.OWN_CONTEXT)
    if not words and not corrections:
        return silence(Placement.MESSAGE, QuietReason.IDLE)
    remaining_tokens = budgets.live_turn_tokens - situation.live.tokens(Moment.PROMPT, Moment.TOOL_ERROR)
    allowed = block_budget(
        budgets.turn_tokens, budgets, prompt_tokens=_prompt_tokens(prompt), window_tokens=situation.window_tokens
    )
    budget_tokens = min(allowed, remaining_tokens)
    if budget_tokens <= 0:
        return silence(Placement.MESSAGE, QuietReason.CAP)
    by_name_only = not asks_something(prompt_text, min_chars=settings.turn.min_prompt_chars)
    found = PromptHits()
    if words:
        found = _find_fitting(store, embeds, prompt_text, words, situation, purpose, by_name_only=by_name_only)
    if not found.fitting and not corrections and by_name_only:
        return silence(Placement.MESSAGE, QuietReason.IDLE)
    injection = _build_injection(found, corrections, situation, Disputes(store, situation), budget_tokens)
    if by_name_only or purpose is not PromptPurpose.QUESTION:
        return injection
    return _add_quotes(injection, store, embeds, prompt_text, situation, found.meaning)


def _build_injection(
    found: PromptHits,
    corrections: Sequence[Correction],
    situation: Situation,
    disputes: Disputes,
    budget_tokens: int,
) -> Injection:
    if not (found.fitting or corrections):
        refused = found.refused[:MAX_LOGGED_REFUSALS]
        return Injection(
            placement=Placement.MESSAGE, budget_tokens=budget_tokens, considered=found.considered, choices=refused
        )
    budgets = situation.settings.budgets
    max_lines = budgets.turn_lines_later if situation.live.has_prompts else budgets.turn_lines_first
    corrected_to = {correction.offer.memory_id for correction in corrections}
    hits = [hit for hit in found.fitting if hit.memory.id not in corrected_to]
    hits = disputes.leave_out_lone_claims(_order(hits, situation, max_lines))
    filled = _fill(hits, corrections, situation, budget_tokens, max_lines)
    one_sided = disputes.lone_claims(hits, filled)
    if one_sided:
        hits = [hit for hit in hits if hit.memory.id not in one_sided]
        filled = _fill(hits, corrections, situation, budget_tokens, max_lines)
    injection = build_injection(
        Placement.MESSAGE,
        filled,
        hits,
        budget_tokens=budget_tokens,
        considered=found.considered + len(corrections),
        needed=_thresholds(found.fitting, situation),
        refused=[choice for choice in found.refused if choice.id not in corrected_to],
    )
    corrected: list[MemoryId] = []
    for correction in corrections:
        if correction.is_in(filled.block):
            corrected.extend(correction.old)
    return replace(injection, corrected=tuple(corrected))


def _fill(
    hits: Sequence[Hit], corrections: Sequence[Correction], situation: Situation, budget_tokens: int, max_lines: int
) -> FilledBlock:
    budgets = situation.settings.budgets
    scale = budget_tokens / max(1, budgets.turn_tokens)
    return fill(
        [*(correction.offer for correction in corrections), *map(_offer, map(redact_for_block, hits))],
        budget_tokens=budget_tokens,
        shares={DOUBTFUL_SHARE: int(budgets.turn_doubtful_tokens * scale)},
        max_lines=max_lines + len(corrections),
        show_omitted_count=situation.shows_omitted_count,
        share_leftovers=False,
    )


def _add_quotes(
    injection: Injection,
    store: TurnStore,
    embeds: Embeds | None,
    prompt: str,
    situation: Situation,
    meaning: Meaning | None,
) -> Injection:
    """Add quotes of earlier sessions to the block on a question, where memories leave room."""
    settings, budgets = situation.settings, situation.settings.budgets
    if not settings.turn.quotes or settings.archive.days <= 0:
        return injection
    # In the middle of a session questions are about its own work, unless they point further back.
    if situation.live.has_prompts and not refers_to_earlier_work(prompt):
        return injection
    # Half of the live budget is left to the memories of later prompts.
    live_tokens = budgets.live_turn_tokens // 2 - situation.live.tokens(Moment.PROMPT, Moment.TOOL_ERROR)
    room_tokens = min(injection.budget_tokens, budgets.turn_quote_tokens, live_tokens) - (
        injection.tokens or EMPTY_BLOCK_TOKENS
    )
    found = quote_answers(
        store, embeds, prompt, situation, meaning=meaning, budget_tokens=room_tokens, beside=injection.block
    )
    text = with_lines(injection.block, found.lines)
    tokens = estimate(text)
    if not found.lines or tokens > injection.budget_tokens:  # the lines alone cost less
        return injection
    return replace(injection, block=text, tokens=tokens, quoted=found.turns)


def _find_fitting(
    store: FindsMemories,
    embeds: Embeds | None,
    prompt: str,
    prompt_content: Sequence[str],
    situation: Situation,
    purpose: PromptPurpose,
    *,
    by_name_only: bool,
) -> PromptHits:
    """Find what fits the prompt. `by_name_only`: the prompt is so short that only memories that it names can fit."""
    settings, viewer = situation.settings, situation.viewer
    words = _without_project_name(prompt_content, viewer)
    matches = store.look_up(words, viewer, injectable=True)
    meaning = embed_query(embeds, prompt, matches.occurrences, matches.memories, viewer.project)
    found = store.search(matches, meaning, limit=settings.turn.candidates)
    if not found:
        return PromptHits(meaning=meaning)
    question = MemoryQuery(
        words=words,
        spoken=read_prompt_words(prompt, without=project_words(viewer.project or "")),
        matches=matches,
        meaning=meaning,
        embeds=embeds,
        intent=intent(prompt, situation.recent_files),
    )

    def weigh_all(some: Sequence[FoundMemory]) -> list[Hit]:
        return _adjust_by_usage(weigh(question, some, settings.turn, settings.kinds, situation.now), settings.loop)

    allowed = [one for one in found if situation.may_show(one.memory)]
    withheld = [one for one in allowed if _withholding_reason(one.memory, situation) is not None]
    hits = weigh_all([one for one in allowed if _withholding_reason(one.memory, situation) is None])
    # Score these apart: their names must not change which typing errors are corrected. Only the log gets them.
    not_offered = _withheld_choices(weigh_all(withheld), situation)
    needed = _thresholds(hits, situation)

    def is_fitting(hit: Hit) -> bool:
        return (
            hit.memory.id not in situation.live.memory_ids
            and hit.relevance >= needed[hit.memory.id]
            and settings.kinds.injected[hit.memory.kind]
            and bool(hit.factors["named"] or not by_name_only)
            and _is_specific_enough(hit, purpose)
        )

    fitting = list(filter(is_fitting, hits))
    best = max((hit.relevance for hit in fitting), default=0.0)
    # The prompt asks for what it names, however well another memory fits.
    near = [hit for hit in fitting if hit.factors["named"] or hit.relevance >= best * settings.turn.relative_cut]
    return PromptHits(
        fitting=tuple(demote_stale(near, len(near), situation.look_up_freshness, settings.stale)),
        refused=(*not_offered, *_not_fitting_choices(hits, near, situation, needed)),
        considered=len(found),
        meaning=meaning,
    )


def _withholding_reason(memory: Memory, situation: Situation) -> Verdict | None:
    """Return why the memory is not offered on any prompt; None: it may be."""
    if situation.is_said_here(memory):
        return Verdict.HEARD
    return Verdict.CANDIDATE if memory.tier is Tier.CANDIDATE else None


def _is_specific_enough(hit: Hit, purpose: PromptPurpose) -> bool:
    """A captured command or fix is shown at the start and when a tool fails; a prompt must name it. A choice about one
    detail shares words with every task near it, so a similar prompt is not enough."""
    memory = hit.memory
    is_captured_work = memory.rules is not None and memory.source.role is not Role.USER
    if hit.factors["named"] or not (is_captured_work or is_choice(memory)):
        return True
    return not is_captured_work and (purpose is PromptPurpose.QUESTION or hit.relevance > SURE_RELEVANCE)


def _withheld_choices(hits: Sequence[Hit], situation: Situation) -> list[Choice]:
    """Log the withheld memories that would have been relevant enough."""
    needed = _thresholds(hits, situation)
    relevant = [hit for hit in hits if hit.relevance >= needed[hit.memory.id]]
    choices = []
    for hit in relevant[:MAX_LOGGED_REFUSALS]:
        verdict = _withholding_reason(hit.memory, situation)
        if verdict is not None:
            choices.append(build_choice(hit, verdict, needed[hit.memory.id]))
    return choices


def _adjust_by_usage(hits: Sequence[Hit], loop: Loop) -> list[Hit]:
    """Rank higher what replies used; the relevance stays as it is."""
    ranked = []
    for hit in hits:
        score, factors = apply_use(hit.score, dict(hit.factors), hit.memory.use, loop)
        ranked.append(replace(hit, score=score, factors=factors))
    return sorted(ranked, key=lambda hit: -hit.score)  # stable: equal ones keep their order


def _prompt_tokens(prompt: str) -> int:
    """An estimate: only the beginning of a long prompt is counted."""
    counted = prompt[:MAX_ESTIMATED_CHARS]
    return estimate(counted) * len(prompt) // max(1, len(counted))


def _thresholds(hits: Collection[Hit], situation: Situation) -> dict[MemoryId, float]:
    """The relevance that each memory must reach: more after the first prompt."""
    settings = situation.settings
    raised = settings.turn.later_threshold if situation.live.has_prompts else 0.0
    return {hit.memory.id: settings.kinds.threshold[hit.memory.kind] + raised for hit in hits}


def _not_fitting_choices(
    hits: Sequence[Hit], near: Sequence[Hit], situation: Situation, needed: dict[MemoryId, float]
) -> list[Choice]:
    """Log the best of the hits that do not fit."""
    fitting = {hit.memory.id for hit in near}
    others = [hit for hit in hits if hit.memory.id not in fitting]
    others.sort(key=lambda hit: (-hit.relevance, hit.memory.id))
    choices = []
    for hit in others[:MAX_LOGGED_REFUSALS]:
        threshold = needed[hit.memory.id]
        choices.append(build_choice(hit, _verdict_for(hit, situation, threshold), threshold))
    return choices


def _verdict_for(hit: Hit, situation: Situation, needed: float) -> Verdict:
    if hit.relevance < needed:
        return Verdict.THRESHOLD
    if hit.memory.id in situation.live.memory_ids:
        return Verdict.LIVE
    return Verdict.CUT if situation.settings.kinds.injected[hit.memory.kind] else Verdict.SWITCHED_OFF


def _without_project_name(words: Sequence[str], viewer: Viewer) -> Sequence[str]:
    """Every prompt in a project may say the project's name."""
    here = project_words(viewer.project or "")
    return [word for word in words if word not in here] or words


def _order(hits: Sequence[Hit], situation: Situation, max_lines: int) -> list[Hit]:
    """Sure hits before doubtful ones; in both, the best of each kind and the kinds that help the agent first."""
    kinds = kinds_for_agent(situation.agent)
    max_favoured = int(situation.settings.turn.favoured_share * max_lines)
    sure = [hit for hit in hits if _is_sure(hit)]
    doubtful = [hit for hit in hits if not _is_sure(hit)]
    ordered: list[Hit] = []
    for part in (sure, doubtful):
        ordered.extend(put_kinds_first(put_first_of_each_kind_first(part), kinds, max_favoured))
    return ordered


def _is_sure(hit: Hit) -> bool:
    return hit.relevance > SURE_RELEVANCE and not hit.freshness.is_stale


def _offer(hit: Hit) -> BlockItem:
    return item_for_memory(hit.memory, freshness=hit.freshness, shares=() if _is_sure(hit) else (DOUBTFUL_SHARE,))
