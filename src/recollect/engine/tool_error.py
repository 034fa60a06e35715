"""The block on a tool that failed: this error is known, and what helped. An error that is new brings nothing."""

from collections.abc import Sequence
from functools import lru_cache

from recollect.domain.injection import Choice, Injection, Placement, Point, Quiet, Verdict
from recollect.domain.memory import Hit, Kind, Memory, MemoryId
from recollect.domain.search import Filters
from recollect.engine.admission import is_ignored
from recollect.engine.anchoring import settled
from recollect.engine.ports import Embeds, FindsMemories
from recollect.engine.recall import meaning, weigh
from recollect.engine.showing import for_block
from recollect.engine.situation import Situation, injection, refused, silence
from recollect.privacy.visibility import may_inject
from recollect.rank.budget import Offer, allowance, fill
from recollect.rank.conflicts import newest_first
from recollect.text.block import error_line_of, short_line_of
from recollect.text.intent import Intent, Task
from recollect.text.query import content_words
from recollect.text.signature import Signature, signature
from recollect.text.words import word_set

SECTION = "This error is known"
KNOWN = frozenset({Kind.ERROR_PATTERN})
CANDIDATES = 30


def answer(memories: FindsMemories, embeds: Embeds | None, error: str, situation: Situation) -> Injection:
    settings = situation.settings
    budgets = settings.budgets
    sign = signature(error)
    if sign.is_generic:
        return silence(Placement.TOOL, Quiet.GENERIC)
    left = budgets.live_turn_tokens - situation.live.tokens(Point.PROMPT, Point.TOOL_ERROR)
    budget_tokens = min(allowance(budgets.error_tokens, budgets, window_tokens=situation.window_tokens), left)
    if budget_tokens <= 0:
        return silence(Placement.TOOL, Quiet.CAP)
    hits, known, considered = _known(memories, embeds, sign, situation)
    filled = fill(
        [_offer(for_block(hit)) for hit in hits],
        budget_tokens=budget_tokens,
        max_lines=settings.tool_error.lines,
        sections=(SECTION,),
        counts_rest=situation.counts_rest,
    )
    return injection(
        Placement.TOOL,
        filled,
        hits,
        budget_tokens=budget_tokens,
        considered=considered,
        needed=dict.fromkeys((hit.memory.id for hit in hits), settings.kinds.threshold[Kind.ERROR_PATTERN]),
        refused=known,
    )


def _known(
    memories: FindsMemories, embeds: Embeds | None, sign: Signature, situation: Situation
) -> tuple[list[Hit], list[Choice], int]:
    """What fits, the best first; what does not, and why; how many were looked at."""
    settings, viewer = situation.settings, situation.viewer
    if not settings.kinds.injected[Kind.ERROR_PATTERN]:
        return [], [], 0
    asked = " ".join([sign.headline, *sign.terms])
    words = content_words(asked)
    sighting = memories.look_up(words, viewer, injectable=True)
    meant = meaning(embeds, sign.headline, sighting.occurrences, sighting.memories, viewer.project)
    found = [
        one
        for one in memories.search(sighting, meant, limit=CANDIDATES, filters=Filters(kinds=KNOWN))
        if may_inject(one.memory, viewer) and not is_ignored(one.memory, settings.privacy)
    ]
    weighed = weigh(
        found,
        words,
        sighting,
        settings.turn,
        Intent(task=Task.BUG_FIX),
        by_meaning=meant is not None,
        now=situation.now,
        settings=settings,
    )
    hits = sorted((_certain(hit, sign) for hit in weighed), key=lambda hit: -hit.relevance)
    needed = settings.kinds.threshold[Kind.ERROR_PATTERN]
    fitting = [hit for hit in hits if hit.relevance >= needed and _names_it(hit.memory, sign)]
    new = [hit for hit in fitting if hit.memory.id not in situation.live.shown]
    best = max((hit.relevance for hit in new), default=0.0)
    near = [hit for hit in new if hit.relevance >= best * settings.turn.relative_cut]
    why = _refused(hits, near, situation, needed)
    return newest_first(settled(near, len(near), situation.look, settings.stale)), why, len(found)


def _certain(hit: Hit, sign: Signature) -> Hit:
    """The same error, word for word but for what changes from day to day."""
    if not any(_key(text) == sign.key for text in _texts(hit.memory)):
        return hit
    return Hit(memory=hit.memory, relevance=1.0, score=1.0, factors={**hit.factors, "signature": 1.0})


@lru_cache(maxsize=512)
def _key(known: str) -> str:
    """In a session the same few errors are compared again and again."""
    return signature(known).key


def _texts(memory: Memory) -> list[str]:
    return [*filter(None, [memory.title]), *memory.aliases, *memory.evidence, memory.text]


def _names_it(memory: Memory, sign: Signature) -> bool:
    """Errors of one tool read alike: what is known must have a name that this one has, if it has any."""
    names = [frozenset(content_words(term)) for term in sign.terms]
    said = word_set(memory).union(*(content_words(text) for text in memory.evidence))
    return not any(names) or any(name and name <= said for name in names)


def _refused(hits: Sequence[Hit], near: Sequence[Hit], situation: Situation, needed: float) -> list[Choice]:
    fitting: set[MemoryId] = {hit.memory.id for hit in near}
    shown = situation.live.shown
    choices = []
    for hit in hits:
        if hit.memory.id not in fitting:
            live = hit.memory.id in shown
            verdict = Verdict.LIVE if live else Verdict.THRESHOLD if hit.relevance < needed else Verdict.CUT
            choices += refused([hit], verdict, {hit.memory.id: needed})
    return choices


def _offer(hit: Hit) -> Offer:
    short = short_line_of(hit.memory, hit.freshness)
    ways = (error_line_of(hit.memory, hit.freshness), *([] if short is None else [short]))
    return Offer(ways, SECTION, hit.memory.id)
