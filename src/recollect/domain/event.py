"""What a host can say: a closed union of frozen events. Hosts make them, the engine consumes them."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from recollect.domain.memory import MessageId, ProjectId, SessionId, check_name, check_time


class StartSource(StrEnum):
    STARTUP = "startup"
    RESUME = "resume"
    CLEAR = "clear"
    COMPACT = "compact"
    FORK = "fork"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Happened:
    session: SessionId
    at: datetime
    host: str = "pipe"
    folder: str | None = None  # where the host works; names the project if `project` does not
    project: ProjectId | None = None
    language: str | None = None
    agent: str | None = None  # "plan", "build" ...
    confirms: bool = False  # the host says afterwards what it really sent; until then a block is only offered

    def __post_init__(self) -> None:
        check_name(self.session, "session")
        check_time(self.at)
        for name, what in ((self.project, "project"), (self.language, "language"), (self.agent, "agent")):
            if name is not None:
                check_name(name, what)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStarted(_Happened):
    source: StartSource = StartSource.STARTUP


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt(_Happened):
    message: MessageId
    text: str
    live: tuple[MessageId | None, ...] | None = None  # whose blocks the model has (None: the stable one), if known

    def __post_init__(self) -> None:
        _Happened.__post_init__(self)  # slots make a new class of this one: a bare super() would miss it
        check_name(self.message, "message")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply(_Happened):
    message: MessageId
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSucceeded(_Happened):
    tool: str
    input: dict[str, Any] = field(default_factory=dict)
    output: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFailed(_Happened):
    tool: str
    input: dict[str, Any] = field(default_factory=dict)
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacting(_Happened):
    """The host is about to summarise the session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted(_Happened):
    """The host has replaced the messages by a summary: a new live context begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEnded(_Happened):
    """The host closed the session; it may be resumed later."""


Event = SessionStarted | Prompt | Reply | ToolSucceeded | ToolFailed | Compacting | Compacted | SessionEnded
