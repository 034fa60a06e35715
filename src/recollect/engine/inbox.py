"""What happens is written down before it is answered, redacted, to be learnt from later. Every answer waits for this:
nothing here reads more than it must."""

from collections import OrderedDict, deque
from dataclasses import replace
from datetime import datetime, timedelta

from recollect.capture.said.origin import origin_of
from recollect.domain.errors import StoreError
from recollect.domain.event import Compacted, Event, Prompt, Reply, SessionEnded, ToolFailed, ToolSucceeded
from recollect.domain.injection import Session
from recollect.domain.learning import Origin
from recollect.domain.memory import SessionId
from recollect.domain.session import NO_SUMMARY
from recollect.engine.admission import admitted_event
from recollect.engine.ports import SettingsFor, Store
from recollect.text.optout import opted_out, without_markers

LOOKED_AT = 500  # events of a session, for its last prompt
SESSIONS_AT_ONCE = 50
MOST_UNWRITTEN = 1000  # events that wait in memory for a disk that is full
ORIGIN_CHARS = 5000  # of a prompt, to see who speaks
WISHES = (Origin.USER, Origin.COMMAND)  # whose prompts say whether they are kept; a notice wishes nothing

LearntFrom = Prompt | Reply | ToolSucceeded | ToolFailed | Compacted | SessionEnded


class Inbox:
    def __init__(self, store: Store, settings_for: SettingsFor) -> None:
        self._store = store
        self._settings_for = settings_for
        self._muted: OrderedDict[SessionId, bool] = OrderedDict()
        self._unwritten: deque[Event] = deque()  # what the disk did not take, the oldest first
        self.dropped = 0  # so many found no room in memory either

    def note(self, session: Session, event: Event) -> bool:
        """Written down before it is answered, as far as its user lets us. False: the disk takes nothing just now."""
        settings = self._settings_for(event.folder)
        writes = settings.capture.enabled and session.captures and not self._store.is_read_only
        if isinstance(event, Prompt) and is_nobodys(event):
            return True  # written down, it would read like a prompt that opted out
        if isinstance(event, Prompt):
            event = replace(event, origin=origin_of(event.text[:ORIGIN_CHARS], event.origin))
            if self._hear(session, event):
                if writes and event.origin in WISHES:  # that there was one is all that is kept: what follows is its own
                    return self._put(replace(event, text="", origin=Origin.NOTIFICATION))
                return True
            event = replace(event, text=without_markers(event.text))
        elif writes and self.is_muted(session):
            if not isinstance(event, SessionEnded):
                return True
            event = replace(event, notes=(), summary=NO_SUMMARY)  # it would tell what was not to be kept
        kept = admitted_event(event, settings.privacy) if writes else None
        return kept is None or self._put(kept)

    def mute(self, session: SessionId) -> None:
        """Nothing is kept of this session until its next prompt."""
        self._mute(session, True)

    def catch_up(self) -> None:
        """Writes what the disk did not take when it came. StoreError: it still does not."""
        self._write()

    def forget(self, session: SessionId) -> None:
        """The session is deleted: nothing of it waits any more."""
        self._muted.pop(session, None)
        with self._store.writing():  # one at a time
            for event in [event for event in self._unwritten if event.session == session]:
                self._unwritten.remove(event)

    @property
    def unwritten(self) -> int:
        return len(self._unwritten)

    def _put(self, event: Event) -> bool:
        """After what came before it: an answer that says nothing of this means that it is on the disk."""
        try:
            self._write(event)
        except StoreError:
            return False
        return True

    def _write(self, *events: Event) -> None:
        """In their order, whoever writes: what is older must not take the place of what is newer. One that no disk
        could ever take is dropped by itself: the others wait, and it is in nobody's way."""
        taken = deque(events)
        try:
            with self._store.writing():  # one at a time
                taken.extendleft(self._unwritten.pop() for _ in range(len(self._unwritten)))
                at = 0
                try:
                    for event in taken:
                        self._store.put_event(event)
                        at += 1
                except StoreError:
                    self._take_back(taken)  # before somebody else writes
                    raise
                finally:
                    if at < len(taken):  # it has failed otherwise: not what the disk is, but what this one is
                        del taken[at]
                        self.dropped += 1
                        self._take_back(taken)
        except StoreError:
            self._take_back(taken)  # it was not even begun, or it could not be ended
            raise

    def _take_back(self, taken: deque[Event]) -> None:
        while taken:
            self._unwritten.appendleft(taken.pop())
        while len(self._unwritten) > MOST_UNWRITTEN:
            self._unwritten.popleft()
            self.dropped += 1

    def is_muted(self, session: Session) -> bool:
        """Whether the last prompt of the session opted out; after a restart, as it is written. An agent that is begun
        by such a prompt belongs to it."""
        if session.id not in self._muted:
            heard = self._store.heard_events(session.id, limit=LOOKED_AT, waiting=True)
            wishes = [_opts_out(one) for one in heard if isinstance(one, Prompt) and _is_wish(one)]
            self._mute(session.id, wishes[-1] if wishes else self._is_child_of_muted(session))
        return self._muted[session.id]

    def close_silent(self, now: datetime, *, besides: SessionId | None = None) -> None:
        """Sessions that ended without a word, as in a crash, end when they last spoke."""
        minutes = self._settings_for(None).capture.silent_minutes
        for session_id, last in self._store.silent_sessions(now - timedelta(minutes=minutes)):
            session = self._store.session(session_id)
            if session is None:
                self._store.drop_events(session_id)
            elif session_id != besides:
                self._store.put_event(SessionEnded(session=session_id, at=last, host=session.host))

    def _mute(self, session: SessionId, muted: bool) -> None:
        self._muted.pop(session, None)
        self._muted[session] = muted
        while len(self._muted) > SESSIONS_AT_ONCE:
            self._muted.popitem(last=False)

    def _hear(self, session: Session, prompt: Prompt) -> bool:
        """Whether it is left out."""
        begins = session.id not in self._muted and session.parent is not None
        if prompt.origin not in WISHES or (begins and self.is_muted(session)):
            return self.is_muted(session)
        self._mute(session.id, opted_out(prompt.text).capture)
        return self._muted[session.id]

    def _is_child_of_muted(self, session: Session) -> bool:
        parent = None if session.parent in (None, session.id) else self._store.session(session.parent)
        if parent is None:
            return False
        return self._muted[parent.id] if parent.id in self._muted else self.is_muted(replace(parent, parent=None))


def is_nobodys(prompt: Prompt) -> bool:
    """A turn in which nobody said anything, as when a host goes on by itself."""
    return not prompt.text.strip() and prompt.origin is Origin.NOTIFICATION


def _is_wish(prompt: Prompt) -> bool:
    return prompt.origin in WISHES or _opts_out(prompt)


def _opts_out(prompt: Prompt) -> bool:
    """As it is written down: that there was one."""
    return not prompt.text and prompt.origin is Origin.NOTIFICATION
