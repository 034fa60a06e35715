"""The request boundary: whatever happens inside, the client gets an answer, and the log gets a line without content."""

import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import MISSING
from http import HTTPStatus
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from recollect.connection import CLIENT_HEADER, DIFFERS, MAX_BODY_BYTES, client_header
from recollect.daemon.guard import Refusal
from recollect.daemon.log import code_places
from recollect.domain.codec import FieldType, field_types
from recollect.domain.errors import DaemonDiffers, PayloadError, RecollectError, RequestTooLarge, StoreError
from recollect.privacy.secrets import redact
from recollect.text import json_fields

log = logging.getLogger("recollect.daemon")

OPERATION_PATH = "/v1/{operation}"

NOT_FOUND = Refusal(HTTPStatus.NOT_FOUND, "not_found", "There is no such path; /v1/openapi.json describes all of them.")
WRONG_METHOD = Refusal(
    HTTPStatus.METHOD_NOT_ALLOWED,
    "wrong_method",
    "This path takes another method; /v1/openapi.json describes all of them.",
)

Contract = TypeVar("Contract")
Handler = Callable[[Request], Awaitable[Response]]


async def read_body(request: Request) -> bytearray:
    received = bytearray()
    async for chunk in request.stream():
        received += chunk
        if len(received) > MAX_BODY_BYTES:
            raise RequestTooLarge(MAX_BODY_BYTES)
    return received


async def read_object(request: Request) -> dict[str, Any]:
    try:
        body = json.loads(await read_body(request))
    except (ValueError, RecursionError) as error:
        raise PayloadError(f"The request is not valid JSON: {error}.") from None
    if not isinstance(body, dict):
        raise PayloadError("The request is not a JSON object.")
    return body


async def read_contract(request: Request, contract: type[Contract]) -> Contract:
    """Read the request of a plugin by the types of its fields. It may be of another version: unknown fields are ignored."""
    body = await read_object(request)
    taken = field_types(contract)
    try:
        return contract(**{one.name: _read_field(body, one) for one in taken if _is_needed(body, one)})
    except PayloadError as error:
        raise PayloadError(f"{error} This takes {', '.join(f'`{one.name}`' for one in taken)}.") from None


def _is_needed(body: Mapping[str, Any], of: FieldType) -> bool:
    return of.default is MISSING or (of.name in body and body[of.name] is not of.default)


def _read_field(body: Mapping[str, Any], of: FieldType) -> Any:
    if of.is_list:
        if body.get(of.name) is None:
            raise PayloadError(f"`{of.name}` must be a list of texts.")
        return json_fields.texts(body, of.name)
    return json_fields.optional_number(body, of.name) if of.kind is int else json_fields.any_text(body, of.name)


def check_client(request: Request, environment: str) -> None:
    """Refuse a command that this daemon would answer differently. Other programs do not send the header."""
    wanted = request.headers.get(CLIENT_HEADER)
    if wanted not in (None, client_header(environment)):
        raise DaemonDiffers("This daemon has another version or environment than the request names.")


def make_endpoint(handler: Handler, path: str, under_way: Callable[[], AbstractContextManager[None]]) -> Handler:
    """Wrap a handler: turn its errors into answers. The log has our own `path`: a client could put anything into theirs."""

    async def endpoint(request: Request) -> Response:
        try:
            with under_way():
                return await handler(request)
        except ClientDisconnect:
            return Response(status_code=499)
        except HTTPException:
            raise  # `answer_unknown` answers it
        except RecollectError as error:
            status = http_status(type(error))
            # `status` lists problems of the daemon; a mistake of the client is none.
            log.log(logging.WARNING if status >= 500 else logging.INFO, "%s", error.code, extra={"where": path})
            return error_response(status, error.code, str(error))
        except Exception as error:  # noqa: BLE001  # a bug here must not reach the host
            log.error("%s at %s", type(error).__name__, code_places(error), extra={"where": path})
            message = f"Something went wrong inside ({type(error).__name__}); see the log."
            return error_response(500, "internal", message)

    return endpoint


async def answer_unknown(request: Request, _: Exception) -> Response:
    return error_response(*(WRONG_METHOD if _has_path(request) else NOT_FOUND))


def _has_path(request: Request) -> bool:
    from recollect.operations import OPERATIONS  # needed only for a wrong path

    path = request.scope["path"]
    if path.removeprefix("/v1/") in OPERATIONS:
        return True
    own = [route for route in request.app.routes if isinstance(route, Route) and route.path != OPERATION_PATH]
    return any(route.path_regex.match(path) for route in own)


def error_response(status: int, code: str, message: str) -> JSONResponse:
    # The message quotes the request, and the client may log it.
    return JSONResponse({"error": {"code": code, "message": redact(message).text}}, status_code=status)


def http_status(kind: type[RecollectError]) -> int:
    if issubclass(kind, RequestTooLarge):
        return 413
    if issubclass(kind, DaemonDiffers):
        return DIFFERS
    return 503 if issubclass(kind, StoreError) else 400
