"""Explains what the model of a session was shown, and why: at one moment, or at all of them."""

from dataclasses import dataclass

from recollect.api.operation import Operation, Request
from recollect.domain.injection import LogEntry, MomentUsage
from recollect.domain.memory import Memory, MemoryId
from recollect.domain.session import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Why(Request):
    session: str | None = None  # or the beginning of its id; None: the last one of the folder's project, else of all
    turn: str | None = None  # a message, a number or the name of a moment; None: the last moment
    every: bool = False  # all moments of the session


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    session: Session
    log: list[LogEntry]  # all moments of the session, in order
    chosen: int | None  # the index of the chosen moment in `log`; None: all
    usage: list[MomentUsage]
    known: dict[MemoryId, Memory]  # the memories of the chosen moment, without deleted ones


WHY = Operation("why", "Explains what the model was shown, and why.", Why, Explained)
