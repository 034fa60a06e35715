"""Every route and operation with its types, as /v1/openapi.json describes them."""

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
    working: tuple[SessionId, ...] = ()  # the client's sessions in which its model works now
    client: int | None = None  # the process that asks; if it ends without an answer, another one may ask
    host: str = "opencode"


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A question, or when to ask again, or nothing."""

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
    "description": "The host whose hook was called.",
}
ROUTES = (
    ApiPath(
        path="/v1/hello",
        method="GET",
        says="Checks that the daemon runs; returns its version.",
        answers=Hello,
        asks_store=False,
    ),
    ApiPath(
        path="/v1/openapi.json", method="GET", says="Describes this API.", answers=dict[str, Any], asks_store=False
    ),
    ApiPath(path="/v1/status", method="GET", says="Returns the daemon's state in numbers.", answers=DaemonStatus),
    ApiPath(
        path="/v1/hosts/{host}",
        method="POST",
        says=f"Takes the input of a host's hook; returns what the host is to do. Hosts are {' and '.join(HOSTS)}.",
        asks=dict[str, Any],
        answers=dict[str, Any],
        parameters=(HOST,),
    ),
    ApiPath(
        path="/v1/wake",
        method="POST",
        says="Announces a host in this folder, so that everything its first prompt needs is loaded.",
        asks=Folder,
        answers=Nothing,
    ),
    ApiPath(
        path="/v1/replay",
        method="POST",
        says="Returns the blocks with which these messages of a session and their failed tools (`message/call`) were sent.",
        asks=Messages,
        answers=Blocks,
    ),
    ApiPath(
        path="/v1/sent",
        method="POST",
        says="Confirms that these messages and tools (`message/call`) were sent with their blocks.",
        asks=Messages,
        answers=Nothing,
    ),
    ApiPath(
        path="/v1/asking",
        method="POST",
        says="Announces that the next MCP call from this folder, within some seconds, is from this session.",
        asks=AboutToAsk,
        answers=Nothing,
        asks_store=False,
    ),
    ApiPath(
        path="/v1/question",
        method="POST",
        says="Returns a question about a session for the host's own model, if the user has switched that on.",
        asks=Idle,
        answers=Due,
    ),
    ApiPath(
        path="/v1/answer", method="POST", says="Takes the answer of that model.", asks=Answered, answers=KeptAnswer
    ),
    ApiPath(path="/v1/stop", method="POST", says="Ends the daemon.", answers=Stopping, asks_store=False),
)


OPERATION_PATHS = tuple(
    ApiPath(path=f"/v1/{one.name}", method="POST", says=one.says, asks=one.asks, answers=one.answers)
    for one in OPERATIONS.values()
)


def build_description() -> dict[str, Any]:
    return describe_api([*ROUTES, *OPERATION_PATHS])
