"""Backfill: read old sessions from their transcripts, archive their turns and learn from them. Each batch is one
transaction, which also stores how far it got: whatever interrupts it, nothing is lost and nothing is done twice.
Sessions that were already captured live stay as they are. Opted-out parts are not stored."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import sha256

from recollect.capture.said.origin import origin_of
from recollect.capture.session import Listener
from recollect.domain.errors import InvalidValue
from recollect.domain.event import Event, Prompt, Reply, SessionEnded
from recollect.domain.learning import Origin
from recollect.domain.memory import Draft, Kind, ProjectId, Role, SessionId, Tier
from recollect.domain.outcome import Contradicts, Same, Stored
from recollect.domain.session import Session, Turn
from recollect.domain.transcript import Mark
from recollect.engine.admission import admit_event, admit_turn, turn_from_event
from recollect.engine.inbox import LearnableEvent
from recollect.engine.learning import Learning
from recollect.engine.old_sessions import OldSessions
from recollect.engine.ports import SettingsFor, Store
from recollect.text.optout import without_markers

BATCH_EVENTS = 10  # in one transaction: an agent that wants to write does not wait long
# Takes the project of sessions without a folder, whether reading began before, and whether they are the user's own.
OpensSessions = Callable[[ProjectId | None, bool, bool], OldSessions]
Lesson = tuple[Session, Event, list[Draft]]  # the event as it may be stored, and what is learnt from it


@dataclass(slots=True)
class LearntCounts:
    """Counts of learnt memories: the memories of many sessions would be too much to keep in memory."""

    confirmed: Counter[Kind] = field(default_factory=Counter)
    candidates: Counter[Kind] = field(default_factory=Counter)
    same: int = 0  # already known
    contradicting: int = 0  # of the new ones

    def count(self, stored: Stored) -> None:
        if isinstance(stored, Same):
            self.same += 1
            return
        if isinstance(stored, Contradicts):
            self.contradicting += 1
        if stored.memory.tier is Tier.CANDIDATE:
            self.candidates[stored.memory.kind] += 1
        else:
            self.confirmed[stored.memory.kind] += 1

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


class Backfill:
    def __init__(self, store: Store, settings_for: SettingsFor, sessions: OpensSessions, of: Learning) -> None:
        self._store = store
        self._settings_for = settings_for
        self._sessions = sessions
        self._learning = of

    def run(
        self,
        transcript: Mark,
        events: Callable[[], Iterable[Event]],
        *,
        now: datetime,
        project: ProjectId | None,
        is_own: bool = True,
    ) -> BackfillResult:
        """Read one transcript, given its name and current state. `project`: for sessions without a folder; `is_own`:
        False if another person may have written it."""
        if self.is_finished(transcript):
            return BackfillResult(was_finished=True)
        before = self._store.find_mark(transcript.source)
        starts = [None] if before is None else [before, None]  # None: from the beginning
        for start in starts:
            sessions = self._sessions(project, before is not None, is_own)
            reader = _TranscriptReader(self._store, self._settings_for, sessions, self._learning, now, is_own=is_own)
            if reader.read(transcript, start, events()):
                return reader.result
        return BackfillResult()  # unreachable: reading from the beginning always succeeds

    def is_finished(self, transcript: Mark) -> bool:
        before = self._store.find_mark(transcript.source)
        return before is not None and before.finished and before.state == transcript.state


class _TranscriptReader:
    """Reads one transcript once."""

    def __init__(
        self,
        store: Store,
        settings_for: SettingsFor,
        sessions: OldSessions,
        learning: Learning,
        now: datetime,
        *,
        is_own: bool,
    ) -> None:
        self._store = store
        self._settings_for = settings_for
        self._sessions = sessions
        self._learning = learning
        self._now = now
        self._is_own = is_own
        self._oldest = now - timedelta(days=settings_for(None).archive.days)  # with 0 days nothing is archived
        self._listeners: dict[SessionId, Listener] = {}
        self._gone: dict[SessionId, frozenset[str]] = {}
        self._purges = store.count_purges()  # when the two above were last valid
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
                    self._hear(event, again=True)
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
        if self._store.count_purges() != self._purges:  # something was forgotten for good meanwhile
            self._purges = self._store.count_purges()
            self._gone.clear()
            self._listeners.clear()
        # Asks git and the model before the transaction: no other writer waits for that.
        lessons = [lesson for lesson in map(self._hear, events) if lesson is not None]
        turns = []
        for session, event, _ in lessons:
            turn = self._turn(session, event)
            if turn is not None:
                turns.append(turn)
        self._count_outdated([event for _, event, _ in lessons])
        with self._store.transaction():
            added = self._store.add_turns(turns, only_new=True)
            for session, event, drafts in lessons:
                # Notes tell the next session what to do: only the user's own sessions leave some.
                notes_from = self._listeners[session.id] if self._is_own else None
                for stored in self._learning.keep_old(session, event, drafts, notes_from, self._now):
                    self.result.learnt.count(stored)
                self._sessions.end(event)
            self._sessions.store_changes()
            self._store.keep_mark(mark)
        self._store.give_way()
        self.result.sessions.update(session.id for session, _, _ in lessons)
        self._count_turns(events, len(turns), added)

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

    def _hear(self, event: Event, *, again: bool = False) -> Lesson | None:
        """Learn from one event; None: nothing of it may be stored. `again`: it was stored in an earlier run."""
        session = self._sessions.session_for(event)
        if session is None or not isinstance(event, LearnableEvent) or self._is_gone(event, again=again):
            return None
        if isinstance(event, Prompt):
            event = replace(event, text=without_markers(event.text), origin=origin_of(event.text, event.origin))
        kept = admit_event(event, self._settings_for(event.folder).privacy)
        if kept is None:
            return None
        if session.id not in self._listeners:
            self._listeners[session.id] = self._learning.listener(event.folder)
        listener = self._listeners[session.id]
        return session, kept, self._learning.hear_old(session, kept, listener, is_own=self._is_own)

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
