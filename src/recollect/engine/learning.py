"""Learning: process the events in the inbox in the background, where no agent waits for it. A process that dies loses
nothing: the next one finds the events that wait."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime

from recollect.capture.echo import is_echo, words_of
from recollect.capture.importance import importance
from recollect.capture.rules_version import RULES_VERSION
from recollect.capture.session import Listener
from recollect.domain.changes import ChangeAction, ChangeId
from recollect.domain.errors import InvalidValue
from recollect.domain.event import Compacted, Event, InboxEntry, Prompt, Reply, SessionEnded
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
    SessionId,
    Source,
    Tier,
)
from recollect.domain.outcome import Refused, Stored
from recollect.domain.session import Recap, Session
from recollect.domain.settings import Settings
from recollect.engine.admission import (
    REDACTION_MARK,
    admit_draft,
    admit_event,
    admit_recap,
    admit_turn,
    is_ignored_path,
    turn_from_event,
)
from recollect.engine.exchanges import Exchanges
from recollect.engine.keep_once import draft_beside, find_earlier
from recollect.engine.learning_ports import ReadsExchanges
from recollect.engine.ports import Embeds, SettingsFor, Store
from recollect.engine.remember import remember, replace_named, supersede
from recollect.privacy.trust import kind_for
from recollect.text.sentences import sentences

REPLAYED_EVENTS = 500  # events of a session that a new listener hears again, as after a restart
MAX_SESSIONS = 50  # with a listener in memory
MAX_TRIES = 3  # then the event is given up
BATCH_EVENTS = 20
FROM_WORDS = (Basis.SAID, Basis.SUMMARY, Basis.CLOSING, Basis.MODEL)  # only these can be an echo
TO_APPROVE = "captured, and waits for your approval"
Hashes = Callable[[Sequence[Draft], str | None], Sequence[Draft]]  # adds the hashes of their files to drafts


class Learning:
    def __init__(
        self,
        store: Store,
        settings_for: SettingsFor,
        model: Callable[[], Embeds | None],
        hashed: Hashes,
        extractor: Callable[[], ReadsExchanges | None],
    ) -> None:
        self._store = store
        self._settings_for = settings_for
        self._model = model
        self._hashed = hashed
        self._extractor = extractor
        self._exchanges = Exchanges()
        self._listeners: OrderedDict[SessionId, Listener] = OrderedDict()
        self._left: dict[SessionId, Recap] = {}  # recaps of the parts that the listener did not hear
        self._purges = store.count_purges()  # when the state here was last valid

    def process_inbox(self, *, limit: int = BATCH_EVENTS) -> int:
        """Learn from the events that wait, in their order. Return how many there were."""
        waiting = [] if self._store.is_read_only else self._store.waiting_events(limit=limit)
        for received in waiting:
            if received.event is None or received.tries >= MAX_TRIES:
                self._store.finish_event(received)
                continue
            tried = self._store.try_event(received)
            with self._dropping_half_heard(received.event.session):
                try:
                    self._learn(tried, received.event)
                except InvalidValue:  # it can never be stored; trying again changes nothing
                    self._store.finish_event(tried)
        return len(waiting)

    def extract(self) -> bool:
        """Let the language model that the user has set read one exchange; False: none waits. May take long."""
        self._drop_purged()
        exchange = self._exchanges.take()
        if exchange is None:
            return False
        extractor = self._extractor()
        if extractor is None or self._is_deleted(exchange.session):
            return True
        settings = self._settings_for(exchange.ended_by.folder)
        drafts = self._drafts(exchange.session, exchange.ended_by, extractor.propose(exchange.turns), settings)
        with self._store.transaction():
            # It may have been forgotten while the model read it.
            if not self._is_deleted(exchange.session) and not self._is_behind():
                self._keep(exchange.session, exchange.ended_by, drafts, settings)
        return True

    def store_proposals(
        self, session_id: SessionId, proposals: Sequence[Proposal], folder: str | None, now: datetime
    ) -> int:
        """Store what the host's model found in a session. Return how many memories that were."""
        session = self._store.session(session_id)
        if session is None or self._store.is_read_only:
            return 0
        settings = self._settings_for(folder)
        read = SessionEnded(session=session_id, at=now, host=session.host, folder=folder)
        drafts = self._drafts(session, read, proposals, settings)
        with self._store.transaction():
            if self._is_deleted(session):
                return 0
            return len(self._keep(session, read, drafts, settings))

    def forget(self, session: SessionId) -> None:
        """Drop the state of a deleted session."""
        self._listeners.pop(session, None)
        self._left.pop(session, None)
        self._exchanges.forget(session)

    def forget_all(self) -> None:
        """Drop all state after a purge: sessions are heard again, from what is left of them."""
        self._listeners.clear()
        self._left.clear()
        self._exchanges = Exchanges()

    def _is_behind(self) -> bool:
        return self._store.count_purges() != self._purges

    def _drop_purged(self) -> None:
        """Notice purges by other processes."""
        if self._is_behind():
            self._purges = self._store.count_purges()
            self.forget_all()

    def _is_deleted(self, session: Session) -> bool:
        return self._store.session(session.id) is None

    def _learn(self, received: InboxEntry, event: Event) -> None:
        self._drop_purged()
        session = self._store.session(event.session)
        settings = self._settings_for(event.folder)
        if session is None:  # deleted since
            self._store.finish_event(received)
            return
        listener = self._listener(session, settings)
        drafts = self._drafts(session, event, listener.hear(event), settings)
        self._exchanges.hear(session, event)
        with self._store.transaction():  # short: an agent may be waiting to write
            if self._is_behind():
                return  # what was heard may be purged: the event stays in the inbox and is tried again
            if not self._store.finish_event(received):
                return  # another process has learnt from it, or the message has grown since
            self._archive(session, event, settings)
            self._keep(session, event, drafts, settings)
            if settings.capture.notes and isinstance(event, Reply | Compacted | SessionEnded):
                self._store_recap(session, event, listener, settings)
            if isinstance(event, SessionEnded):
                self._close(session, event)

    def listener(self, folder: str | None) -> Listener:
        """Return a new listener, for a session that is read from a transcript."""
        return Listener(self._settings_for(folder).capture)

    def hear_old(self, session: Session, event: Event, listener: Listener, *, is_own: bool = True) -> list[Draft]:
        """Learn from an event of an old session. Its files have changed since, so they are not hashed. `is_own`: False
        if another person may have written it; then nothing in it counts as the user's word."""
        proposals = listener.hear(event)
        if not is_own:
            proposals = [_distrust(proposal) for proposal in proposals]
        settings = self._settings_for(event.folder)
        return self._drafts(session, replace(event, folder=None), proposals, settings)

    def keep_old(
        self, session: Session, event: Event, drafts: Sequence[Draft], listener: Listener | None, now: datetime
    ) -> list[Stored]:
        """Store drafts of an old session, inside a transaction. `listener`: writes its recap; None: it leaves none."""
        settings = self._settings_for(event.folder)
        if settings.capture.notes and listener is not None and isinstance(event, SessionEnded):
            self._store_recap(session, event, listener, settings)
        return self._keep(session, event, drafts, settings, at=now)

    @contextmanager
    def _dropping_half_heard(self, session: SessionId) -> Iterator[None]:
        """Drop the listener if learning fails: the next one hears the stored events again."""
        is_heard = False
        try:
            yield
            is_heard = True
        finally:
            if not is_heard:
                self._listeners.pop(session, None)

    def _listener(self, session: Session, settings: Settings) -> Listener:
        known = self._listeners.pop(session.id, None)
        if known is None:
            known = Listener(settings.capture)
            heard = self._store.past_events(session.id, limit=REPLAYED_EVENTS)
            for event in heard:
                known.hear(event)
            self._load_recap(session, heard)
        self._listeners[session.id] = known
        while len(self._listeners) > MAX_SESSIONS:
            self._left.pop(self._listeners.popitem(last=False)[0], None)
        return known

    def _load_recap(self, session: Session, heard: Sequence[Event]) -> None:
        """Load the stored recap of a session that was not heard from its beginning: it was resumed, or is too long."""
        self._left.pop(session.id, None)
        is_whole = 0 < len(heard) < REPLAYED_EVENTS
        is_resumed = session.ended_at is not None and bool(heard) and session.ended_at < heard[0].at
        if is_whole and not is_resumed:
            return
        recap = self._store.recap(session.id)
        if recap is not None:
            self._left[session.id] = recap

    def _archive(self, session: Session, event: Event, settings: Settings) -> None:
        if not isinstance(event, Prompt | Reply) or settings.archive.days <= 0:
            return
        turn = admit_turn(turn_from_event(session, event))
        if turn is not None:
            self._store.add_turns([turn])

    def _drafts(self, session: Session, event: Event, proposals: Sequence[Proposal], settings: Settings) -> list[Draft]:
        """Turn proposals into drafts that may be stored. Reads files, so it runs before any transaction."""
        shown: list[frozenset[str]] | None = None
        drafts = []
        for proposal in proposals:
            kind = kind_for(proposal.kind, proposal.role)
            if REDACTION_MARK in proposal.text or not settings.kinds.captured[kind]:
                continue
            if not _may_last(proposal, settings) or not self._has_room(session, proposal, settings):
                continue
            if proposal.role is not Role.USER and proposal.basis in FROM_WORDS:
                if shown is None:
                    shown = self._shown_words(session)
                if is_echo(proposal.text, shown):
                    continue
            draft = _draft(replace(proposal, kind=kind), session, event, settings)
            if draft is not None:
                drafts.append(draft)
        privacy = self._settings_for(None).privacy
        checked = [admit_draft(draft, privacy) for draft in self._hashed(drafts, event.folder)]
        return [draft for draft in checked if not isinstance(draft, Refused)]

    def _shown_words(self, session: Session) -> list[frozenset[str]]:
        blocks = {sent.injection.block for sent in self._store.log_of(session.id)}
        return [words_of(line) for block in blocks for line in block.splitlines()]

    def _keep(
        self, session: Session, event: Event, drafts: Sequence[Draft], settings: Settings, *, at: datetime | None = None
    ) -> list[Stored]:
        """Store drafts. `at`: when it is learnt, if not at the time of the event."""
        if not drafts:
            return []
        at = at or event.at
        change = self._change_for(session, at)
        live: set[MemoryId] = set()
        for sent in self._store.log_of(session.id):
            live.update(sent.injection.ids)
        done: list[Stored] = []
        for draft in drafts:
            if _is_proven(draft, done):
                continue  # never stored, rather than stored and ended: what has ended is no longer quoted
            known = find_earlier(self._store, draft)
            wanted = draft_beside(known, draft)
            if wanted is not None and self._make_room(session, wanted, change, settings):
                with suppress(InvalidValue):
                    if known is not None and known.text != wanted.text:
                        stored = replace_named(self._store, known, wanted, change)
                    else:
                        stored = remember(self._store, self._with_known_kind(wanted), change, live, at)
                    self._replace_candidates(session, stored.memory, change)
                    done.append(stored)
        return done

    def _change_for(self, session: Session, at: datetime) -> ChangeId:
        """Return the one change that everything learnt from a session belongs to."""
        known = self._store.learning_change(session.id)
        if known is not None:
            return known.id
        return self._store.begin_change(ChangeAction.LEARN, at, session.host, {"session": session.id})

    def _replace_candidates(self, session: Session, proven: Memory, change: ChangeId) -> None:
        """Let a memory that the session has proven replace the candidates that say the same."""
        if proven.tier is Tier.CANDIDATE or not proven.is_live:
            return
        said = [words_of(sentence) for sentence in sentences(proven.text)]
        for candidate in self._store.candidates_of(session.id):
            if candidate.id != proven.id and candidate.scope == proven.scope and is_echo(candidate.text, said):
                supersede(self._store, candidate, proven, change)

    def _with_known_kind(self, draft: Draft) -> Draft:
        """Use the kind of a known memory with the same words, so that it is not stored twice under two kinds."""
        kinds = [kind for kind in Kind if kind_for(kind, draft.source.role) is kind]
        known = self._store.find_same(draft, kinds=kinds)
        return draft if known is None else replace(draft, kind=known.kind)

    def _make_room(self, session: Session, draft: Draft, change: ChangeId, settings: Settings) -> bool:
        """Enforce the limits per session; of the candidates, those most likely to matter later stay."""
        if not self._is_full(session, draft.tier, settings):
            return True
        least = self._least_durable(session, draft.tier, draft.durability)
        if least is None:
            return False
        self._store.note_memory_change(change, least.id, least)
        self._store.update(replace(least, valid_to=max(draft.at, least.valid_from)))
        return True

    def _has_room(self, session: Session, proposal: Proposal, settings: Settings) -> bool:
        """Check early: a long session proposes much more than fits."""
        is_full = self._is_full(session, proposal.tier, settings)
        return not is_full or self._least_durable(session, proposal.tier, proposal.durability) is not None

    def _is_full(self, session: Session, tier: Tier, settings: Settings) -> bool:
        limits = settings.capture
        most = limits.confirmed_per_session if tier is Tier.CONFIRMED else limits.candidates_per_session
        return self._store.count_learnt(session.id, tier) >= most

    def _least_durable(self, session: Session, tier: Tier, durability: float) -> Memory | None:
        """Return the candidate that gives way to one of this durability, or None."""
        if tier is Tier.CONFIRMED:
            return None
        least = self._store.least_durable_candidate(session.id)
        return least if least is not None and least.durability < durability else None

    def _store_recap(self, session: Session, event: Event, listener: Listener, settings: Settings) -> None:
        """Store the recap of the session so far, if it has changed."""
        if session.project is None or settings.archive.days <= 0:
            return
        notes, summary = listener.build_recap()
        if isinstance(event, SessionEnded):  # the host's own notes come first
            notes, summary = event.notes or notes, event.summary or summary
        recap = Recap(session=session.id, project=session.project, at=event.at, notes=notes, summary=summary)
        recap = admit_recap(recap, settings.privacy)
        before = self._store.recap(session.id)
        # A session that was heard from its beginning is described again as a whole: what failed then may work now.
        unheard = self._left.get(session.id) if session.id in self._listeners else before
        if unheard is not None:
            recap = recap.fill_from(unheard)
        if before is None and not recap.notes and not recap.summary:
            return
        if before is not None and replace(recap, at=before.at) == before:
            return
        self._store.keep_recap(recap)

    def _close(self, session: Session, event: SessionEnded) -> None:
        self._listeners.pop(session.id, None)
        self._left.pop(session.id, None)
        if session.ended_at is None or session.ended_at < event.at:
            self._store.keep_session(replace(session, ended_at=event.at))
        self._store.drop_events(session.id)


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


def _distrust(proposal: Proposal) -> Proposal:
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
