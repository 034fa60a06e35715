"""The turn block: the few memories that fit this prompt and are not in front of the model yet, or silence."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from recollect.capture.happened.choices import is_choice
from recollect.domain.injection import Choice, Injection, Moment, Placement, Quiet, Verdict
from recollect.domain.memory import Hit, Memory, MemoryId, Role, Tier, Viewer
from recollect.domain.search import FoundMemory
from recollect.domain.settings import Settings
from recollect.engine.anchoring import settled
from recollect.engine.corrections import Correction
from recollect.engine.disputes import leave_out_lone_claims, lone_claims
from recollect.engine.ports import Embeds, FindsMemories, KeepsMemories, KeepsTurns
from recollect.engine.quotes import quote_answers
from recollect.engine.recall import embed_query, weigh
from recollect.engine.redaction import redact_for_block
from recollect.engine.situation import MAX_LOGGED_REFUSALS, Situation, build_injection, refuse, silence
from recollect.rank.budget import Filled, Offer, allowance, favouring, fill, first_of_each_kind, offer
from recollect.rank.score import favoured, with_use
from recollect.text.asking import PromptPurpose, asking, points_back, typed
from recollect.text.block import with_lines
from recollect.text.intent import intent
from recollect.text.meaning import project_words
from recollect.text.naming import said
from recollect.text.query import asks_something, content_words
from recollect.text.tokens import estimate

TAKEN_FIRST = 0.70  # relevance above which a hit comes before all others, whatever its age; unless it is stale
DOUBTFUL = "doubtful"  # the share of the budget for the others
MAX_PROMPT_CHARS = 20_000  # people say first what they want, and paste after it
MAX_ESTIMATED_CHARS = 10_000
FENCE_TOKENS = 25  # around a block that has nothing but quotes


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptHits:
    """What a prompt found: what fits, the best first, and what does not, with the reason."""

    fitting: tuple[Hit, ...] = ()
    refused: tuple[Choice, ...] = ()
    considered: int = 0


class TurnStore(FindsMemories, KeepsMemories, KeepsTurns, Protocol):
    """Memories, and what was said in sessions."""


def answer(
    memories: TurnStore,
    embeds: Embeds | None,
    prompt: str,
    situation: Situation,
    corrections: Sequence[Correction] = (),
) -> Injection:
    settings = situation.settings
    budgets = settings.budgets
    asked = typed(prompt[:MAX_PROMPT_CHARS])
    words = content_words(asked)
    kind = asking(asked)
    if kind is PromptPurpose.NOTHING and not corrections:
        return silence(Placement.MESSAGE, Quiet.OWN_CONTEXT)
    if not words and not corrections:
        return silence(Placement.MESSAGE, Quiet.IDLE)
    left = budgets.live_turn_tokens - situation.live.tokens(Moment.PROMPT, Moment.TOOL_ERROR)
    allowed = allowance(
        budgets.turn_tokens, budgets, prompt_tokens=prompt_tokens(prompt), window_tokens=situation.window_tokens
    )
    budget_tokens = min(allowed, left)
    if budget_tokens <= 0:
        return silence(Placement.MESSAGE, Quiet.CAP)
    by_name_only = not asks_something(asked, min_chars=settings.turn.min_prompt_chars)
    found = (
        find_fitting(memories, embeds, asked, words, situation, by_name_only=by_name_only) if words else PromptHits()
    )
    if not found.fitting and not corrections and by_name_only:
        return silence(Placement.MESSAGE, Quiet.IDLE)
    lines = budgets.turn_lines_later if situation.live.has_prompts else budgets.turn_lines_first
    told = {correction.offer.memory for correction in corrections}
    hits = _ordered([hit for hit in found.fitting if hit.memory.id not in told], situation, lines)
    filled = _filled(hits, corrections, situation, budget_tokens, lines)
    alone = lone_claims(hits, filled, situation)
    if alone:
        hits = [hit for hit in hits if hit.memory.id not in alone]
        filled = _filled(hits, corrections, situation, budget_tokens, lines)
    block = build_injection(
        Placement.MESSAGE,
        filled,
        hits,
        budget_tokens=budget_tokens,
        considered=found.considered + len(corrections),
        needed=_needed(found.fitting, situation),
        refused=[choice for choice in found.refused if choice.id not in told],
    )
    corrected = [old for one in corrections if one.is_in(filled.block) for old in one.old]
    told_of = replace(block, corrected=tuple(corrected))
    return told_of if by_name_only else _with_quotes(told_of, memories, embeds, asked, situation, kind)


def _filled(
    hits: Sequence[Hit], corrections: Sequence[Correction], situation: Situation, budget_tokens: int, lines: int
) -> Filled:
    budgets = situation.settings.budgets
    scale = budget_tokens / max(1, budgets.turn_tokens)
    return fill(
        [*(correction.offer for correction in corrections), *map(_offer, map(redact_for_block, hits))],
        budget_tokens=budget_tokens,
        shares={DOUBTFUL: int(budgets.turn_doubtful_tokens * scale)},
        max_lines=lines + len(corrections),
        counts_rest=situation.counts_rest,
        flows=False,
    )


def _with_quotes(
    block: Injection, store: TurnStore, embeds: Embeds | None, prompt: str, situation: Situation, kind: PromptPurpose
) -> Injection:
    """To a question, where memories leave room: what was said in earlier sessions. In the middle of a session questions
    are about what it does, unless they point further back."""
    settings, budgets = situation.settings, situation.settings.budgets
    if kind is not PromptPurpose.QUESTION or not settings.turn.quotes or settings.archive.days <= 0:
        return block
    if situation.live.has_prompts and not points_back(prompt):
        return block
    # Half of what may be in front of the model is left to the memories of later prompts.
    live = budgets.live_turn_tokens // 2 - situation.live.tokens(Moment.PROMPT, Moment.TOOL_ERROR)
    room = min(block.budget_tokens, budgets.turn_quote_tokens, live) - (block.tokens or FENCE_TOKENS)
    found = quote_answers(store, embeds, prompt, situation, budget_tokens=room, beside=block.block)
    text = with_lines(block.block, found.lines)
    tokens = estimate(text)
    if not found.lines or tokens > block.budget_tokens:  # lines were counted one by one
        return block
    return replace(block, block=text, tokens=tokens, quoted=found.turns)


def find_fitting(
    memories: FindsMemories,
    embeds: Embeds | None,
    prompt: str,
    content: Sequence[str],
    situation: Situation,
    *,
    by_name_only: bool,
) -> PromptHits:
    """`by_name_only`: so few words ask only for what they call by its name."""
    settings, viewer = situation.settings, situation.viewer
    words = _words(content, viewer)
    sighting = memories.look_up(words, viewer, injectable=True)
    asked = embed_query(embeds, prompt, sighting.occurrences, sighting.memories, viewer.project)
    found = memories.search(sighting, asked, limit=settings.turn.candidates)
    about = intent(prompt, situation.recent_files)
    heard = said(prompt, without=project_words(viewer.project or ""))

    def weighed_of(some: Sequence[FoundMemory]) -> list[Hit]:
        model = embeds if asked is not None else None
        weighs = weigh(
            some, words, heard, sighting, settings.turn, about, embeds=model, now=situation.now, settings=settings
        )
        return _by_use(weighs, settings)

    may_be = [(one, _kept_back(one.memory, situation)) for one in found if situation.may_show(one.memory)]
    hits = weighed_of([one for one, why_not in may_be if why_not is None])
    # Apart from the others, which must not depend on them: only the log has these.
    kept_back = weighed_of([one for one, why_not in may_be if why_not is not None])
    shown = situation.live.memory_ids
    new = [
        hit
        for hit in hits
        if hit.memory.id not in shown
        and (hit.factors["named"] or not by_name_only)
        and _is_surely_meant(hit, asking(prompt))
    ]
    needed = _needed(hits, situation)
    passing = [
        hit for hit in new if hit.relevance >= needed[hit.memory.id] and settings.kinds.injected[hit.memory.kind]
    ]
    best = max((hit.relevance for hit in passing), default=0.0)
    # What is called by its name is asked for, however well something else fits that was named beside it.
    near = [hit for hit in passing if hit.factors["named"] or hit.relevance >= best * settings.turn.relative_cut]
    return PromptHits(
        fitting=tuple(settled(near, len(near), situation.look_up_freshness, settings.stale)),
        refused=(*_not_offered(kept_back, situation), *_refused(hits, near, situation, needed)),
        considered=len(found),
    )


def _kept_back(memory: Memory, situation: Situation) -> Verdict | None:
    """Why it is not offered, whatever is asked; None: it may be."""
    if situation.is_said_here(memory):
        return Verdict.HEARD
    return Verdict.CANDIDATE if memory.tier is Tier.CANDIDATE else None


def _is_surely_meant(hit: Hit, kind: PromptPurpose) -> bool:
    """Whether more than a likeness speaks for it, where that is needed. A command that worked or an error that was
    fixed is told at the start and when a tool fails; a prompt has to call it by its name. A choice about one detail
    shares words with every task near it."""
    memory = hit.memory
    has_happened = memory.rules is not None and memory.source.role is not Role.USER
    if hit.factors["named"] or not (has_happened or is_choice(memory)):
        return True
    return not has_happened and (kind is PromptPurpose.QUESTION or hit.relevance > TAKEN_FIRST)


def _not_offered(hits: Sequence[Hit], situation: Situation) -> list[Choice]:
    """Of what would have been relevant enough, why it was not."""
    needed = _needed(hits, situation)
    fitting = [hit for hit in hits if hit.relevance >= needed[hit.memory.id]]
    verdicts = [(hit, _kept_back(hit.memory, situation)) for hit in fitting[:MAX_LOGGED_REFUSALS]]
    return [choice for hit, verdict in verdicts if verdict for choice in refuse([hit], verdict, needed)]


def _by_use(hits: Sequence[Hit], settings: Settings) -> list[Hit]:
    """What replies took something from stands higher; relevance stays as it is."""
    told = [(hit, *with_use(hit.score, dict(hit.factors), hit.memory.use, settings.loop)) for hit in hits]
    by_use = [replace(hit, score=score, factors=factors) for hit, score, factors in told]
    return sorted(by_use, key=lambda hit: -hit.score)  # stable: equal ones keep their order


def prompt_tokens(prompt: str) -> int:
    """About: of a long one, a part is counted."""
    counted = prompt[:MAX_ESTIMATED_CHARS]
    return estimate(counted) * len(prompt) // max(1, len(counted))


def _needed(hits: Collection[Hit], situation: Situation) -> dict[MemoryId, float]:
    """The relevance that each has to reach: more after the first prompt."""
    settings = situation.settings
    raised = settings.turn.later_threshold if situation.live.has_prompts else 0.0
    return {hit.memory.id: settings.kinds.threshold[hit.memory.kind] + raised for hit in hits}


def _refused(
    hits: Sequence[Hit], near: Sequence[Hit], situation: Situation, needed: dict[MemoryId, float]
) -> list[Choice]:
    """The best of them: of no more the reasons are kept."""
    fitting = {hit.memory.id for hit in near}
    shown = situation.live.memory_ids
    best = sorted(hits, key=lambda hit: (-hit.relevance, hit.memory.id))
    return [
        choice
        for hit in [hit for hit in best if hit.memory.id not in fitting][:MAX_LOGGED_REFUSALS]
        for choice in refuse([hit], _why_not(hit, situation, shown, needed[hit.memory.id]), needed)
    ]


def _why_not(hit: Hit, situation: Situation, shown: Collection[MemoryId], needed: float) -> Verdict:
    if hit.relevance < needed:
        return Verdict.THRESHOLD
    if hit.memory.id in shown:
        return Verdict.LIVE
    return Verdict.CUT if situation.settings.kinds.injected[hit.memory.kind] else Verdict.SWITCHED_OFF


def _words(asked: Sequence[str], viewer: Viewer) -> Sequence[str]:
    """Without the name of the project, which every prompt here may say."""
    here = project_words(viewer.project or "")
    return [word for word in asked if word not in here] or asked


def _ordered(hits: Sequence[Hit], situation: Situation, lines: int) -> list[Hit]:
    """What is surely meant before what may be; in both, the best of each kind first, and what helps the agent."""
    sure = [hit for hit in hits if _is_sure(hit)]
    doubtful = [hit for hit in hits if not _is_sure(hit)]
    kinds = favoured(situation.agent)
    most = int(situation.settings.turn.favoured_share * lines)
    parts = (favouring(first_of_each_kind(part), kinds, most) for part in (sure, doubtful))
    return leave_out_lone_claims([hit for part in parts for hit in part], situation)


def _is_sure(hit: Hit) -> bool:
    return hit.relevance > TAKEN_FIRST and not hit.freshness.is_stale


def _offer(hit: Hit) -> Offer:
    return offer(hit.memory, freshness=hit.freshness, shares=() if _is_sure(hit) else (DOUBTFUL,))
