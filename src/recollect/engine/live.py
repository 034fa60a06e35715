"""The state that all requests of a process share, in memory only. A restart loses no events and no opt-outs: the store
has both.

Requests run in threads. A part that changes in several steps has a lock. Never hold a lock while you call the store,
except `learning.lock`: of all requests only `inject` takes it."""

from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from recollect.domain.changes import Erasures
from recollect.domain.event import Asked, Event, SessionDeleted, SessionStarted
from recollect.domain.memory import MemoryId, SessionId
from recollect.domain.session import Recap, SessionKey
from recollect.engine.learning.exchanges import Exchanges
from recollect.engine.moments.prepared_starts import PreparedBlocks

if TYPE_CHECKING:
    from recollect.capture.session import Listener  # only a process that learns loads its patterns

MAX_SESSIONS = 200
MAX_MUTED_SESSIONS = 50  # whose opt-out is remembered
MAX_JUDGEMENTS = 2000
RECENT_FILES, RECENT_PROMPTS = 10, 5


class RecentPerSession:
    """The last few files, or prompts, of each session, newest first."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._of: dict[SessionId, tuple[str, ...]] = {}
        self._lock = Lock()

    def note(self, session: SessionId, *items: str) -> None:
        if not items:
            return
        with self._lock:
            known = self._of.pop(session, ())
            self._of[session] = tuple(dict.fromkeys((*items, *known)))[: self._limit]
            if len(self._of) > MAX_SESSIONS:
                del self._of[next(iter(self._of))]

    def forget(self, session: SessionId) -> None:
        with self._lock:
            self._of.pop(session, None)

    def of(self, session: SessionId) -> tuple[str, ...]:
        return self._of.get(session, ())


class DeletedSessions:
    """Recently deleted sessions; late events for them are ignored."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, SessionId], None] = {}  # with the host: another host may use the same id
        self._lock = Lock()

    def note(self, event: SessionDeleted) -> None:
        with self._lock:
            self._names[event.host, event.session] = None
            if len(self._names) > MAX_SESSIONS:
                del self._names[next(iter(self._names))]

    def must_ignore(self, event: Event) -> bool:
        """Return True for a late event. A SessionStarted makes the name valid again; an Asked is never late."""
        if not self._names:
            return False
        if isinstance(event, SessionStarted):
            with self._lock:
                self._names.pop((event.host, event.session), None)
        return self.has(event) and not isinstance(event, Asked)

    def has(self, event: Event) -> bool:
        return (event.host, event.session) in self._names


class MutedSessions:
    """Whether the last prompt of a session opted out of being stored."""

    def __init__(self) -> None:
        self._muted: OrderedDict[SessionId, bool] = OrderedDict()
        self._lock = Lock()

    def get(self, session: SessionId) -> bool | None:
        """Return None if it is not known here: then read the store."""
        return self._muted.get(session)

    def note(self, session: SessionId, muted: bool = True) -> None:
        with self._lock:
            self._note(session, muted)

    def note_if_unknown(self, session: SessionId, muted: bool) -> bool:
        """Set the value only if none is known, and return the known one: a prompt may have set it meanwhile."""
        with self._lock:
            return self._note(session, self._muted.get(session, muted))

    def _note(self, session: SessionId, muted: bool) -> bool:
        self._muted[session] = muted
        self._muted.move_to_end(session)
        while len(self._muted) > MAX_MUTED_SESSIONS:
            self._muted.popitem(last=False)
        return muted

    def forget(self, session: SessionId) -> None:
        with self._lock:
            self._muted.pop(session, None)


@dataclass(slots=True)
class Unwritten:
    """Events that could not be written, kept until the disk takes them. The oldest first."""

    events: deque[Event] = field(default_factory=deque)
    dropped: int = 0  # events that found no room in memory either
    lock: Lock = field(default_factory=Lock)

    def forget(self, session: SessionId) -> None:
        with self.lock:
            for event in [event for event in self.events if event.session == session]:
                self.events.remove(event)


