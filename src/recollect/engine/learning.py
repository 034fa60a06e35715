"""Learning from sessions: what waits in the inbox is worked off in the background, where nobody waits for it.

A process that dies loses nothing: what waits is found by the next one.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime

from recollect.capture.echo import is_echo, words_of
from recollect.capture.importance import importance
from recollect.capture.rules import RULES
from recollect.capture.session import Listener
from recollect.domain.errors import InvalidValue
from recollect.domain.event import Compacted, Event, Prompt, Reply, SessionEnded
from recollect.domain.history import DeedId, DeedKind
from recollect.domain.inbox import Received
from recollect.domain.injection import Session
from recollect.domain.learning import Basis, Proposal
from recollect.domain.memory import (
    UNIVERSAL,
    Anchor,
    Draft,
    Kind,
    Memory,
    Role,
    Scope,
    ScopeLevel,
    SessionId,
    Source,
    Tier,
)
from recollect.domain.outcome import Refused, Stored
from recollect.domain.session import Recap
from recollect.domain.settings import Settings
from recollect.engine.admission import (
    MARK,
    admitted,
    admitted_event,
    admitted_recap,
    admitted_turn,
    may_not_be_read,
    turn_of,
)
from recollect.engine.exchanges import Exchanges
from recollect.engine.learning_ports import ReadsExchanges
from recollect.engine.ports import Embeds, SettingsFor, Store
from recollect.engine.proven import as_known, earlier
from recollect.engine.remember import remember, revise, supersede
from recollect.privacy.trust import kind_for
from recollect.text.sentences import sentences

HEARD_AGAIN = 500  # events of a session that are heard again after a restart
SESSIONS_AT_ONCE = 50
TRIES = 3  # what cannot be learnt from so often is left alone
AT_ONCE = 20
READ = (Basis.SAID, Basis.SUMMARY, Basis.CLOSING, Basis.MODEL)  # in words; what happened is no echo
TO_APPROVE = "captured, and waits for your approval"
Hashes = Callable[[Sequence[Draft], str | None], Sequence[Draft]]  # the drafts with the hashes of their files


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
        self._left: dict[SessionId, Recap] = {}  # by what of a session its listener has not heard
        self._purges = store.purges()  # as of what is kept here of sessions

    def work(self, *, limit: int = AT_ONCE) -> int:
        """Learns from what waits, in the order in which it came; from how much."""
        waiting = [] if self._store.is_read_only else self._store.waiting_events(limit=limit)
        for received in waiting:
            if received.event is None or received.tries >= TRIES:
                self._store.finish_event(received)
                continue
            tried = self._store.try_event(received)
            with self._hearing(received.event.session):
                try:
                    self._learn(tried, received.event)
                except InvalidValue:  # nothing that could be kept; trying again changes nothing
                    self._store.finish_event(tried)
        return len(waiting)

    def extract(self) -> bool:
        """Gives one exchange to a language model, where its user wants that; whether there was one. Takes its time."""
        self._let_go()
        exchange = self._exchanges.take()
        extractor = None if exchange is None else self._extractor()
        if exchange is None or extractor is None or self._is_deleted(exchange.session):
            return exchange is not None
        settings = self._settings_for(exchange.ended_by.folder)
        drafts = self._drafts(exchange.session, exchange.ended_by, extractor.propose(exchange.turns), settings)
        with self._store.writing():
            # While the model read it, it may have been forgotten.
            if not self._is_deleted(exchange.session) and not self._is_behind():
                self._keep(exchange.session, exchange.ended_by, drafts, settings)
        return True

    def keep_read(self, session_id: SessionId, proposals: Sequence[Proposal], folder: str | None, now: datetime) -> int:
        """What the host's model found in a session; how much of it is kept."""
        session = self._store.session(session_id)
        if session is None or self._store.is_read_only:
            return 0
        settings = self._settings_for(folder)
        read = SessionEnded(session=session_id, at=now, host=session.host, folder=folder)
        drafts = self._drafts(session, read, proposals, settings)
        with self._store.writing():
            return 0 if self._is_deleted(session) else len(self._keep(session, read, drafts, settings))

    def forget(self, session: SessionId) -> None:
        """The session is deleted."""
        self._listeners.pop(session, None)
        self._left.pop(session, None)
        self._exchanges.forget(session)

    def forget_all(self) -> None:
        """Something was forgotten for good: sessions are heard again, from what is left of them."""
        self._listeners.clear()
        self._left.clear()
        self._exchanges = Exchanges()

    def _is_behind(self) -> bool:
        return self._store.purges() != self._purges

    def _let_go(self) -> None:
        """Another process may have forgotten something, too."""
        if self._is_behind():
            self._purges = self._store.purges()
            self.forget_all()

    def _is_deleted(self, session: Session) -> bool:
        return self._store.session(session.id) is None

    def _learn(self, received: Received, event: Event) -> None:
        self._let_go()
        session = self._store.session(event.session)
        settings = self._settings_for(event.folder)
        if session is None:  # it was forgotten since
            self._store.finish_event(received)
            return
        listener = self._listener(session, settings)
        proposals = listener.hear(event)
        drafts = self._drafts(session, event, proposals, settings)
        self._exchanges.hear(session, event)
        with self._store.writing():  # short: an agent may be waiting to write, too
            if self._is_behind():
                return  # what was heard may be gone: it waits, and is read anew
            if not self._store.finish_event(received):
                return  # somebody else has learnt from it, or it has grown since
            self._archive(session, event, settings)
            self._keep(session, event, drafts, settings)
            if settings.capture.notes and isinstance(event, Reply | Compacted | SessionEnded):
                self._leave(session, event, listener, settings)
            if isinstance(event, SessionEnded):
                self._close(session, event)

    def listener(self, folder: str | None) -> Listener:
        """For a session that is heard from a transcript, from its beginning."""
        return Listener(self._settings_for(folder).capture)

    def hear_old(self, session: Session, event: Event, listener: Listener, *, is_own: bool = True) -> list[Draft]:
        """What an event of an old session teaches. Files are not looked at: they are not as they were. `is_own`: False
        for a session that somebody else may have written, of which nothing is the user's word."""
        proposals = listener.hear(event)
        proposals = proposals if is_own else [_as_read(proposal) for proposal in proposals]
        settings = self._settings_for(event.folder)
        return self._drafts(session, replace(event, folder=None), proposals, settings)

    def keep_old(
        self, session: Session, event: Event, drafts: Sequence[Draft], listener: Listener | None, now: datetime
    ) -> list[Stored]:
        """Inside a transaction. `listener`: tells the notes of the session; None: it leaves none."""
        settings = self._settings_for(event.folder)
        if settings.capture.notes and listener is not None and isinstance(event, SessionEnded):
            self._leave(session, event, listener, settings)
        return self._keep(session, event, drafts, settings, at=now)

    @contextmanager
    def _hearing(self, session: SessionId) -> Iterator[None]:
        """What was only half heard is heard again, from what is written."""
        heard = False
        try:
            yield
            heard = True
        finally:
            if not heard:
                self._listeners.pop(session, None)

    def _listener(self, session: Session, settings: Settings) -> Listener:
        known = self._listeners.pop(session.id, None)
        if known is None:
            known = Listener(settings.capture)
            heard = self._store.heard_events(session.id, limit=HEARD_AGAIN)
            for event in heard:
                known.hear(event)
            self._note_left(session, heard)
        self._listeners[session.id] = known
        while len(self._listeners) > SESSIONS_AT_ONCE:
            self._left.pop(self._listeners.popitem(last=False)[0], None)
        return known

    def _note_left(self, session: Session, heard: Sequence[Event]) -> None:
        """What a session left that ended and goes on now, or is too long to be heard again from its beginning."""
        is_whole = 0 < len(heard) < HEARD_AGAIN
        ended_before = session.ended_at is not None and bool(heard) and session.ended_at < heard[0].at
        left = None if is_whole and not ended_before else self._store.recap(session.id)
        self._left.pop(session.id, None)
        if left is not None:
            self._left[session.id] = left

    def _archive(self, session: Session, event: Event, settings: Settings) -> None:
        if not isinstance(event, Prompt | Reply) or settings.archive.days <= 0:
            return
        turn = admitted_turn(turn_of(session, event))
        if turn is not None:
            self._store.add_turns([turn])

    def _drafts(self, session: Session, event: Event, proposals: Sequence[Proposal], settings: Settings) -> list[Draft]:
        """What may be kept of what is proposed. Looks at files, so it comes before anything is locked."""
        shown = None
        drafts = []
        for proposal in proposals:
            kind = kind_for(proposal.kind, proposal.role)
            if MARK in proposal.text or not settings.kinds.captured[kind] or not _may_last(proposal, settings):
                continue
            if not self._has_room(session, proposal, settings):
                continue
            if proposal.role is not Role.USER and proposal.basis in READ:
                shown = self._shown(session) if shown is None else shown
                if is_echo(proposal.text, shown):
                    continue
            draft = _draft(replace(proposal, kind=kind), session, event, settings)
            if draft is not None:
                drafts.append(draft)
        hashed = self._hashed(drafts, event.folder)
        privacy = self._settings_for(None).privacy
        return [kept for kept in (admitted(draft, privacy) for draft in hashed) if not isinstance(kept, Refused)]

    def _shown(self, session: Session) -> list[frozenset[str]]:
        """The words of every line that this session's model has had in front of it."""
        blocks = {sent.injection.block for sent in self._store.log_of(session.id) if sent.injection.block}
        return [words_of(line) for block in blocks for line in block.splitlines()]

    def _keep(
        self, session: Session, event: Event, drafts: Sequence[Draft], settings: Settings, *, at: datetime | None = None
    ) -> list[Stored]:
        """`at`: when it is learnt, if not when it happened."""
        if not drafts:
            return []
        known = self._store.learning_deed(session.id)
        detail = {"session": session.id}
        deed = (
            self._store.begin_deed(DeedKind.LEARN, at or event.at, session.host, detail) if known is None else known.id
        )
        live = {shown for sent in self._store.log_of(session.id) for shown in sent.injection.ids}
        done: list[Stored] = []
        for draft in drafts:
            if _is_proven(draft, done):
                continue  # not kept and ended: what has ended is not quoted any more
            before = earlier(self._store, draft)
            kept_as = as_known(before, draft)
            if kept_as is not None and self._makes_room(session, kept_as, deed, settings):
                with suppress(InvalidValue):
                    if before is not None and before.text != kept_as.text:
                        kept = revise(self._store, before, kept_as, deed)
                    else:
                        kept = remember(self._store, self._as_known(kept_as), deed, live, at or event.at)
                    self._absorb(session, kept.memory, deed)
                    done.append(kept)
        return done

    def _absorb(self, session: Session, proven: Memory, deed: DeedId) -> None:
        """What the session proves takes the place of the candidates that only say it."""
        if proven.tier is Tier.CANDIDATE or not proven.is_live:
            return
        said = [words_of(sentence) for sentence in sentences(proven.text)]
        for candidate in self._store.candidates_of(session.id):
            if candidate.id != proven.id and candidate.scope == proven.scope and is_echo(candidate.text, said):
                supersede(self._store, candidate, proven, deed)

    def _begun(self, session: Session, at: datetime) -> DeedId:
        return self._store.begin_deed(DeedKind.LEARN, at, session.host, {"session": session.id})

    def _as_known(self, draft: Draft) -> Draft:
        """What is known word for word is not kept a second time because another reading gives it another kind."""
        kinds = [kind for kind in Kind if kind_for(kind, draft.source.role) is kind]
        known = self._store.find_same(draft, kinds=kinds)
        return draft if known is None else replace(draft, kind=known.kind)

    def _makes_room(self, session: Session, draft: Draft, deed: DeedId, settings: Settings) -> bool:
        """A session brings only so much; of candidates, the likeliest to matter later stay."""
        if not self._is_full(session, draft.tier, settings):
            return True
        least = self._displaced(session, draft.tier, draft.durability)
        if least is None:
            return False
        self._store.note_change(deed, least.id, least)
        self._store.update(replace(least, valid_to=max(draft.at, least.valid_from)))
        return True

    def _has_room(self, session: Session, proposal: Proposal, settings: Settings) -> bool:
        """Asked early: most of what a long session proposes finds none."""
        is_full = self._is_full(session, proposal.tier, settings)
        return not is_full or self._displaced(session, proposal.tier, proposal.durability) is not None

    def _is_full(self, session: Session, tier: Tier, settings: Settings) -> bool:
        limits = settings.capture
        most = limits.confirmed_per_session if tier is Tier.CONFIRMED else limits.candidates_per_session
        return self._store.count_learnt(session.id, tier) >= most

    def _displaced(self, session: Session, tier: Tier, durability: float) -> Memory | None:
        """What would have to go; None: nothing does for this."""
        least = None if tier is Tier.CONFIRMED else self._store.least_learnt(session.id)
        return least if least is not None and least.durability < durability else None

    def _leave(self, session: Session, event: Event, listener: Listener, settings: Settings) -> None:
        """What the session has for the next one, as far as it has come."""
        if session.project is None or settings.archive.days <= 0:
            return
        notes, summary = listener.told()
        given = event if isinstance(event, SessionEnded) else None
        told = Recap(
            session=session.id,
            project=session.project,
            at=event.at,
            notes=given.notes if given and given.notes else notes,
            summary=given.summary if given and given.summary else summary,
        )
        before = self._store.recap(session.id)
        left = admitted_recap(told, settings.privacy)
        # What was heard from its beginning is told anew as a whole: what failed may pass now.
        earlier = self._left.get(session.id) if session.id in self._listeners else before
        left = left if earlier is None else left.after(earlier)
        if (left.notes or left.summary) if before is None else replace(left, at=before.at) != before:
            self._store.keep_recap(left)

    def _close(self, session: Session, event: SessionEnded) -> None:
        self._listeners.pop(session.id, None)
        self._left.pop(session.id, None)
        if session.ended_at is None or session.ended_at < event.at:
            self._store.keep_session(replace(session, ended_at=event.at))
        self._store.drop_events(session.id)


