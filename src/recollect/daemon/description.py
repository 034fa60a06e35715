"""What /v1/openapi.json tells: every route and operation with its types."""

from dataclasses import dataclass
from typing import Any

from recollect.api.catalogue import OPERATIONS
from recollect.daemon.app import HOSTS
from recollect.daemon.openapi import ApiPath, describe_api
from recollect.daemon.status import DaemonStatus
from recollect.domain.memory import MessageId, SessionId


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello:
    version: str
    environment: str
    pid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Messages:
    session: SessionId
    messages: list[MessageId]


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocks:
    blocks: dict[str, str]  # by message, and by `message/call` those of tools


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutToAsk:
    session: SessionId
    folder: str
    host: str = "opencode"


@dataclass(frozen=True, slots=True, kw_only=True)
class Idle:
    folder: str | None = None
    session: SessionId | None = None  # the one that is idle now, if one is
    working: tuple[SessionId, ...] = ()  # those of the client in which its model is at work
    client: int | None = None  # the process that asks: once it has ended without an answer, another one may ask
    host: str = "opencode"


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A question; or when to ask again; or nothing."""

    id: str | None = None
    session: SessionId | None = None
    system: str | None = None
    text: str | None = None
    answer_tokens: int | None = None
    wait_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    id: str
    text: str
    tokens: int | None = None  # of question and answer, as the host counts them
    folder: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAnswer:
    kept: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    folder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopping:
    stopping: bool


HOST = {
    "name": "host",
    "in": "path",
    "required": True,
    "schema": {"type": "string"},
    "description": "Whose hook it was.",
}
ROUTES = (
    ApiPath(
        path="/v1/hello",
        method="GET",
        says="Whether it lives, and which version it is.",
        answers=Hello,
        asks_store=False,
    ),
    ApiPath(
        path="/v1/openapi.json", method="GET", says="This API, described.", answers=dict[str, Any], asks_store=False
    ),
    ApiPath(path="/v1/status", method="GET", says="How it goes, in figures.", answers=DaemonStatus),
    ApiPath(
        path="/v1/hosts/{host}",
        method="POST",
        says=f"What a host's hook was given; answered with what the host is to do. Hosts are {' and '.join(HOSTS)}.",
        asks=dict[str, Any],
        answers=dict[str, Any],
        parameters=(HOST,),
    ),
    ApiPath(
        path="/v1/wake",
        method="POST",
        says="A host begins in this folder: what its first prompt needs is loaded meanwhile.",
        asks=Folder,
        answers=Nothing,
    ),
    ApiPath(
        path="/v1/replay",
        method="POST",
        says="What these messages of a session and their failed tools (`message/call`) were really sent with.",
        asks=Messages,
        answers=Blocks,
    ),
    ApiPath(
        path="/v1/sent",
        method="POST",
        says="These were sent as offered: messages, and tools of theirs (`message/call`).",
        asks=Messages,
        answers=Nothing,
    ),
    ApiPath(
        path="/v1/asking",
        method="POST",
        says="The next MCP call from this folder, within some seconds, is this session's.",
        asks=AboutToAsk,
        answers=Nothing,
        asks_store=False,
    ),
    ApiPath(
        path="/v1/question",
        method="POST",
        says="What the host's own model is to be asked about a session, if the user has switched that on.",
        asks=Idle,
        answers=Due,
    ),
    ApiPath(path="/v1/answer", method="POST", says="What that model answered.", asks=Answered, answers=KeptAnswer),
    ApiPath(path="/v1/stop", method="POST", says="Ends the daemon.", answers=Stopping, asks_store=False),
)


OPERATION_PATHS = tuple(
    ApiPath(path=f"/v1/{one.name}", method="POST", says=one.says, asks=one.asks, answers=one.answers)
    for one in OPERATIONS.values()
)


def build_description() -> dict[str, Any]:
    return describe_api([*ROUTES, *OPERATION_PATHS])
