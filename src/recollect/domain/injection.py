"""What is put in front of the model, and the record of it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from recollect.domain.memory import MemoryId, MessageId, ProjectId, SessionId


class Placement(StrEnum):
    SYSTEM = "system"  # the stable block, in the system prompt
    MESSAGE = "message"  # a turn block, on the user message that asked for it


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """A block for the model. An empty block is silence."""

    placement: Placement
    block: str = ""
    tokens: int = 0
    ids: tuple[MemoryId, ...] = ()  # the memories shown whole, in order
    considered: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What is known of one session of a host."""

    id: SessionId
    host: str
    project: ProjectId | None  # None: outside of every project
    language: str | None
    started_at: datetime
    context: int = 0  # counts live contexts: compaction and clearing begin a new one


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One line of the injection log: the only truth about what a message carries."""

    session: SessionId
    context: int
    message: MessageId | None  # None: the stable block of this context
    injection: Injection
    at: datetime
    took_ms: float
    confirmed: bool = True  # False: offered, and perhaps never sent
