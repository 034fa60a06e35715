"""The OpenAPI description, built from the types of requests and answers, so that it cannot differ from them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from recollect import __version__
from recollect.api.hosts import (
    AboutToAsk,
    Answered,
    Blocks,
    Due,
    Folder,
    Hello,
    Idle,
    KeptAnswer,
    Messages,
    Nothing,
    Stopping,
)
from recollect.api.json_codec import FILTERS, ErrorAnswer, describe_as_text
from recollect.daemon.app import HOSTS
from recollect.daemon.status import DaemonStatus
from recollect.operations import OPERATIONS, find_operation

REF = "#/components/schemas/{name}"
FAILURES = {
    "400": "The request is malformed, or asks for something that is refused.",
    "401": "On 127.0.0.1 only: the token is missing or wrong.",
    "403": "The request comes from a web page.",
    "412": "The request names another version or environment than the daemon's. Only commands of Recollect name one.",
    "413": "The request is too large.",
    "421": "On 127.0.0.1 only: the request names another host.",
    "431": "The header is too large.",
    "500": "A bug in Recollect; the log has the place.",
    "503": "The database cannot be used at the moment; the message says why.",
}
ELSEWHERE = {"404": "There is no such path.", "405": "The path takes another method."}


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiPath:
    path: str
    says: str
    method: str = "POST"
    asks: Any = None  # the type of the body; None: no body
    answers: Any = dict
    asks_store: bool = True
    is_for_commands: bool = False  # of Recollect; they name the daemon that they need
    parameters: Sequence[Mapping[str, Any]] = ()

    @property
    def failures(self) -> dict[str, str]:
        """Errors of this path; `ELSEWHERE` has those of unknown paths."""
        never = set()
        if self.asks is None:
            never.add("400")
        if not self.is_for_commands:
            never.add("412")
        if self.method == "GET":
            never.add("413")
        if not self.asks_store:
            never.add("503")
        return {status: says for status, says in FAILURES.items() if status not in never}


HOST = {
    "name": "host",
    "in": "path",
    "required": True,
    "schema": {"type": "string"},
    "description": "Whose hook it is.",
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
        says=f"Takes the input of a host's hook; returns what the host is to do. Hosts are {' and '.join(HOSTS)}.",
        asks=dict[str, Any],
        answers=dict[str, Any],
        parameters=(HOST,),
    ),
    ApiPath(
        path="/v1/wake",
        says="Announces a host in this folder, so that everything its first prompt needs is loaded.",
        asks=Folder,
        answers=Nothing,
        is_for_commands=True,
    ),
    ApiPath(
        path="/v1/replay",
        says="Returns the blocks with which these messages of a session and their failed tools (`message/call`) were sent.",
        asks=Messages,
        answers=Blocks,
    ),
    ApiPath(
        path="/v1/sent",
        says="Confirms that these messages and tools (`message/call`) were sent with their blocks.",
        asks=Messages,
        answers=Nothing,
    ),
    ApiPath(
        path="/v1/asking",
        says="Announces that the next MCP call from this folder, within some seconds, is from this session.",
        asks=AboutToAsk,
        answers=Nothing,
        asks_store=False,
    ),
    ApiPath(
        path="/v1/question",
        says="Returns a question about a session for the host's own model, if the user has switched that on.",
        asks=Idle,
        answers=Due,
    ),
    ApiPath(path="/v1/answer", says="Takes the answer of that model.", asks=Answered, answers=KeptAnswer),
    ApiPath(path="/v1/stop", says="Ends the daemon.", answers=Stopping, asks_store=False),
)


OPERATION_PATHS = tuple(
    ApiPath(path=f"/v1/{one.name}", says=one.says, asks=one.asks, answers=one.answers, is_for_commands=True)
    for one in filter(None, map(find_operation, OPERATIONS))
)


def build_description() -> dict[str, Any]:
    paths = [*ROUTES, *OPERATION_PATHS]
    types = {id(ErrorAnswer): ErrorAnswer}
    for path in paths:
        if path.asks is not None:
            types[id(path.asks)] = path.asks
        types[id(path.answers)] = path.answers
    found, components = msgspec.json.schema_components(types.values(), ref_template=REF, schema_hook=describe_as_text)
    schemas = dict(zip(types, found, strict=True))
    filters = components.pop("Filters")["properties"]
    filters |= {name: {"anyOf": [filters[name], {"type": "null"}]} for name in ("kinds", "status")}
    for schema in components.values():
        if schema.get("properties", {}).pop(FILTERS, None):
            schema["properties"] |= filters
    described: dict[str, dict[str, Any]] = {}
    for path in paths:
        described.setdefault(path.path, {})[path.method.lower()] = _operation(path, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Recollect",
            "version": __version__,
            "description": "The memory of a coding agent. For the programs of one user: over its unix socket, or on "
            "127.0.0.1 with the token. Any other path is answered with 404, any other method with 405.",
        },
        "paths": described,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": "On 127.0.0.1 only."}},
        },
        "security": [{}, {"token": []}],
    }


def _operation(path: ApiPath, schemas: Mapping[int, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": re.sub(r"[/.]", "_", re.sub(r"^/v1/|[{}]", "", path.path)),
        "summary": path.says,
        "responses": {"200": {"description": "The answer.", "content": _json(schemas[id(path.answers)])}},
    }
    for code, says in path.failures.items():
        operation["responses"][code] = {"description": says, "content": _json(schemas[id(ErrorAnswer)])}
    if path.parameters:
        operation["parameters"] = list(path.parameters)
    if path.asks is not None:
        operation["requestBody"] = {"required": True, "content": _json(schemas[id(path.asks)])}
    return operation


def _json(schema: Any) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}
