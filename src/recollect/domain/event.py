"""Events from hosts: a closed union of frozen values. Hosts make them, the engine consumes them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from recollect.domain.errors import InvalidValue
from recollect.domain.learning import Origin
from recollect.domain.memory import (
    MemoryId,
    MessageId,
    ProjectId,
    SessionId,
    check_folder,
    check_name,
    check_names,
    check_time,
)
from recollect.domain.search import EVERYTHING, Filters
from recollect.domain.session import NO_SUMMARY, Note, Summary


class StartSource(StrEnum):
    STARTUP = "startup"
    RESUME = "resume"
    CLEAR = "clear"
    COMPACT = "compact"
    FORK = "fork"


# The messages in the request, if known: the model sees the blocks on them. None among them: it sees the start block.
Carriers = tuple[MessageId | None, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFields:
    """The fields of every event."""

    session: SessionId
    at: datetime
    host: str = "pipe"
    folder: str | None = None  # where the host works; decides the project if `project` is not given
    project: ProjectId | None = None
    language: str | None = None
    agent: str | None = None  # "plan", "build" ...
    parent: SessionId | None = None  # the session whose agent began this one, or that this one is a copy of
    window_tokens: int | None = None  # size of the model's context window, if known
    confirms: bool = False  # the host reports later what it really sent; until then a block is only offered
    headless: bool = False  # no person is there: it runs in CI, or a script started it
    offered: bool = False  # a block counts as sent only once its answer was delivered (`sent_log.confirm_delivery`)

    def __post_init__(self) -> None:
        check_name(self.session, "session")
        check_time(self.at)
        if self.folder is not None:
            check_folder(self.folder)
        check_names((self.project, "project"), (self.language, "language"), (self.agent, "agent"))
        check_names((self.parent, "parent session"))
        if self.window_tokens is not None and self.window_tokens < 1:
            raise InvalidValue("`window_tokens` must be at least 1; leave it out if the size is not known.")


@dataclass(frozen=True, slots=True, kw_only=True)
class InitialMessage:
    """A message that a session starts with, because it was resumed or copied from another one."""

    message: MessageId
    at: datetime
    calls: Mapping[str, datetime] = field(default_factory=dict)  # its tool calls, and when each was done

    def __post_init__(self) -> None:
        check_name(self.message, "message")
        for call in self.calls:
            check_name(call, "call")
        for moment in (self.at, *self.calls.values()):
            check_time(moment)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStarted(EventFields):
    source: StartSource = StartSource.STARTUP
    task: str | None = None  # the topic, in the user's words or from the branch name, if known
    copied: Mapping[MessageId, MessageId] = field(default_factory=dict)  # of a fork: the parent's message -> its own
    # The messages it starts with, where the host does not say which session it copies.
    holds: tuple[InitialMessage, ...] = ()
    recalls: bool = True  # False: this session wants nothing injected
    captures: bool = True  # False: nothing is learnt from it

    def __post_init__(self) -> None:
        EventFields.__post_init__(self)
        for message in (*self.copied, *self.copied.values()):
            check_name(message, "message in `copied`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt(EventFields):
    message: MessageId
    text: str
    live: Carriers = None
    origin: Origin = Origin.USER
    files: tuple[str, ...] = ()  # attachments, by path or name

    def __post_init__(self) -> None:
        EventFields.__post_init__(self)  # slots=True creates a new class: a bare super() would miss it
        check_name(self.message, "message")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply(EventFields):
    message: MessageId
    text: str
    final: bool = False  # the last message of the agent's turn, where the host says so

    def __post_init__(self) -> None:
        EventFields.__post_init__(self)
        check_name(self.message, "message")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSucceeded(EventFields):
    tool: str
    input: dict[str, Any] = field(default_factory=dict)
    call: str | None = None
    output: str = ""

    def __post_init__(self) -> None:
        EventFields.__post_init__(self)
        check_names((self.call, "call"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFailed(EventFields):
    tool: str
    input: dict[str, Any] = field(default_factory=dict)
    call: str | None = None
    message: MessageId | None = None  # the message with the tool's part, where the host can add a block to it
    error: str
    live: Carriers = None

    def __post_init__(self) -> None:
        EventFields.__post_init__(self)
        check_names((self.message, "message"), (self.call, "call"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacting(EventFields):
    """The host is about to summarise the session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted(EventFields):
    """The host has replaced the messages with a summary: a new live context begins."""

    summary: str = ""  # written by the host's model, where the host passes it on


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEnded(EventFields):
    """The host closed the session; it may be resumed later."""

    notes: tuple[Note, ...] = ()
    summary: Summary = NO_SUMMARY


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionDeleted(EventFields):
    """The user deleted the session: all data about it goes, memories that it confirmed stay."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(EventFields):
    """The agent asks with a tool: for what fits a query, for one memory by its id, or for the newest memories."""

    query: str = ""
    id: MemoryId | None = None
    nearest: bool = False  # if nothing fits the query, answer with the nearest few, marked as uncertain
    newest: bool = False  # instead of a query: the newest memories of these kinds and this scope
    filters: Filters = EVERYTHING
    budget_tokens: int | None = None  # may lower the usual budget, never raise it
    reserved_tokens: int = 0  # part of the budget for the text that the host puts around the block
    live: Carriers = None

    def __post_init__(self) -> None:
        EventFields.__post_init__(self)
        ways = [bool(self.query.strip()), self.id is not None, self.newest]
        if ways.count(True) != 1:
            raise InvalidValue("Ask either with a `query` or for the `id` of a memory.")
        if self.filters.includes_past:
            raise InvalidValue("A model sees only memories that are valid now; leave out `status` and `as_of`.")
        check_names((self.id, "id"))


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


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxEntry:
    """An event that waits to be learnt from."""

    number: int
    event: Event | None  # None: the stored event is damaged
    tries: int  # how often learning from it was started
