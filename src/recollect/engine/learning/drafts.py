"""Turn what the rules propose into drafts, and store them: within the limits of a session, and never twice."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import lru_cache

from recollect.capture.echo import is_echo, words_of
from recollect.capture.importance import importance
from recollect.capture.rules_version import RULES_VERSION
from recollect.capture.session import Listener
from recollect.domain.changes import ChangeAction, ChangeId
from recollect.domain.errors import InvalidValue
from recollect.domain.event import Event
from recollect.domain.learning import Basis, Proposal
from recollect.domain.memory import (
    UNIVERSAL,
    Anchor,
    Draft,
    Kind,
    Memory,
    MemoryId,
    Role,
    Scope,
    ScopeLevel,
    Source,
    Tier,
)
from recollect.domain.outcome import Refused, Stored
from recollect.domain.project import is_hidden
from recollect.domain.session import Session
from recollect.domain.settings import Settings
from recollect.engine.admission import REDACTION_MARK, admit_draft, admit_event, is_ignored_path
from recollect.engine.anchoring import add_hashes
from recollect.engine.context import Context
from recollect.engine.learning.keep_once import draft_beside, find_earlier
from recollect.engine.learning_ports import KeepsCandidates
from recollect.engine.memories.remember import remember, replace_named, supersede
from recollect.engine.ports import KeepsMemories, Store
from recollect.engine.session_ports import LogsInjections
from recollect.privacy.trust import kind_for
from recollect.text.sentences import sentences

FROM_WORDS = (Basis.SAID, Basis.SUMMARY, Basis.CLOSING, Basis.MODEL)  # only these can be an echo
TO_APPROVE = "captured, and waits for your approval"


def make_drafts(
    ctx: Context, session: Session, event: Event, proposals: Sequence[Proposal], *, hashes: bool = True
) -> list[Draft]:
    """Turn proposals into drafts that may be stored. Reads files, so it runs before any transaction. `hashes`: False if
    the files have changed since."""
    if not proposals:
        return []
    settings = ctx.settings
    shown: list[frozenset[str]] | None = None
    drafts = []
    for proposal in proposals:
        kind = kind_for(proposal.kind, proposal.role)
        if REDACTION_MARK in proposal.text or not settings.kinds.captured[kind]:
            continue
        if not _may_last(proposal, settings) or not _has_room(ctx, session, proposal):
            continue
        if proposal.role is not Role.USER and proposal.basis in FROM_WORDS:
            if shown is None:
                shown = _shown_words(ctx.store, session)
            if is_echo(proposal.text, shown):
                continue
        draft = _draft(replace(proposal, kind=kind), session, event, settings)
        if draft is not None:
            drafts.append(draft)
    hashed = add_hashes(ctx, drafts) if hashes else drafts
    checked = [admit_draft(draft, settings.privacy) for draft in hashed]
    return [draft for draft in checked if not isinstance(draft, Refused)]


def _shown_words(log: LogsInjections, session: Session) -> list[frozenset[str]]:
    blocks = {sent.injection.block for sent in log.log_of(session.id)}
    return [_words_of_line(line) for block in blocks for line in block.splitlines()]


_words_of_line = lru_cache(maxsize=64)(words_of)  # the lines of a block are compared with every message after it


def keep_drafts(ctx: Context, session: Session, drafts: Sequence[Draft], at: datetime) -> list[Stored]:
    """Store drafts, inside a transaction. `at`: when it is learnt."""
    if not drafts:
        return []
    change = _change_for(ctx.store, session, at)
    live: set[MemoryId] = set()
    for sent in ctx.store.log_of(session.id):
        live.update(sent.injection.ids)
    done: list[Stored] = []
    for draft in drafts:
        if _is_proven(draft, done):
            continue  # never stored, rather than stored and ended: what has ended is no longer quoted
        known = find_earlier(ctx.store, draft)
        wanted = draft_beside(known, draft)
        if wanted is not None and _make_room(ctx, session, wanted, change):
            with suppress(InvalidValue):
                if known is not None and known.text != wanted.text:
                    stored = replace_named(ctx.store, known, wanted, change)
                else:
                    stored = remember(ctx.store, _with_known_kind(ctx.store, wanted), change, live, at)
                _replace_candidates(ctx.store, session, stored.memory, change)
                done.append(stored)
    return done


def _change_for(store: Store, session: Session, at: datetime) -> ChangeId:
    """Return the one change that everything learnt from a session belongs to."""
    known = store.learning_change(session.id)
    if known is not None:
        return known.id
    return store.begin_change(ChangeAction.LEARN, at, session.host, {"session": session.id})


def _replace_candidates(store: Store, session: Session, proven: Memory, change: ChangeId) -> None:
    """Let a memory that the session has proven replace the candidates that say the same."""
    if proven.tier is Tier.CANDIDATE or not proven.is_live:
        return
    said = [words_of(sentence) for sentence in sentences(proven.text)]
    for candidate in store.candidates_of(session.id):
        if candidate.id != proven.id and candidate.scope == proven.scope and is_echo(candidate.text, said):
            supersede(store, candidate, proven, change)


def _with_known_kind(memories: KeepsMemories, draft: Draft) -> Draft:
    """Use the kind of a known memory with the same words, so that it is not stored twice under two kinds."""
    kinds = [kind for kind in Kind if kind_for(kind, draft.source.role) is kind]
    known = memories.find_same(draft, kinds=kinds)
    return draft if known is None else replace(draft, kind=known.kind)


def _make_room(ctx: Context, session: Session, draft: Draft, change: ChangeId) -> bool:
    """Enforce the limits per session; of the candidates, those most likely to matter later stay."""
    if not _is_full(ctx, session, draft.tier):
        return True
    least = _least_durable(ctx.store, session, draft.tier, draft.durability)
    if least is None:
        return False
    ctx.store.note_memory_change(change, least.id, least)
    ctx.store.update(replace(least, valid_to=max(draft.at, least.valid_from)))
    return True


def _has_room(ctx: Context, session: Session, proposal: Proposal) -> bool:
    """Check early: a long session proposes much more than fits."""
    is_full = _is_full(ctx, session, proposal.tier)
    return not is_full or _least_durable(ctx.store, session, proposal.tier, proposal.durability) is not None


def _is_full(ctx: Context, session: Session, tier: Tier) -> bool:
    limits = ctx.settings.capture
    most = limits.confirmed_per_session if tier is Tier.CONFIRMED else limits.candidates_per_session
    return ctx.store.count_learnt(session.id, tier) >= most


def _least_durable(candidates: KeepsCandidates, session: Session, tier: Tier, durability: float) -> Memory | None:
    """Return the candidate that gives way to one of this durability, or None."""
    if tier is Tier.CONFIRMED:
        return None
    least = candidates.least_durable_candidate(session.id)
    return least if least is not None and least.durability < durability else None


def _draft(proposal: Proposal, session: Session, event: Event, settings: Settings) -> Draft | None:
    """Make a draft of a proposal; None: no scope fits. Words about an ignored file stay, only its anchor is left out."""
    scope = _scope(proposal.level, session)
    if scope is None:
        return None
    paths = [path for path in dict.fromkeys(proposal.paths) if not is_ignored_path(path, settings.privacy)]
    message = proposal.messages[0] if proposal.messages else getattr(event, "message", None)
    try:
        return Draft(
            text=proposal.text,
            kind=proposal.kind,
            scope=scope,
            at=event.at,
            source=Source(
                role=proposal.role, host=session.host, session=session.id, message=message, agent=event.agent
            ),
            title=proposal.title,
            aliases=proposal.aliases,
            importance=importance(proposal),
            confidence=1.0 if proposal.tier is Tier.CONFIRMED else proposal.durability,
            evidence=proposal.evidence,
            anchors=tuple(map(Anchor, paths)),
            tier=proposal.tier,
            durability=proposal.durability,
            rules=RULES_VERSION,
            flag=TO_APPROVE if settings.capture.approval else None,
        )
    except InvalidValue:  # a path with a line break, say
        return None


def distrust(proposal: Proposal) -> Proposal:
    """Lower a proposal whose author may not be the user: a candidate in one project, as if a tool had said it."""
    return replace(
        proposal,
        role=Role.TOOL,
        kind=kind_for(proposal.kind, Role.TOOL),
        tier=Tier.CANDIDATE,
        level=ScopeLevel.PROJECT,
        explicit=False,
    )


def _scope(level: ScopeLevel, session: Session) -> Scope | None:
    if session.project is not None and is_hidden(session.project):  # forgotten: it would outlive its project
        return None
    match level:
        case ScopeLevel.UNIVERSAL:
            return UNIVERSAL
        case ScopeLevel.LANGUAGE if session.language:
            return Scope(ScopeLevel.LANGUAGE, session.language)
        case _:
            return None if session.project is None else Scope.project(session.project)


def rehearse(events: Iterable[Event], settings: Settings) -> list[Proposal]:
    """Return what these events of one session would propose now. Nothing is stored."""
    listener = Listener(settings.capture)
    proposals: list[Proposal] = []
    for event in events:
        kept = admit_event(event, settings.privacy)
        if kept is not None:
            proposals += [proposal for proposal in listener.hear(kept) if _may_last(proposal, settings)]
    return [replace(proposal, kind=kind_for(proposal.kind, proposal.role)) for proposal in proposals]


def _is_proven(draft: Draft, done: Sequence[Stored]) -> bool:
    """Return True if it only repeats an error with its fix that the same message has just proven."""
    if draft.tier is not Tier.CANDIDATE:
        return False
    proven: list[frozenset[str]] = []
    for memory in (stored.memory for stored in done):
        if memory.tier is Tier.CONFIRMED and memory.kind is Kind.ERROR_PATTERN and memory.scope == draft.scope:
            proven += map(words_of, sentences(memory.text))
    return bool(proven) and is_echo(draft.text, proven)


def _may_last(proposal: Proposal, settings: Settings) -> bool:
    """Confirmed proposals need no minimum durability: `Always use type hints.` is too short for a good estimate."""
    return proposal.tier is Tier.CONFIRMED or proposal.durability >= settings.capture.durability
