"""One memory with everything that is known of it, and its story."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.api.operation import Operation, OperationContext, Request
from recollect.domain.changes import ChangeId, MemoryChange
from recollect.domain.freshness import NOT_CHECKED, Freshness
from recollect.domain.memory import Memory, SessionId
from recollect.domain.session import Recap, Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Show(Request):
    id: str  # or the beginning of it, if only one memory has it


@dataclass(frozen=True, slots=True, kw_only=True)
class History(Request):
    id: str  # or the beginning of it


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowSession(Request):
    id: str  # or the beginning of it, or its reference in a block


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSession:
    id: SessionId | None  # null: unknown
    session: Session | None = None  # null: only its turns are known
    recap: Recap | None = None  # what it leaves for the next session


@dataclass(frozen=True, slots=True, kw_only=True)
class WayBack:
    """How to bring back a forgotten memory."""

    undo: ChangeId
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    memory: Memory
    freshness: Freshness
    way_back: WayBack | None  # null: it is not forgotten
    contradicts: tuple[Memory, ...]
    contradicted_by: tuple[Memory, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    memory: Memory
    freshness: Freshness
    before: tuple[Memory, ...]  # the memories it replaced, the oldest first
    after: tuple[Memory, ...]  # the memories that replaced it, in order
    changes: tuple[MemoryChange, ...]  # of this memory, in order


def show(desk: OperationContext, asked: Show) -> Shown:
    memory = desk.engine.find(asked.id)
    case, opponents = desk.engine.dispute(memory)
    return Shown(
        memory=memory,
        freshness=_freshness(desk, memory, asked.folder),
        way_back=_way_back(desk, memory),
        contradicts=case.against,
        contradicted_by=tuple(opponents),
    )


def history(desk: OperationContext, asked: History) -> Told:
    story = desk.engine.history(desk.engine.find(asked.id))
    return Told(
        memory=story.memory,
        freshness=_freshness(desk, story.memory, asked.folder),
        before=story.before,
        after=story.after,
        changes=story.changes,
    )


def show_session(desk: OperationContext, asked: ShowSession) -> ShownSession:
    log = desk.engine.log
    known = log.find(asked.id)
    session = log.find_by_reference(asked.id) if known is None else known.id
    return ShownSession(id=session, session=known, recap=None if session is None else log.recap(session))


def _freshness(desk: OperationContext, memory: Memory, folder: str | None) -> Freshness:
    return desk.engine.freshness([memory], folder).get(memory.id, NOT_CHECKED)


def _way_back(desk: OperationContext, memory: Memory) -> WayBack | None:
    if memory.forgotten_at is None:
        return None
    changes = desk.engine.history(memory).changes
    if not changes:
        return None
    until = memory.forgotten_at + timedelta(hours=desk.settings.forget.undo_hours)
    return WayBack(undo=changes[-1].deed.id, until=until)


SHOW = Operation("show", "Shows one memory with all its data.", Show, Shown, show)
HISTORY = Operation(
    "history", "Shows where a memory comes from, what it replaced and what replaced it.", History, Told, history
)
SESSION = Operation("session", "Shows one session that a block refers to.", ShowSession, ShownSession, show_session)