@dataclass(slots=True, kw_only=True)
class OpenPrompt:
    """A prompt and its use so far. Each prompt has its own object, changed in one step each time: a late reply changes its
    own prompt and not the next."""

    prompt: str
    unused: set[MemoryId]  # shown, and not used by a reply yet
    has_reply: bool = False  # a host that reports no replies says nothing about use


class OpenPrompts:
    """The last prompt of each session."""

    def __init__(self) -> None:
        self._of: dict[SessionId, OpenPrompt] = {}
        self._lock = Lock()

    def get(self, session: SessionId) -> OpenPrompt | None:
        return self._of.get(session)

    def put(self, session: SessionId, prompt: OpenPrompt) -> None:
        with self._lock:
            self._of[session] = prompt
            if len(self._of) > MAX_SESSIONS:
                del self._of[next(iter(self._of))]

    def pop(self, session: SessionId) -> OpenPrompt | None:
        with self._lock:
            return self._of.pop(session, None)


class Judgements:
    """The memories that an agent has called useful or useless, once per session."""

    def __init__(self) -> None:
        self._given: dict[tuple[SessionId, MemoryId], None] = {}
        self._lock = Lock()

    def add(self, session: SessionId, memory: MemoryId) -> bool:
        """Return False if the session has judged the memory before."""
        with self._lock:
            if (session, memory) in self._given:
                return False
            self._given[session, memory] = None
            if len(self._given) > MAX_JUDGEMENTS:
                del self._given[next(iter(self._given))]
            return True


@dataclass(slots=True)
class LearningState:
    """The state of learning from each session. Each event must be heard once: a thread that learns takes the lock. The
    next thread that learns drops what was deleted meanwhile, by any process: see `drop_erased`."""

    lock: Lock = field(default_factory=Lock)
    listeners: "OrderedDict[SessionKey, Listener]" = field(default_factory=OrderedDict)
    unheard: dict[SessionKey, Recap] = field(default_factory=dict)  # recaps of parts that the listener did not hear
    exchanges: Exchanges = field(default_factory=Exchanges)  # for the language model that the user has set
    erasures: Erasures | None = None  # the count when this state was last valid; None: nothing was learnt yet

    def drop_erased(self, erasures: Erasures, is_kept: Callable[[SessionKey], bool]) -> None:
        """Drop deleted sessions (`is_kept`). After a purge of memories drop all: any session may quote their words. It is
        heard again, from what is left of it. `erasures`: the count now."""
        before, self.erasures = self.erasures or erasures, erasures
        if erasures.purges != before.purges:
            self.listeners.clear()
            self.unheard.clear()
            self.exchanges = Exchanges()
        elif erasures.deletions != before.deletions:
            for key in [key for key in self.listeners if not is_kept(key)]:
                del self.listeners[key]
                self.unheard.pop(key, None)
            self.exchanges.keep_only(is_kept)


class Live:
    """The state of all live sessions of one process."""

    def __init__(self) -> None:
        self.files = RecentPerSession(RECENT_FILES)
        self.prompts = RecentPerSession(RECENT_PROMPTS)
        self.deleted = DeletedSessions()
        self.muted = MutedSessions()
        self.unwritten = Unwritten()
        self.open_prompts = OpenPrompts()
        self.judgements = Judgements()
        self.prepared = PreparedBlocks()
        self.learning = LearningState()
        self.needs_tidying = False  # a session was deleted, and `tidy` has not removed its bytes yet

    def forget(self, session: SessionId) -> None:
        """Drop the state of a deleted session. Others keep theirs: the next thread that learns drops that of `learning`,
        `prepared` belongs to places, and in `judgements` there are only ids, already counted."""
        for part in (self.files, self.prompts, self.muted, self.unwritten):
            part.forget(session)
        self.open_prompts.pop(session)
        self.needs_tidying = True
