"""The description of the HTTP API, made from the types of its requests and answers: it cannot say anything else."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from recollect import __version__
from recollect.api.wire import ErrorAnswer

REF = "#/components/schemas/{name}"
FAILURES = {
    "400": "The request is not of the agreed form, or asks for what is refused.",
    "401": "On 127.0.0.1 only: the token is missing or wrong.",
    "403": "A web page asks.",
    "413": "The request is too large.",
    "421": "On 127.0.0.1 only: the request names another host.",
    "431": "The header is too large.",
    "500": "A fault of ours; the log says where.",
    "503": "The database cannot be used just now; the message says why.",
}
ELSEWHERE = {
    "404": "There is no such path.",
    "405": "The path takes another method.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiPath:
    """One path as the description tells it."""

    path: str
    method: str
    says: str
    asks: Any = None  # the type of the body; None: it takes none
    answers: Any = dict
    asks_store: bool = True
    parameters: Sequence[Mapping[str, Any]] = ()

    @property
    def failures(self) -> dict[str, str]:
        """What it can be answered with besides: `ELSEWHERE` is of no path that is described."""
        never = {"400"} if self.asks is None else set()
        never |= {"413"} if self.method == "GET" else set()
        never |= set() if self.asks_store else {"503"}
        return {status: says for status, says in FAILURES.items() if status not in never}


def describe_api(paths: Sequence[ApiPath]) -> dict[str, Any]:
    types = [ErrorAnswer, *(kind for path in paths for kind in (path.asks, path.answers) if kind is not None)]
    distinct = list({id(kind): kind for kind in types}.values())
    told, components = msgspec.json.schema_components(distinct, ref_template=REF)
    schemas = {id(kind): schema for kind, schema in zip(distinct, told, strict=True)}
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
    told: dict[str, Any] = {
        "operationId": re.sub(r"[/.]", "_", re.sub(r"^/v1/|[{}]", "", path.path)),
        "summary": path.says,
        "responses": {
            "200": {"description": "The answer.", "content": _json(schemas[id(path.answers)])},
            **{
                code: {"description": says, "content": _json(schemas[id(ErrorAnswer)])}
                for code, says in path.failures.items()
            },
        },
    }
    if path.parameters:
        told["parameters"] = list(path.parameters)
    if path.asks is not None:
        told["requestBody"] = {"required": True, "content": _json(schemas[id(path.asks)])}
    return told


def _json(schema: Any) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}
