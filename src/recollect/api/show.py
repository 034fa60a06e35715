"""One memory with everything that is known of it, and its story."""

from dataclasses import dataclass
from datetime import datetime

from recollect.api.operation import Operation, Request
from recollect.domain.changes import ChangeId, MemoryChange
from recollect.domain.freshness import Freshness
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


SHOW = Operation("show", "Shows one memory with all its data.", Show, Shown)
HISTORY = Operation("history", "Shows where a memory comes from, what it replaced and what replaced it.", History, Told)
SESSION = Operation("session", "Shows one session that a block refers to.", ShowSession, ShownSession)