def _draft(proposal: Proposal, session: Session, event: Event, settings: Settings) -> Draft | None:
    """None: it has no place where it would hold. What somebody says of an ignored file is their word, not its own."""
    privacy = settings.privacy
    scope = _scope(proposal.level, session)
    if scope is None:
        return None
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
            anchors=tuple(Anchor(path) for path in dict.fromkeys(proposal.paths) if not may_not_be_read(path, privacy)),
            tier=proposal.tier,
            durability=proposal.durability,
            rules=RULES,
            flag=TO_APPROVE if settings.capture.approval else None,
        )
    except InvalidValue:  # a path with a line break, say
        return None


def _as_read(proposal: Proposal) -> Proposal:
    """What somebody wrote who may not be the user: something that was read, in one project, and never more."""
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
    """What would be proposed if these events of one session happened now. Nothing is stored."""
    listener = Listener(settings.capture)
    kept = (admitted_event(event, settings.privacy) for event in events)
    proposals = [proposal for event in kept if event is not None for proposal in listener.hear(event)]
    return [
        replace(proposal, kind=kind_for(proposal.kind, proposal.role))
        for proposal in proposals
        if _may_last(proposal, settings)
    ]


def _is_proven(draft: Draft, done: Sequence[Stored]) -> bool:
    """Whether it only says what the same message has just proven: an error with its fix."""
    proven = [kept.memory for kept in done if kept.memory.tier is Tier.CONFIRMED]
    errors = [memory for memory in proven if memory.kind is Kind.ERROR_PATTERN and memory.scope == draft.scope]
    said = [words_of(sentence) for memory in errors for sentence in sentences(memory.text)]
    return draft.tier is Tier.CANDIDATE and bool(said) and is_echo(draft.text, said)


def _may_last(proposal: Proposal, settings: Settings) -> bool:
    """What is stated outright needs no estimate: `Always use type hints.` is too short for a good one."""
    return proposal.tier is Tier.CONFIRMED or proposal.durability >= settings.capture.durability
