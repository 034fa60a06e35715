"""The answer to an agent that asks by a tool: what fits its question, what was said last, or one memory with its
evidence.

After some answers in one live context, further ones are ids and titles, as is what the model has before it already; a
memory can always be opened by its id.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from recollect.domain.event import Asked
from recollect.domain.freshness import NOT_LOOKED_AT
from recollect.domain.injection import Injection, Moment, Placement, Quiet, Verdict
from recollect.domain.memory import Hit, Memory, MemoryId, ScopeLevel
from recollect.domain.search import Filters
from recollect.engine import recall
from recollect.engine.disputes import add_counterparts, lone_claims
from recollect.engine.lookup import find_visible
from recollect.engine.ports import Embeds, Store
from recollect.engine.redaction import redact_for_block
from recollect.engine.review import dispute
from recollect.engine.situation import Situation, build_injection, refuse, silence
from recollect.rank.budget import Filled, Offer, allowance, fill, offer
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
from recollect.text.sentences import MORE, sentences
from recollect.text.tokens import estimate
from recollect.text.words import word_set

EVIDENCE, DISPUTED = "Said then", "Disputed"
UNCERTAIN = "Nothing known fits; the nearest, which may be about something else"
NOT_TOLD = "There is no memory with this id that may be told; ask with words."
NAMED = 3  # of those that it disputes with
MEANING = "meaning"  # the factor that only a model can tell
NEWEST = 100  # of those that were said last, how many are looked at


def answer(store: Store, embeds: Embeds | None, asked: Asked, situation: Situation) -> Injection:
    budgets = situation.settings.budgets
    # Whoever opens one memory wants all of it.
    usual = budgets.query_tokens if asked.id is None else budgets.most_tokens
    wanted = max(1, min(asked.budget_tokens or usual, usual) - asked.reserved_tokens)
    left = budgets.live_start_tokens - situation.live.tokens(Moment.START, Moment.ON_DEMAND)
    allowed = allowance(wanted, budgets, window_tokens=situation.window_tokens)
    budget_tokens = min(allowed, left)
    if budget_tokens <= 0:
        return silence(Placement.ANSWER, Quiet.CAP)
    if asked.id is not None:
        told = _details(store, asked.id, situation, budget_tokens)
    else:
        told = _list(store, embeds, asked, situation, budget_tokens)
    is_full = left < allowed and any(choice.verdict is Verdict.BUDGET for choice in told.choices)
    return replace(told, quiet=Quiet.CAP) if is_full and not told.block else told


def _list(store: Store, embeds: Embeds | None, asked: Asked, situation: Situation, budget_tokens: int) -> Injection:
    budgets = situation.settings.budgets
    hits = _newest(store, asked, situation) if asked.newest else _hits(store, embeds, asked, situation)
    needed = situation.settings.on_demand.threshold
    words = frozenset(search_words(asked.query))
    thresholds = {hit.memory.id: _needed(hit, words, needed) for hit in hits}
    fitting = [hit for hit in hits if hit.relevance >= thresholds[hit.memory.id]]
    others = [hit for hit in hits if hit not in fitting]
    if asked.nearest and not fitting:
        return _nearest(store, embeds, asked, situation, others, budget_tokens)
    fitting = add_counterparts(fitting, situation)
    in_full = situation.live.tokens(Moment.ON_DEMAND) + budget_tokens <= budgets.query_whole_tokens
    known = situation.live.memory_ids
    shares: dict[str, int] = {
        ScopeLevel.UNIVERSAL: budgets.query_universal_tokens,
        ScopeLevel.LANGUAGE: budgets.query_language_tokens,
        ScopeLevel.PROJECT: budgets.query_project_tokens,
    }

    def filled_with(say: Callable[[Hit], Offer]) -> Filled:
        return fill(
            [(_reminder if hit.memory.id in known else say)(redact_for_block(hit)) for hit in fitting],
            budget_tokens=budget_tokens,
            shares=shares,
            counts_rest=situation.counts_rest,
        )

    filled = filled_with(_offer if in_full else _title)
    if fitting and not filled.block:  # each too long, even in short: at least what can be opened
        filled = filled_with(_title)
    alone = lone_claims(fitting, filled, situation)
    if alone:
        fitting = [hit for hit in fitting if hit.memory.id not in alone]
        filled = filled_with(_title)
    return build_injection(
        Placement.ANSWER,
        filled,
        fitting,
        budget_tokens=budget_tokens,
        considered=len(hits),
        needed=thresholds,
        refused=refuse(others, Verdict.THRESHOLD, thresholds),
    )


def _nearest(
    store: Store,
    embeds: Embeds | None,
    asked: Asked,
    situation: Situation,
    others: Sequence[Hit],
    budget_tokens: int,
) -> Injection:
    """Asked outright, and nothing fits: what comes nearest, each in short, and marked."""
    near = list(others or _hits(store, embeds, asked, situation, uncertain=True))
    best = add_counterparts(near[: recall.MAX_NEAREST], situation)
    filled = fill(
        [
            replace(
                (_reminder if hit.memory.id in situation.live.memory_ids else _title)(redact_for_block(hit)),
                section=UNCERTAIN,
            )
            for hit in best
        ],
        budget_tokens=budget_tokens,
        sections=(UNCERTAIN,),
        counts_rest=False,
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


def _hits(
    store: Store, embeds: Embeds | None, asked: Asked, situation: Situation, *, uncertain: bool = False
) -> list[Hit]:
    """What an agent asks for is put in front of a model: only what may be."""
    known = recall.recall(
        store,
        embeds,
        asked.query,
        situation.viewer,
        limit=situation.settings.turn.candidates,
        now=situation.now,
        settings=situation.settings,
        filters=Filters(kinds=asked.kinds, scope=asked.scope),
        look=situation.look_up_freshness,
        uncertain=uncertain,
    )
    return [hit for hit in known if situation.may_show(hit.memory)]


def _newest(store: Store, asked: Asked, situation: Situation) -> list[Hit]:
    """Whatever is listed fits."""
    kinds = sorted(asked.kinds) or None
    known = store.newest(situation.viewer, limit=NEWEST, kinds=kinds, injectable=True)
    wanted = [memory for memory in known if asked.scope in (None, memory.scope) and situation.may_show(memory)]
    seen = situation.look_up_freshness(wanted)
    return [
        Hit(memory=memory, relevance=1.0, score=1.0, freshness=seen.get(memory.id, NOT_LOOKED_AT)) for memory in wanted
    ]


def _needed(hit: Hit, words: frozenset[str], usual: float) -> float:
    """Whoever asks with a word or two means what has them all, however long it is: half is enough then, and without a
    model, where relevance falls with every word that was not asked for, nothing more."""
    if not words or not words <= word_set(hit.memory):
        return usual
    return usual / 2 if MEANING in hit.factors else 0.0


def _offer(hit: Hit) -> Offer:
    return offer(hit.memory, freshness=hit.freshness, shares=(hit.memory.scope.level,))


def _reminder(hit: Hit) -> Offer:
    line = reminder_line_of(hit.memory)
    return Offer((line,), memory=hit.memory.id, shares=(hit.memory.scope.level,), means=Verdict.RECALLED)


def _title(hit: Hit) -> Offer:
    """What is short enough to be its own title is told whole by it."""
    named = index_line_of(hit.memory)
    means = Verdict.SHOWN if named == line_of(hit.memory) else Verdict.SHORT
    line = bare_line_of(hit.memory) if named is None else named
    return Offer((line,), memory=hit.memory.id, shares=(hit.memory.scope.level,), means=means)


def _details(store: Store, memory_id: MemoryId, situation: Situation, budget_tokens: int) -> Injection:
    """The whole memory with the sentences it was taken from, as many as fit; else as much of it as fits."""
    memory = find_visible(store, memory_id, situation.may_show)
    if memory is None:  # an agent gets no list of what else there is
        return replace(silence(Placement.ANSWER), notice=NOT_TOLD)
    hit = Hit(memory=memory, relevance=1.0, score=1.0)
    seen = situation.look_up_freshness([memory])
    if memory.id in seen:
        hit = replace(hit, freshness=seen[memory.id])
    safe = redact_for_block(hit)
    disputed = [Offer((item_line_of(line),), DISPUTED) for line in _disputes(store, memory, situation)]
    room = budget_tokens - _overhead(disputed)
    cut = _beginning(safe, room)
    whole = Offer((line_of(safe.memory, safe.freshness), *([] if cut is None else [cut])), memory=memory.id)
    said: Sequence[Offer] = [
        Offer((item_line_of(sentence),), EVIDENCE) for sentence in safe.memory.evidence if visible(sentence)
    ]
    if estimate(whole.ways[0]) > room:
        said = []  # it repeats the memory, which has more to say
    filled = fill(
        [whole, *disputed, *said],
        budget_tokens=budget_tokens,
        sections=("", DISPUTED, EVIDENCE),
        counts_rest=False,
    )
    return build_injection(Placement.ANSWER, filled, [hit], budget_tokens=budget_tokens, considered=1)


def _disputes(store: Store, memory: Memory, situation: Situation) -> list[str]:
    """What it contradicts and what contradicts it, as far as that may be told."""
    case, against = dispute(store, memory)
    contradicts, contradicted = (
        _named([other.id for other in others if situation.may_show(other)]) for others in (case.against, against)
    )
    return [
        *([f"It contradicts {contradicts}; the user has not decided."] if contradicts else []),
        *([f"It is contradicted by {contradicted}; the user has not decided."] if contradicted else []),
    ]


def _named(ids: Sequence[MemoryId]) -> str:
    more = [f"{len(ids) - NAMED} more"] if len(ids) > NAMED else []
    return ", ".join([*ids[:NAMED], *more])


def _overhead(besides: Sequence[Offer]) -> int:
    """Of a block, with these lines in it beside the memory."""
    lines = [BlockLine(offer.section, offer.ways[0]) for offer in besides]
    return estimate(render([BlockLine("", ""), *lines])) + len(lines) + 1


def _beginning(hit: Hit, room_tokens: int) -> str | None:
    """As many whole sentences as fit, at least words. None: nothing has to be cut, or nothing fits."""
    memory = hit.memory

    def line(text: str) -> str:
        return line_of(replace(memory, text=f"{text}{MORE}"), hit.freshness)

    if estimate(line_of(memory, hit.freshness)) <= room_tokens:
        return None
    for parts in (sentences(memory.text), memory.text.split(" "), list(memory.text)):
        glue = "" if len(parts) == len(memory.text) else " "
        fits, breaks = 0, len(parts)  # so many parts fit, so many do not
        while breaks - fits > 1:
            middle = (fits + breaks) // 2
            if estimate(line(glue.join(parts[:middle]))) <= room_tokens:
                fits = middle
            else:
                breaks = middle
        if fits:
            return line(glue.join(parts[:fits]))
    return None
