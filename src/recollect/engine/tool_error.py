"""The block on a tool that failed: this error is known, and what helped. An error that is new brings nothing, and one
that only looks like a known one brings a line if it names the same thing."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache

from recollect.domain.injection import Choice, Injection, Moment, Placement, Quiet, Verdict
from recollect.domain.memory import Hit, Kind, Memory, MemoryId, Tier
from recollect.domain.search import Filters
from recollect.engine.anchoring import settled
from recollect.engine.disputes import leave_out_lone_claims
from recollect.engine.ports import Embeds, FindsMemories
from recollect.engine.recall import embed_query, weigh
from recollect.engine.redaction import redact_for_block
from recollect.engine.situation import Situation, build_injection, refuse, silence
from recollect.rank.budget import Offer, allowance, fill
from recollect.text.block import error_line_of, plain, reminder_line_of, short_line_of, without
from recollect.text.intent import Intent, Task
from recollect.text.naming import said
from recollect.text.query import content_words
from recollect.text.signature import Signature, signature
from recollect.text.words import word_set

KNOWN_ERROR, LIKE_IT = "This error is known", "An error like this is known"
KNOWN = frozenset({Kind.ERROR_PATTERN})
CANDIDATES = 30
_CODE = re.compile(r"[A-Z][A-Z0-9_]{4,}|[A-Z]{1,4}\d{3,5}")  # EADDRINUSE, ERR_PNPM_OUTDATED_LOCKFILE, TS2345
# What a word of prose does not have: a code, a class, a module, a function.
_NAME = re.compile(r"[A-Z][A-Z0-9_]{4,}|[A-Za-z]+\d|[a-z][A-Z]|\w[._:/]\w|_")
_QUOTED = re.compile(r"['\"`]([\w.@/:=-]{2,})['\"`]")
_SORT = re.compile(r"[A-Z]{1,6}-?\d{2,6}")  # TS2339, E0432: the code of a compiler for all errors of one sort
EVERYWHERE = frozenset(  # errors of all kinds have these names
    """
    ArgumentError ArgumentException ArgumentNullException ArithmeticError AssertionError AssertionFailedError
    AttributeError BrokenPipeError BuildError ClassCastException ClassNotFoundException ConnectionError
    ConnectionRefusedError ConnectionResetError DatabaseError Error EvalError Exception FileNotFoundError
    FormatException HTTPError IllegalArgumentException IllegalStateException ImportError IndexError
    IndexOutOfBoundsException IndexOutOfRangeException IntegrityError InvalidOperationException IOError IOException
    KeyError KeyNotFoundException LoadError LookupError ModuleNotFoundError NameError NoClassDefFoundError NoMethodError
    NoSuchMethodError NotImplementedError NullPointerException NullReferenceException NumberFormatException
    OperationalError OSError ParseError PermissionError ProgrammingError RangeError RecursionError ReferenceError
    RuntimeError RuntimeException SQLException StandardError SyntaxError SystemExit TimeoutError TypeError
    UndefVarError UnicodeDecodeError UnicodeEncodeError UnsupportedOperationException ValidationError ValueError
    ZeroDivisionError
    """.split()
)
CERTAIN = "signature"  # the factor of an error that is the same
MIN_WORDS, SHARE = 3, 0.9  # of what an error says, in what is known
CODE_WEIGHT = 0.3  # of what is in doubt, if both have the code of the error


def answer(memories: FindsMemories, embeds: Embeds | None, error: str, situation: Situation) -> Injection:
    settings = situation.settings
    budgets = settings.budgets
    sign = signature(error)
    if sign.is_generic:
        return silence(Placement.TOOL, Quiet.GENERIC)
    left = budgets.live_turn_tokens - situation.live.tokens(Moment.PROMPT, Moment.TOOL_ERROR)
    budget_tokens = min(allowance(budgets.error_tokens, budgets, window_tokens=situation.window_tokens), left)
    if budget_tokens <= 0:
        return silence(Placement.TOOL, Quiet.CAP)
    hits, known, considered = _known(memories, embeds, sign, situation)
    filled = fill(
        [_offer(redact_for_block(hit), situation) for hit in hits],
        budget_tokens=budget_tokens,
        max_lines=settings.tool_error.lines if any(CERTAIN in hit.factors for hit in hits) else 1,
        sections=(KNOWN_ERROR, LIKE_IT),
        counts_rest=situation.counts_rest,
    )
    return build_injection(
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
    meant = embed_query(embeds, sign.headline, sighting.occurrences, sighting.memories, viewer.project)
    found = [
        one
        for one in memories.search(sighting, meant, limit=CANDIDATES, filters=Filters(kinds=KNOWN))
        if situation.may_show(one.memory) and not _is_only_said_here(one.memory, situation)
    ]
    weighed = weigh(
        found,
        words,
        said(asked),
        sighting,
        settings.turn,
        Intent(task=Task.BUG_FIX),
        embeds=embeds if meant is not None else None,
        now=situation.now,
        settings=settings,
    )
    hits = sorted((_certain(hit, sign) for hit in weighed), key=lambda hit: -hit.relevance)
    needed = settings.kinds.threshold[Kind.ERROR_PATTERN]
    fitting = [hit for hit in hits if hit.relevance >= needed and _is_about(hit, sign)]
    new = [hit for hit in fitting if not _is_told(hit.memory, situation)]
    near = [hit for hit in new if CERTAIN in hit.factors] or new[:1]
    why = _refused(hits, fitting, near, situation, needed)
    near = settled(near, len(near), situation.look_up_freshness, settings.stale)
    return leave_out_lone_claims(near, situation), why, len(found)


def _is_only_said_here(memory: Memory, situation: Situation) -> bool:
    """What is proven is told at the error, wherever it was said: there it helps, however long ago that was."""
    return memory.tier is Tier.CANDIDATE and situation.is_said_here(memory)


def _certain(hit: Hit, sign: Signature) -> Hit:
    """The same error, word for word but for what changes from day to day, leaves no doubt; its code leaves less."""
    if any(_key(text) == sign.key for text in _texts(hit.memory)):
        return Hit(memory=hit.memory, relevance=1.0, score=1.0, factors={**hit.factors, CERTAIN: 1.0})
    told = _said(hit.memory)
    codes = [frozenset(content_words(term)) for term in sign.terms if _CODE.fullmatch(term)]
    if not any(code and code <= told for code in codes):
        return hit
    surer = hit.relevance + CODE_WEIGHT * (1 - hit.relevance)
    return replace(hit, relevance=surer, factors={**hit.factors, "relevance": surer, "code": 1.0})


@lru_cache(maxsize=512)
def _key(known: str) -> str:
    """In a session the same few errors are compared again and again."""
    return signature(known).key


def _texts(memory: Memory) -> list[str]:
    return [*filter(None, [memory.title]), *memory.aliases, *memory.evidence, memory.text]


def _is_about(hit: Hit, sign: Signature) -> bool:
    """Errors of one tool read alike. What is known must be the very same, have a name that only such errors have, or,
    where nothing is named, say it whole. What nothing has proven is told of the very same alone."""
    if CERTAIN in hit.factors:
        return True
    if hit.memory.tier is Tier.CANDIDATE:
        return False
    told = _said(hit.memory)
    quoted = [frozenset(content_words(name)) for name in _QUOTED.findall(sign.headline)]
    is_foreign = any(quoted) and not any(name and name <= told for name in quoted)
    if is_foreign:
        return False  # No module named 'yaml' is not No module named 'toml'
    if any(name and name <= told for name in _names(sign)):
        return True
    words = frozenset(content_words(sign.key))  # without what changes from day to day
    return len(words & told) >= max(MIN_WORDS, SHARE * len(words))


def _names(sign: Signature) -> list[frozenset[str]]:
    """What only such errors have: a code of a compiler for all errors of one sort is no such name."""
    return [
        frozenset(content_words(term))
        for term in sign.terms
        if _NAME.search(term) and re.split(r"[.:]", term)[-1] not in EVERYWHERE and not _SORT.fullmatch(term)
    ]


def _said(memory: Memory) -> frozenset[str]:
    return word_set(memory).union(*(content_words(text) for text in memory.evidence))


def _is_told(memory: Memory, situation: Situation) -> bool:
    """On a prompt or a tool. What stands in the start block alone is far away from the error: one line recalls it."""
    told = [sent.injection for sent in situation.live.sent if sent.point is not Moment.START]
    name = {plain(memory.id)}
    return any(memory.id in injection.ids or without(injection.block, name) != injection.block for injection in told)


def _refused(
    hits: Sequence[Hit], fitting: Sequence[Hit], near: Sequence[Hit], situation: Situation, needed: float
) -> list[Choice]:
    kept: set[MemoryId] = {hit.memory.id for hit in near}
    fits: set[MemoryId] = {hit.memory.id for hit in fitting}
    return [
        choice
        for hit in hits
        if hit.memory.id not in kept
        for choice in refuse([hit], _why_not(hit, fits, situation, needed), {hit.memory.id: needed})
    ]


def _why_not(hit: Hit, fits: Collection[MemoryId], situation: Situation, needed: float) -> Verdict:
    if hit.relevance < needed:
        return Verdict.THRESHOLD
    if hit.memory.id not in fits:
        return Verdict.OTHER
    return Verdict.LIVE if _is_told(hit.memory, situation) else Verdict.CUT


def _offer(hit: Hit, situation: Situation) -> Offer:
    section = KNOWN_ERROR if CERTAIN in hit.factors else LIKE_IT
    if hit.memory.id in situation.live.memory_ids:
        return Offer((reminder_line_of(hit.memory),), section, hit.memory.id, means=Verdict.RECALLED)
    short = short_line_of(hit.memory, hit.freshness)
    ways = (error_line_of(hit.memory, hit.freshness), *([] if short is None else [short]))
    return Offer(ways, section, hit.memory.id)
