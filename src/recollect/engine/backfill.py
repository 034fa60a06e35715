"""Old sessions, as their transcripts tell them: turns go into the archive, and what they teach is learnt.

In batches of one transaction each, which also keeps how far it got: whatever ends it, nothing is lost and nothing is
done twice. A session that was captured while it went on stays as it is. What its user did not want kept is not kept.
"""

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
from recollect.domain.injection import Session
from recollect.domain.learning import Origin
from recollect.domain.memory import Draft, Kind, ProjectId, Role, SessionId, Tier
from recollect.domain.outcome import Contradicts, Same, Stored
from recollect.domain.session import Turn
from recollect.domain.transcript import Mark
from recollect.engine.admission import admitted_event, admitted_turn, turn_of
from recollect.engine.inbox import LearntFrom
from recollect.engine.learning import Learning
from recollect.engine.old_sessions import OldSessions
from recollect.engine.ports import SettingsFor, Store
from recollect.text.optout import without_markers

BATCH_EVENTS = 10  # in one transaction: an agent that has something to write does not wait long
# The project of some, whether reading began before, and whether they are the user's own.
Meets = Callable[[ProjectId | None, bool, bool], OldSessions]
Taught = tuple[Session, Event, list[Draft]]  # as it may be kept, and what it teaches


@dataclass(slots=True)
class LearntCounts:
    """What sessions taught, counted: of many, there is too much to hold."""

    confirmed: Counter[Kind] = field(default_factory=Counter)
    candidates: Counter[Kind] = field(default_factory=Counter)
    same: int = 0  # said again
    contradicting: int = 0  # of the new ones

    def count(self, stored: Stored) -> None:
        if isinstance(stored, Same):
            self.same += 1
            return
        self.contradicting += isinstance(stored, Contradicts)
        of_tier = self.candidates if stored.memory.tier is Tier.CANDIDATE else self.confirmed
        of_tier[stored.memory.kind] += 1

    def add(self, other: "LearntCounts") -> None:
        self.confirmed += other.confirmed
        self.candidates += other.candidates
        self.same += other.same
        self.contradicting += other.contradicting

    def __bool__(self) -> bool:
        return bool(self.confirmed or self.candidates or self.same)


@dataclass(slots=True, kw_only=True)
class Backfilled:
    """What came of one transcript."""

    sessions: set[SessionId] = field(default_factory=set)
    turns: int = 0  # new in the archive
    known: int = 0  # turns that were there already
    unwanted: int = 0  # turns that are not kept: opted out, switched off, private, or older than the archive
    outdated: int = 0  # those of them that are older than the archive
    outdated_sessions: set[SessionId] = field(default_factory=set)
    oldest_at: datetime | None = None  # the oldest of them
    learnt: LearntCounts = field(default_factory=LearntCounts)
    was_finished: bool = False  # it was read before, and is as it was


