"""The block on a failed tool: this error is known, and this helped. A new error gets nothing; one that only looks like
a known one gets a line if it names the same thing."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from recollect.capture.happened.failures import failure_text
from recollect.domain.event import ToolFailed
from recollect.domain.injection import Choice, Injection, LogEntry, Moment, Placement, QuietReason, Verdict
from recollect.domain.memory import Hit, Kind, Memory, MemoryId, Tier
from recollect.domain.search import Filters
from recollect.domain.session import Session
from recollect.engine.anchoring import demote_stale
from recollect.engine.context import Context
from recollect.engine.moments.disputes import Disputes
from recollect.engine.moments.injections import build_choice, build_injection, silence
from recollect.engine.moments.sent_log import record, record_unnamed, replay_injection
from recollect.engine.moments.situation import (
    LiveBlocks,
    Situation,
    find_quiet_reason,
    find_situation,
    load_live_context,
)
from recollect.engine.moments.usage import note_tool_block
from recollect.engine.ports import Embeds, SearchableMemories
from recollect.engine.redaction import redact_for_block
from recollect.engine.search import MemoryQuery, embed_query, weigh
from recollect.rank.budget import BlockItem, block_budget, fill
from recollect.text.block import error_line_of, plain, reminder_line_of, remove_entries, short_line_of
from recollect.text.intent import Intent, Task
from recollect.text.naming import read_prompt_words
from recollect.text.query import content_words
from recollect.text.signature import Signature, signature
from recollect.text.words import word_set

KNOWN_ERROR, LIKE_IT = "This error is known", "An error like this is known"
ERRORS_ONLY = Filters(kinds=frozenset({Kind.ERROR_PATTERN}))
MAX_CANDIDATES = 30
_CODE = re.compile(r"[A-Z][A-Z0-9_]{4,}|[A-Z]{1,4}\d{3,5}")  # EADDRINUSE, ERR_PNPM_OUTDATED_LOCKFILE, TS2345
# A code, class, module or function: it has something that a word of prose does not have.
_NAME = re.compile(r"[A-Z][A-Z0-9_]{4,}|[A-Za-z]+\d|[a-z][A-Z]|\w[._:/]\w|_")
_IN_QUOTES = re.compile(r"['\"`]([\w.@/:=-]{2,})['\"`]")
_SORT = re.compile(r"[A-Z]{1,6}-?\d{2,6}")  # TS2339, E0432: a compiler's code for all errors of one sort
COMMON_NAMES = frozenset(  # names of errors of many causes
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
MIN_SHARED_WORDS, MIN_SHARED_PART = 3, 0.9  # words of the error that a memory must have
CODE_WEIGHT = 0.3  # an equal error code takes away this part of the doubt


def answer(ctx: Context, session: Session, event: ToolFailed, sent: LogEntry | None) -> Injection:
    """`sent`: what the call was answered with before, if the host asks again."""
    if sent is not None:
        return replay_injection(sent, event)
    started_s = ctx.seconds()
    quiet = find_quiet_reason(ctx, session, enabled=ctx.settings.tool_error.enabled)
    if quiet is not None:
        injection = silence(Placement.TOOL, quiet)
    else:
        situation = find_situation(ctx, session, event, load_live_context(ctx, session, event))
        injection = build_error_block(ctx.store, ctx.model(), failure_text(event), situation)
    note_tool_block(ctx.live, session.id, injection.ids)
    if event.message is None:
        return record_unnamed(ctx, session, injection, event, started_s, Moment.TOOL_ERROR)
    call = event.call or event.message
    return record(ctx, session, event.message, injection, event, started_s, Moment.TOOL_ERROR, call=call)


def build_error_block(
    memories: SearchableMemories, embeds: Embeds | None, error: str, situation: Situation
) -> Injection:
    settings = situation.settings
    budgets = settings.budgets
    sign = signature(error)
    if sign.is_generic:
        return silence(Placement.TOOL, QuietReason.GENERIC)
    left = budgets.live_turn_tokens - situation.live.tokens(Moment.PROMPT, Moment.TOOL_ERROR)
    budget_tokens = min(block_budget(budgets.error_tokens, budgets, window_tokens=situation.window_tokens), left)
    if budget_tokens <= 0:
        return silence(Placement.TOOL, QuietReason.CAP)
    hits, refused, considered = _find_known_errors(memories, embeds, sign, situation)
    has_certain = any(CERTAIN in hit.factors for hit in hits)
    filled = fill(
        [_offer(redact_for_block(hit), situation.live) for hit in hits],
        budget_tokens=budget_tokens,
        max_lines=settings.tool_error.lines if has_certain else 1,
        sections=(KNOWN_ERROR, LIKE_IT),
        show_omitted_count=situation.shows_omitted_count,
    )
    return build_injection(
        Placement.TOOL,
        filled,
        hits,
        budget_tokens=budget_tokens,
        considered=considered,
        needed=dict.fromkeys((hit.memory.id for hit in hits), settings.kinds.threshold[Kind.ERROR_PATTERN]),
        refused=refused,
    )


def _find_known_errors(
    memories: SearchableMemories, embeds: Embeds | None, sign: Signature, situation: Situation
) -> tuple[list[Hit], list[Choice], int]:
    """Return the hits that fit (best first), the refused ones, and how many were considered."""
    settings, viewer = situation.settings, situation.viewer
    if not settings.kinds.injected[Kind.ERROR_PATTERN]:
        return [], [], 0
    query = " ".join([sign.headline, *sign.terms])
    words = content_words(query)
    matches = memories.look_up(words, viewer, injectable=True)
    meaning = embed_query(embeds, sign.headline, matches.occurrences, matches.memories, viewer.project)
    found = memories.search(matches, meaning, limit=MAX_CANDIDATES, filters=ERRORS_ONLY)
    allowed = [one for one in found if situation.may_show(one.memory) and not _is_unproven_here(one.memory, situation)]
    question = MemoryQuery(
        words=words,
        spoken=read_prompt_words(query),
        matches=matches,
        meaning=meaning,
        embeds=embeds,
        intent=Intent(task=Task.BUG_FIX),
    )
    hits = weigh(question, allowed, settings.turn, settings.kinds, situation.now)
    hits = sorted((_compare(hit, sign) for hit in hits), key=lambda hit: -hit.relevance)
    needed = settings.kinds.threshold[Kind.ERROR_PATTERN]
    fitting = [hit for hit in hits if hit.relevance >= needed and _is_about(hit, sign)]
    new = [hit for hit in fitting if not _is_shown(hit.memory, situation.live)]
    chosen = [hit for hit in new if CERTAIN in hit.factors] or new[:1]
    refused = _refuse_others(hits, fitting, chosen, situation, needed)
    chosen = demote_stale(chosen, len(chosen), situation.look_up_freshness, settings.stale)
    return Disputes(memories, situation).leave_out_lone_claims(chosen), refused, len(allowed)


def _is_unproven_here(memory: Memory, situation: Situation) -> bool:
    """A confirmed memory is shown at its error even if it was said in this session: there it helps."""
    return memory.tier is Tier.CANDIDATE and situation.is_said_here(memory)


def _compare(hit: Hit, sign: Signature) -> Hit:
    """The same error, apart from what changes from day to day, is certain; the same error code raises the relevance."""
    memory = hit.memory
    texts = [*filter(None, [memory.title]), *memory.aliases, *memory.evidence, memory.text]
    if any(_key(text) == sign.key for text in texts):
        return Hit(memory=memory, relevance=1.0, score=1.0, factors={**hit.factors, CERTAIN: 1.0})
    if not _has_any(_words(memory), filter(_CODE.fullmatch, sign.terms)):
        return hit
    relevance = hit.relevance + CODE_WEIGHT * (1 - hit.relevance)
    return replace(hit, relevance=relevance, factors={**hit.factors, "relevance": relevance, "code": 1.0})


@lru_cache(maxsize=512)
def _key(known: str) -> str:
    """Cached: a session compares the same few errors again and again."""
    return signature(known).key


def _is_about(hit: Hit, sign: Signature) -> bool:
    """Errors of one tool read alike. So a memory must be about the very same error, contain a name that only such errors
    have or, if the error names nothing, nearly all its words. A candidate must be about the very same error."""
    if CERTAIN in hit.factors:
        return True
    if hit.memory.tier is Tier.CANDIDATE:
        return False
    known = _words(hit.memory)
    in_quotes = [name for name in _IN_QUOTES.findall(sign.headline) if content_words(name)]
    if in_quotes and not _has_any(known, in_quotes):
        return False  # No module named 'yaml' is not No module named 'toml'
    if _has_any(known, filter(_is_own_name, sign.terms)):
        return True
    words = frozenset(content_words(sign.key))  # without what changes from day to day
    return len(words & known) >= max(MIN_SHARED_WORDS, MIN_SHARED_PART * len(words))


def _is_own_name(term: str) -> bool:
    """Only such errors have this name. A compiler's code for all errors of one sort is no such name."""
    is_common = re.split(r"[.:]", term)[-1] in COMMON_NAMES
    return _NAME.search(term) is not None and not is_common and not _SORT.fullmatch(term)


