"""Requests of hosts' plugins and the daemon's answers. A plugin may be of another version: unknown fields are ignored."""

from dataclasses import dataclass

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import MessageId, SessionId, check_folder, check_name, check_names

MAX_PID = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello:  # answer of /v1/hello
    version: str
    environment: str
    pid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Messages:  # /v1/replay, /v1/sent
    session: SessionId
    messages: tuple[MessageId, ...]  # ids of messages; of a tool call `message/call`

    def __post_init__(self) -> None:
        for name in (self.session, *self.messages):
            check_name(name, "id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocks:  # answer of /v1/replay
    blocks: dict[str, str]  # by id of the message; those of tool calls by `message/call`


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutToAsk:  # /v1/asking
    session: SessionId
    folder: str  # an absolute path
    host: str = "opencode"

    def __post_init__(self) -> None:
        check_names((self.session, "session"), (self.host, "host"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Idle:  # /v1/question
    folder: str | None = None
    session: SessionId | None = None  # the session that is idle now, if one is
    working: tuple[SessionId, ...] = ()  # the client's sessions that are busy now
    client: int | None = None  # the process that asks; if it ends without an answer, another one may ask
    host: str = "opencode"

    def __post_init__(self) -> None:
        check_folder(self.folder or "")
        check_names((self.session, "session"))
        if self.client is not None and not 0 < self.client <= MAX_PID:
            raise InvalidValue("`client` must be the id of a process.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:  # answer of /v1/question
    """A question, or when to ask again, or nothing."""

    id: str | None = None
    session: SessionId | None = None
    system: str | None = None
    text: str | None = None
    answer_tokens: int | None = None
    wait_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:  # /v1/answer
    id: str
    text: str
    tokens: int | None = None  # of question and answer, as the host counts them
    folder: str | None = None

    def __post_init__(self) -> None:
        check_folder(self.folder or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAnswer:  # answer of /v1/answer
    kept: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:  # /v1/wake
    folder: str

    def __post_init__(self) -> None:
        check_folder(self.folder)


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopping:  # answer of /v1/stop
    stopping: bool
