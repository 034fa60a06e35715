"""Backfill: read old sessions from their transcripts, archive their turns and learn from them. Each batch is one
transaction, which also stores how far it got: whatever interrupts it, nothing is lost and nothing is done twice.
Sessions that were already captured live stay as they are. Opted-out parts are not stored."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import assert_never

from recollect.capture.said.origin import origin_of
from recollect.capture.session import Listener
from recollect.domain.errors import InvalidValue
from recollect.domain.event import Event, Prompt, Reply, SessionEnded
from recollect.domain.learning import Origin
from recollect.domain.memory import Draft, Kind, ProjectId, Role, SessionId, Tier
from recollect.domain.outcome import Contradicts, New, Same, Stored, Updates
from recollect.domain.session import Session, Turn
from recollect.domain.transcript import Mark
from recollect.engine.admission import admit_event, admit_turn, turn_from_event
from recollect.engine.context import Context
from recollect.engine.engine import Engine
from recollect.engine.learning.inbox import LearnableEvent
from recollect.engine.learning.old_sessions import Entered, OldSessions
from recollect.engine.learning.worker import REPLAYED_EVENTS, hear_old, is_unchanged, keep_old
from recollect.engine.ports import KeepsMarks
from recollect.text.optout import without_markers

BATCH_EVENTS = 10  # in one transaction: an agent that wants to write does not wait long
Lesson = tuple[Context, Session, Event, list[Draft]]  # and what is learnt from it


@dataclass(slots=True)
class LearntCounts:
    """Counts of learnt memories: the memories of many sessions would be too much to keep in memory."""

    confirmed: Counter[Kind] = field(default_factory=Counter)
    candidates: Counter[Kind] = field(default_factory=Counter)
    same: int = 0  # already known
    contradicting: int = 0  # of the new ones

    def count(self, stored: Stored) -> None:
        match stored:
            case Same():
                self.same += 1
                return
            case Contradicts():
                self.contradicting += 1
            case New() | Updates():
                pass
            case _ as never:
                assert_never(never)
        match stored.memory.tier:
            case Tier.CANDIDATE:
                self.candidates[stored.memory.kind] += 1
            case Tier.CONFIRMED:
                self.confirmed[stored.memory.kind] += 1
            case _ as no_tier:
                assert_never(no_tier)

    def add(self, other: "LearntCounts") -> None:
        self.confirmed += other.confirmed
        self.candidates += other.candidates
        self.same += other.same
        self.contradicting += other.contradicting

    def __bool__(self) -> bool:
        return bool(self.confirmed or self.candidates or self.same)


@dataclass(slots=True, kw_only=True)
class BackfillResult:
    """The result for one transcript."""

    sessions: set[SessionId] = field(default_factory=set)
    turns: int = 0  # new in the archive
    known: int = 0  # turns that were already there
    unwanted: int = 0  # turns that are not stored: opted out, switched off, private, or older than the archive
    outdated: int = 0  # of these, the ones older than the archive
    outdated_sessions: set[SessionId] = field(default_factory=set)
    oldest_at: datetime | None = None  # of the outdated turns
    learnt: LearntCounts = field(default_factory=LearntCounts)
    was_finished: bool = False  # it was read before, and has not changed


def read_transcript(
    engine: Engine,
    transcript: Mark,
    events: Callable[[], Iterable[Event]],
    *,
    now: datetime,
    project: ProjectId | None = None,
    is_own: bool = True,
) -> BackfillResult:
    """Learn from an old session, given its name and current state; a second run continues where the first one stopped.
    `project`: for sessions without a folder; `is_own`: False if another person may have written it."""
    if has_read(engine.store, transcript):
        return BackfillResult(was_finished=True)
    before = engine.store.find_mark(transcript.source)
    starts = [None] if before is None else [before, None]  # None: from the beginning
    for start in starts:
        sessions = OldSessions(engine.store, project, was_begun=before is not None, is_own=is_own)
        reader = _TranscriptReader(engine, sessions, now, is_own=is_own)
        if reader.read(transcript, start, events()):
            return reader.result
    return BackfillResult()  # unreachable: reading from the beginning always succeeds


def has_read(store: KeepsMarks, transcript: Mark) -> bool:
    """The old session was read to its end and has not changed since."""
    before = store.find_mark(transcript.source)
    return before is not None and before.finished and before.state == transcript.state


class _TranscriptReader:
    """Reads one transcript once."""

    def __init__(self, engine: Engine, sessions: OldSessions, now: datetime, *, is_own: bool) -> None:
        self._engine = engine
        self._store = engine.store
        self._sessions = sessions
        self._now = now
        self._is_own = is_own
        archive = engine.settings_for(None).archive
        self._oldest = now - timedelta(days=archive.days)  # with 0 days nothing is archived
        self._listeners: dict[SessionId, Listener] = {}
        self._heard: deque[Entered] = deque(maxlen=REPLAYED_EVENTS)  # for listeners that begin again
        self._gone: dict[SessionId, frozenset[str]] = {}
        self._erasures = self._store.count_erasures()  # when the two above were last valid
        self.result = BackfillResult()

    def read(self, transcript: Mark, before: Mark | None, events: Iterable[Event]) -> bool:
        """Continue where reading stopped before. False: the transcript begins differently now; nothing was stored."""
        done, digest, waiting = 0, sha256(), list[Event]()
        until = 0 if before is None else before.events
        for event in events:
            is_end = isinstance(event, SessionEnded)  # not counted: where the file ended before, it may continue now
            if not is_end:
                done += 1
                digest.update(_digest_line(event))
                if done <= until:
                    entered = self._enter(event)
                    if entered is not None and not self._sessions.is_new(event.session):  # else it was deleted since
                        self._hear(entered, again=True)
                        self._heard.append(entered)
                    if done == until and before is not None and digest.hexdigest() != before.digest:
                        return False
                    continue
            waiting.append(event)
            if len(waiting) >= BATCH_EVENTS and not is_end:
                self._store_batch(waiting, replace(transcript, events=done, digest=digest.hexdigest()))
                waiting = []
        if done < until:
            return False
        self._store_batch(waiting, replace(transcript, events=done, digest=digest.hexdigest(), finished=True))
        return True

    def _store_batch(self, events: Sequence[Event], mark: Mark) -> None:
        entered = list(filter(None, map(self._enter, events)))
        while not self._try_batch(events, entered, mark):  # something was forgotten, or joined, meanwhile
            entered = self._sessions.read_again(entered)
            self._erasures = self._store.count_erasures()
            self._gone.clear()
            self._listeners.clear()
            for heard in self._sessions.read_again(self._heard):
                self._hear(heard, again=True)

    def _try_batch(self, events: Sequence[Event], entered: Sequence[Entered], mark: Mark) -> bool:
        """Return False if something was forgotten or joined since the listeners began; nothing is stored then."""
        # Asks git and the model before the transaction: no other writer waits for that.
        lessons = list(filter(None, map(self._hear, entered)))
        turns = []
        for _, session, event, _ in lessons:
            turn = self._turn(session, event)
            if turn is not None:
                turns.append(turn)
        sessions = {session.id: session for _, session, _, _ in lessons}
        with self._store.transaction():
            is_same = all(is_unchanged(self._store, session) for session in sessions.values())
            if not is_same or self._store.count_erasures() != self._erasures:
                return False
            added = self._store.add_turns(turns, only_new=True)
            for ctx, session, event, drafts in lessons:
                # Notes tell the next session what to do: only the user's own sessions leave some.
                notes_from = self._listeners[session.id] if self._is_own else None
                for stored in keep_old(ctx, session, event, drafts, notes_from, self._now):
                    self.result.learnt.count(stored)
                self._sessions.end(event)
            self._sessions.store_changes()
            self._store.keep_mark(mark)
        self._store.give_way()
        self._heard += [lesson[:3] for lesson in lessons]
        self._count_outdated([event for _, _, event, _ in lessons])
        self.result.sessions |= sessions.keys()
        self._count_turns(events, len(turns), added)
        return True

    def _count_turns(self, events: Sequence[Event], kept: int, added: int) -> None:
        said = [event.session for event in events if _is_said(event)]
        known = sum(session in self._sessions.known for session in said)
        self.result.turns += added
        self.result.known += kept - added + known
        self.result.unwanted += len(said) - kept - known
        self.result.sessions |= self._sessions.known

    def _count_outdated(self, events: Sequence[Event]) -> None:
        for event in events:
            if _is_said(event) and event.at <= self._oldest:
                self.result.outdated += 1
                self.result.outdated_sessions.add(event.session)
                self.result.oldest_at = min(self.result.oldest_at or self._now, event.at)

    def _enter(self, event: Event) -> Entered | None:
        """Follow the session's opt-outs, so once per event and in order; None: nothing of it may be stored."""
        ctx = self._engine.context(event.folder, event.at)
        session = self._sessions.session_for(ctx, event)
        if session is None or not isinstance(event, LearnableEvent):
            return None
        if isinstance(event, Prompt):
            event = replace(event, text=without_markers(event.text), origin=origin_of(event.text, event.origin))
        kept = admit_event(event, ctx.settings.privacy)
        return None if kept is None else (ctx, session, kept)

    def _hear(self, entered: Entered, *, again: bool = False) -> Lesson | None:
        """Learn from one event; None: it was forgotten for good. `again`: it was stored in an earlier run."""
        ctx, session, event = entered
        if self._is_gone(event, again=again):
            return None
        if session.id not in self._listeners:
            self._listeners[session.id] = Listener(ctx.settings.capture)
        listener = self._listeners[session.id]
        return ctx, session, event, hear_old(ctx, session, event, listener, is_own=self._is_own)

    def _is_gone(self, event: Event, *, again: bool) -> bool:
        """Return True for an event that was forgotten for good. In its session, all events of earlier runs are skipped
        too: they would bring it back in the notes."""
        if event.session not in self._gone:
            self._gone[event.session] = self._store.find_erased(event.session)
        gone = self._gone[event.session]
        if not gone:
            return False
        return again or getattr(event, "message", None) in gone or getattr(event, "call", None) in gone

    def _turn(self, session: Session, event: Event) -> Turn | None:
        """Return the turn to archive; None: there is none, as for host messages in the user's name."""
        at = min(event.at, self._now)  # a clock was wrong
        if not isinstance(event, Prompt | Reply) or not _is_said(event) or at <= self._oldest:
            return None
        with suppress(InvalidValue):  # the message has a name that looks like a secret
            turn = replace(turn_from_event(session, event), at=at)
            if not self._is_own:
                turn = replace(turn, role=Role.TOOL, origin=Origin.TOOL)
            return admit_turn(turn)
        return None


def _is_said(event: Event) -> bool:
    return isinstance(event, Reply) or (isinstance(event, Prompt) and event.origin is not Origin.NOTIFICATION)


def _digest_line(event: Event) -> bytes:
    """Identify an event without its words."""
    name = getattr(event, "message", None) or getattr(event, "call", None) or ""
    return f"{type(event).__name__}\0{event.session}\0{name}\0{event.at.isoformat()}\n".encode("utf-8", "replace")
