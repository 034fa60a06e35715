"""What a host can say: a closed union of frozen events. Hosts make them, the engine consumes them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from recollect.domain.errors import InvalidValue
from recollect.domain.learning import Origin
from recollect.domain.memory import (
    Kind,
    MemoryId,
    MessageId,
    ProjectId,
    Scope,
    SessionId,
    check_folder,
    check_name,
    check_time,
)
from recollect.domain.session import NO_SUMMARY, Note, Summary


class StartSource(StrEnum):
    STARTUP = "startup"
    RESUME = "resume"
    CLEAR = "clear"
    COMPACT = "compact"
    FORK = "fork"


# The messages of the request, if known: the model has what they carry. None among them: it has the stable block.
Carriers = tuple[MessageId | None, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Happened:
    session: SessionId
    at: datetime
    host: str = "pipe"
    folder: str | None = None  # where the host works; names the project if `project` does not
    project: ProjectId | None = None
    language: str | None = None
    agent: str | None = None  # "plan", "build" ...
    parent: SessionId | None = None  # the session whose agent began this one, or of which it is a copy
    window_tokens: int | None = None  # what the model can read at once, if known
    confirms: bool = False  # the host says afterwards what it really sent; until then a block is only offered
    headless: bool = False  # nobody sits there: it runs in CI, or a script began it
    offered: bool = False  # a block counts as sent only when its answer was delivered (`engine.delivered`)

    def __post_init__(self) -> None:
        check_name(self.session, "session")
        check_time(self.at)
        if self.folder is not None:
            check_folder(self.folder)
        for name, what in (
            (self.project, "project"),
            (self.language, "language"),
            (self.agent, "agent"),
            (self.parent, "parent session"),
        ):
            if name is not None:
                check_name(name, what)
        if self.window_tokens is not None and self.window_tokens < 1:
            raise InvalidValue("A model reads at least one token; leave `window_tokens` out if it is not known.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A message that a session begins with: it is resumed, or a copy of another one."""

    message: MessageId
    at: datetime
    calls: Mapping[str, datetime] = field(default_factory=dict)  # of its tools, and when each was done

    def __post_init__(self) -> None:
        check_name(self.message, "message")
        for call in self.calls:
            check_name(call, "call")
        for moment in (self.at, *self.calls.values()):
            check_time(moment)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStarted(_Happened):
    source: StartSource = StartSource.STARTUP
    task: str | None = None  # what it is about, in the user's words or by its branch, if known
    copied: Mapping[MessageId, MessageId] = field(default_factory=dict)  # of a fork: the parent's message -> its own
    holds: tuple[Held, ...] = ()  # what it begins with, where the host does not say whose copy it is
    recalls: bool = True  # False: this session wants nothing injected
    captures: bool = True  # False: nothing is learnt from it

    def __post_init__(self) -> None:
        _Happened.__post_init__(self)
        for message in (*self.copied, *self.copied.values()):
            check_name(message, "message in `copied`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt(_Happened):
    message: MessageId
    text: str
    live: Carriers = None
    origin: Origin = Origin.USER
    files: tuple[str, ...] = ()  # that were attached, by path or name

    def __post_init__(self) -> None:
        _Happened.__post_init__(self)  # slots make a new class of this one: a bare super() would miss it
        check_name(self.message, "message")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply(_Happened):
    message: MessageId
    text: str
    final: bool = False  # the last message of the agent's turn, where the host says so

    def __post_init__(self) -> None:
        _Happened.__post_init__(self)
        check_name(self.message, "message")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSucceeded(_Happened):
    tool: str
    input: dict[str, Any] = field(default_factory=dict)
    output: str = ""
    call: str | None = None

    def __post_init__(self) -> None:
        _Happened.__post_init__(self)
        if self.call is not None:
            check_name(self.call, "call")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFailed(_Happened):
    tool: str
    input: dict[str, Any] = field(default_factory=dict)
    error: str
    message: MessageId | None = None  # the one that holds the tool's part, where the host can put something there
    call: str | None = None
    live: Carriers = None

    def __post_init__(self) -> None:
        _Happened.__post_init__(self)
        for name, what in ((self.message, "message"), (self.call, "call")):
            if name is not None:
                check_name(name, what)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacting(_Happened):
    """The host is about to summarise the session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted(_Happened):
    """The host has replaced the messages by a summary: a new live context begins."""

    summary: str = ""  # what the host's model wrote, where the host tells


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEnded(_Happened):
    """The host closed the session; it may be resumed later."""

    notes: tuple[Note, ...] = ()
    summary: Summary = NO_SUMMARY


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionDeleted(_Happened):
    """The host's user deleted the session: what we know of it goes, what it has proven stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(_Happened):
    """The agent asks by a tool: for what fits a question, for one memory by its id, or for what was said last."""

    query: str = ""
    id: MemoryId | None = None
    nearest: bool = False  # where nothing fits the query: the nearest few, marked as uncertain
    newest: bool = False  # instead of what fits: what was said last, of these kinds and in this scope
    kinds: frozenset[Kind] = frozenset()  # empty: of every kind
    scope: Scope | None = None
    budget_tokens: int | None = None  # less than usual, never more
    reserved_tokens: int = 0  # of the budget, for what the host says around the block
    live: Carriers = None

    def __post_init__(self) -> None:
        _Happened.__post_init__(self)
        if [bool(self.query.strip()), self.id is not None, self.newest].count(True) != 1:
            raise InvalidValue("Ask either with a `query` or for the `id` of a memory.")
        if self.id is not None:
            check_name(self.id, "id")


Event = (
    SessionStarted
    | Prompt
    | Reply
    | ToolSucceeded
    | ToolFailed
    | Compacting
    | Compacted
    | SessionEnded
    | SessionDeleted
    | Asked
)