def _has_any(known: frozenset[str], names: Iterable[str]) -> bool:
    for name in names:
        words = frozenset(content_words(name))
        if words and words <= known:
            return True
    return False


def _words(memory: Memory) -> frozenset[str]:
    return word_set(memory).union(*map(content_words, memory.evidence))


def _is_shown(memory: Memory, live: LiveBlocks) -> bool:
    """On a prompt or a tool. A start block is far away from the error, so one line recalls what only it shows."""
    name = {plain(memory.id)}
    for sent in live.sent:
        if sent.point is Moment.START:
            continue
        block = sent.injection.block
        if memory.id in sent.injection.ids or remove_entries(block, name) != block:
            return True
    return False


def _refuse_others(
    hits: Sequence[Hit], fitting: Sequence[Hit], chosen: Sequence[Hit], situation: Situation, needed: float
) -> list[Choice]:
    chosen_ids = {hit.memory.id for hit in chosen}
    fitting_ids = {hit.memory.id for hit in fitting}
    return [
        build_choice(hit, _refusal(hit, fitting_ids, situation, needed), needed)
        for hit in hits
        if hit.memory.id not in chosen_ids
    ]


def _refusal(hit: Hit, fitting: Collection[MemoryId], situation: Situation, needed: float) -> Verdict:
    if hit.relevance < needed:
        return Verdict.THRESHOLD
    if hit.memory.id not in fitting:
        return Verdict.OTHER
    return Verdict.LIVE if _is_shown(hit.memory, situation.live) else Verdict.CUT


def _offer(hit: Hit, live: LiveBlocks) -> BlockItem:
    section = KNOWN_ERROR if CERTAIN in hit.factors else LIKE_IT
    if hit.memory.id in live.memory_ids:
        return BlockItem((reminder_line_of(hit.memory),), section, hit.memory.id, verdict=Verdict.RECALLED)
    short = short_line_of(hit.memory, hit.freshness)
    ways = filter(None, (error_line_of(hit.memory, hit.freshness), short))
    return BlockItem(tuple(ways), section, hit.memory.id)
