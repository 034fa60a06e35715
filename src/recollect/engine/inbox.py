"""Inbox: every event is stored, redacted, before it is answered, to be learnt from later. Every answer waits for this,
so nothing here reads more than it must."""

from collections import OrderedDict, deque
from dataclasses import replace
from datetime import datetime, timedelta

from recollect.capture.said.origin import origin_of
from recollect.domain.errors import StoreError
from recollect.domain.event import Compacted, Event, Prompt, Reply, SessionEnded, ToolFailed, ToolSucceeded
from recollect.domain.learning import Origin
from recollect.domain.memory import SessionId
from recollect.domain.session import NO_SUMMARY, Session
from recollect.domain.settings import Settings
from recollect.engine.admission import admit_event
from recollect.engine.ports import SettingsFor, Store
from recollect.text.optout import find_opt_out, without_markers

LAST_EVENTS = 500  # of a session, searched for its last prompt
MAX_SESSIONS = 50  # whose opt-out is remembered in memory
MOST_UNWRITTEN = 1000  # events that wait in memory while the disk is full
ORIGIN_CHARS = 5000  # of a prompt, enough to see who wrote it
MAY_OPT_OUT = (Origin.USER, Origin.COMMAND)  # whose prompts can opt out

LearnableEvent = Prompt | Reply | ToolSucceeded | ToolFailed | Compacted | SessionEnded


class Inbox:
    def __init__(self, store: Store, settings_for: SettingsFor) -> None:
        self._store = store
        self._settings_for = settings_for
        self._muted: OrderedDict[SessionId, bool] = OrderedDict()
        self._unwritten: deque[Event] = deque()  # events that the disk did not take, the oldest first
        self.dropped = 0  # events that found no room in memory either

    def store(self, session: Session, event: Event) -> bool:
        """Store an event, as far as the user allows it. False: the disk takes nothing now."""
        settings = self._settings_for(event.folder)
        writes = settings.capture.enabled and session.captures and not self._store.is_read_only
        if isinstance(event, Prompt):
            return self._note_prompt(session, event, settings, writes=writes)
        if writes and self.is_muted(session):
            if not isinstance(event, SessionEnded):
                return True
            event = replace(event, notes=(), summary=NO_SUMMARY)  # these may contain opted-out words
        return self._admit_and_put(event, settings) if writes else True

    def _note_prompt(self, session: Session, prompt: Prompt, settings: Settings, *, writes: bool) -> bool:
        if is_host_generated(prompt):
            return True  # once stored, it would look like a prompt that opted out
        prompt = replace(prompt, origin=origin_of(prompt.text[:ORIGIN_CHARS], prompt.origin))
        if self._is_left_out(session, prompt):
            if writes and prompt.origin in MAY_OPT_OUT:  # store only that there was a prompt: replies to it follow
                return self._put(replace(prompt, text="", origin=Origin.NOTIFICATION))
            return True
        return self._admit_and_put(replace(prompt, text=without_markers(prompt.text)), settings) if writes else True

    def _admit_and_put(self, event: Event, settings: Settings) -> bool:
        kept = admit_event(event, settings.privacy)
        return kept is None or self._put(kept)

    def catch_up(self) -> None:
        """Write the events that the disk did not take before. StoreError: it still does not."""
        self._write()

    def forget(self, session: SessionId) -> None:
        """Drop everything of a deleted session."""
        self._muted.pop(session, None)
        with self._store.transaction():  # one thread at a time
            for event in [event for event in self._unwritten if event.session == session]:
                self._unwritten.remove(event)

    @property
    def unwritten(self) -> int:
        return len(self._unwritten)

    def _put(self, event: Event) -> bool:
        try:
            self._write(event)
        except StoreError:
            return False
        return True

    def _write(self, *events: Event) -> None:
        """Write the waiting events, then these: an older one must never replace a newer one. An event that fails by
        itself, not because of the disk, is dropped, so that it does not block the others."""
        taken = deque(events)
        try:
            with self._store.transaction():  # one thread at a time
                taken.extendleft(self._unwritten.pop() for _ in range(len(self._unwritten)))
                at = 0
                try:
                    for event in taken:
                        self._store.put_event(event)
                        at += 1
                except StoreError:
                    self._take_back(taken)  # before another thread writes
                    raise
                finally:
                    if at < len(taken):  # it failed with another error: the event is at fault, not the disk
                        del taken[at]
                        self.dropped += 1
                        self._take_back(taken)
        except StoreError:
            self._take_back(taken)  # the transaction could not be begun or committed
            raise

    def _take_back(self, taken: deque[Event]) -> None:
        while taken:
            self._unwritten.appendleft(taken.pop())
        while len(self._unwritten) > MOST_UNWRITTEN:
            self._unwritten.popleft()
            self.dropped += 1

    def is_muted(self, session: Session) -> bool:
        """Return True if the last prompt opted out (after a restart, by the store) or the one that started this agent."""
        if session.id not in self._muted:
            muted = None
            for event in self._store.past_events(session.id, limit=LAST_EVENTS, waiting=True):
                if isinstance(event, Prompt) and (event.origin in MAY_OPT_OUT or _opts_out(event)):
                    muted = _opts_out(event)  # the last one counts
            self.mute(session.id, self._is_child_of_muted(session) if muted is None else muted)
        return self._muted[session.id]

    def close_silent(self, now: datetime, *, except_for: SessionId | None = None) -> None:
        """End the sessions that stopped without an end event, as in a crash, at the time of their last event."""
        minutes = self._settings_for(None).capture.silent_minutes
        for session_id, last in self._store.silent_sessions(now - timedelta(minutes=minutes)):
            session = self._store.session(session_id)
            if session is None:
                self._store.drop_events(session_id)
            elif session_id != except_for:
                self._store.put_event(SessionEnded(session=session_id, at=last, host=session.host))

    def mute(self, session: SessionId, muted: bool = True) -> None:
        """Store nothing of this session until its next prompt."""
        self._muted.pop(session, None)
        self._muted[session] = muted
        while len(self._muted) > MAX_SESSIONS:
            self._muted.popitem(last=False)

    def _is_left_out(self, session: Session, prompt: Prompt) -> bool:
        is_first_of_agent = session.id not in self._muted and session.parent is not None
        if prompt.origin not in MAY_OPT_OUT or (is_first_of_agent and self.is_muted(session)):
            return self.is_muted(session)
        self.mute(session.id, find_opt_out(prompt.text).capture)
        return self._muted[session.id]

    def _is_child_of_muted(self, session: Session) -> bool:
        if session.parent is None or session.parent == session.id:
            return False
        parent = self._store.session(session.parent)
        if parent is None:
            return False
        return self._muted[parent.id] if parent.id in self._muted else self.is_muted(replace(parent, parent=None))


def is_host_generated(prompt: Prompt) -> bool:
    """Return True for an empty prompt of the host, as when it continues by itself."""
    return not prompt.text.strip() and prompt.origin is Origin.NOTIFICATION


def _opts_out(prompt: Prompt) -> bool:
    """Return True for the stored form of a prompt that opted out."""
    return not prompt.text and prompt.origin is Origin.NOTIFICATION