class Backfill:
    def __init__(self, store: Store, settings_for: SettingsFor, sessions: Meets, of: Learning) -> None:
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
    ) -> Backfilled:
        """`transcript`: which one, and its state now; `project`: of sessions that do not tell their folder; `is_own`:
        False for what somebody else may have written."""
        before = self._store.mark(transcript.source)
        if before is not None and before.finished and before.state == transcript.state:
            return Backfilled(was_finished=True)
        for done in [before, None] if before is not None else [None]:
            sessions = self._sessions(project, before is not None, is_own)
            reader = _TranscriptReader(self._store, self._settings_for, sessions, self._learning, now, is_own=is_own)
            if reader.read(transcript, done, events()):
                return reader.result
        return Backfilled()  # never: what was not begun before cannot have begun otherwise

    def is_finished(self, transcript: Mark) -> bool:
        before = self._store.mark(transcript.source)
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
        self._oldest = now - timedelta(days=settings_for(None).archive.days)  # of no days: nothing is kept
        self._listeners: dict[SessionId, Listener] = {}
        self._gone: dict[SessionId, frozenset[str]] = {}
        self._purges = store.purges()  # as of these
        self.result = Backfilled()

    def read(self, transcript: Mark, before: Mark | None, events: Iterable[Event]) -> bool:
        """Goes on where it was ended. False: it does not begin with what was done before; nothing is done then."""
        done, digest, waiting = 0, sha256(), list[Event]()
        until = before.events if before is not None else 0
        for event in events:
            if not isinstance(event, SessionEnded):  # where the file ended before, it may go on now
                done += 1
                digest.update(_name(event))
                if done <= until:
                    self._hear(event, again=True)
                    if done == until and before is not None and digest.hexdigest() != before.digest:
                        return False
                    continue
            waiting.append(event)
            if len(waiting) >= BATCH_EVENTS and not isinstance(event, SessionEnded):
                self._keep(waiting, replace(transcript, events=done, digest=digest.hexdigest()))
                waiting = []
        if done < until:
            return False
        self._keep(waiting, replace(transcript, events=done, digest=digest.hexdigest(), finished=True))
        return True

    def _keep(self, events: Sequence[Event], mark: Mark) -> None:
        if self._store.purges() != self._purges:  # something was forgotten for good meanwhile
            self._purges = self._store.purges()
            self._gone.clear()
            self._listeners.clear()
        # Asks git and the model, before anybody has to wait for us.
        taught = [one for one in (self._hear(event) for event in events) if one is not None]
        turns = [turn for session, event, _ in taught for turn in self._turn(session, event)]
        self._count_outdated([event for _, event, _ in taught])
        with self._store.writing():
            added = self._store.add_turns(turns, only_new=True)
            for session, event, drafts in taught:
                listener = self._listeners[session.id]
                # Notes would tell the next session what to do: only the user's own sessions leave some.
                told_by = listener if self._is_own else None
                for stored in self._learning.keep_old(session, event, drafts, told_by, self._now):
                    self.result.learnt.count(stored)
                self._sessions.end(event)
            self._sessions.keep_wishes()
            self._store.keep_mark(mark)
        self._store.give_way()
        self.result.sessions.update(session.id for session, _, _ in taught)
        self.result.turns += added
        self.result.known += len(turns) - added
        said = [event.session for event in events if _is_said(event)]
        known = sum(session in self._sessions.known for session in said)
        self.result.known += known
        self.result.unwanted += len(said) - len(turns) - known
        self.result.sessions |= self._sessions.known

    def _count_outdated(self, events: Sequence[Event]) -> None:
        outdated = [event for event in events if _is_said(event) and event.at <= self._oldest]
        if outdated:
            self.result.outdated += len(outdated)
            self.result.outdated_sessions.update(event.session for event in outdated)
            self.result.oldest_at = min([self.result.oldest_at or self._now, *(event.at for event in outdated)])

    def _hear(self, event: Event, *, again: bool = False) -> Taught | None:
        """None: nothing of it is to be kept."""
        session = self._sessions.of(event)
        if session is None or not isinstance(event, LearntFrom) or self._is_gone(event, again=again):
            return None
        if isinstance(event, Prompt):
            event = replace(event, text=without_markers(event.text), origin=origin_of(event.text, event.origin))
        kept = admitted_event(event, self._settings_for(event.folder).privacy)
        if kept is None:
            return None
        if session.id not in self._listeners:
            self._listeners[session.id] = self._learning.listener(event.folder)
        listener = self._listeners[session.id]
        return session, kept, self._learning.hear_old(session, kept, listener, is_own=self._is_own)

    def _is_gone(self, event: Event, *, again: bool) -> bool:
        """What was forgotten for good is not heard again, nor, in its session, what was learnt from before: that would
        tell it in the notes."""
        if event.session not in self._gone:
            self._gone[event.session] = self._store.gone(event.session)
        gone = self._gone[event.session]
        return bool(gone) and (
            again or not gone.isdisjoint((getattr(event, "message", None), getattr(event, "call", None)))
        )

    def _turn(self, session: Session, event: Event) -> list[Turn]:
        """What of an event belongs into the archive; of what the host says in the user's name, nothing does."""
        at = min(event.at, self._now)  # a clock was wrong
        if not isinstance(event, Prompt | Reply) or not _is_said(event) or at <= self._oldest:
            return []
        with suppress(InvalidValue):  # the message has a name that looks like a secret
            said = replace(turn_of(session, event), at=at)
            turn = admitted_turn(said if self._is_own else replace(said, role=Role.TOOL, origin=Origin.TOOL))
            return [] if turn is None else [turn]
        return []


def _is_said(event: Event) -> bool:
    return isinstance(event, Reply) or (isinstance(event, Prompt) and event.origin is not Origin.NOTIFICATION)


def _name(event: Event) -> bytes:
    """What tells one event from another, without its words."""
    name = getattr(event, "message", None) or getattr(event, "call", None) or ""
    return f"{type(event).__name__}\0{event.session}\0{name}\0{event.at.isoformat()}\n".encode("utf-8", "replace")
