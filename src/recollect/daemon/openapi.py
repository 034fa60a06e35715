"""The OpenAPI description, built from the types of requests and answers, so that it cannot differ from them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from recollect import __version__
from recollect.api.wire import ErrorAnswer

REF = "#/components/schemas/{name}"
FAILURES = {
    "400": "The request is malformed, or asks for something that is refused.",
    "401": "On 127.0.0.1 only: the token is missing or wrong.",
    "403": "The request comes from a web page.",
    "413": "The request is too large.",
    "421": "On 127.0.0.1 only: the request names another host.",
    "431": "The header is too large.",
    "500": "A bug in Recollect; the log has the place.",
    "503": "The database cannot be used at the moment; the message says why.",
}
ELSEWHERE = {
    "404": "There is no such path.",
    "405": "The path takes another method.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiPath:
    """One path of the API."""

    path: str
    method: str
    says: str
    asks: Any = None  # the type of the body; None: no body
    answers: Any = dict
    asks_store: bool = True
    parameters: Sequence[Mapping[str, Any]] = ()

    @property
    def failures(self) -> dict[str, str]:
        """Errors of this path; `ELSEWHERE` has those of unknown paths."""
        never = set()
        if self.asks is None:
            never.add("400")
        if self.method == "GET":
            never.add("413")
        if not self.asks_store:
            never.add("503")
        return {status: says for status, says in FAILURES.items() if status not in never}


def describe_api(paths: Sequence[ApiPath]) -> dict[str, Any]:
    types = {id(ErrorAnswer): ErrorAnswer}
    for path in paths:
        if path.asks is not None:
            types[id(path.asks)] = path.asks
        types[id(path.answers)] = path.answers
    found, components = msgspec.json.schema_components(types.values(), ref_template=REF)
    schemas = dict(zip(types, found, strict=True))
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
