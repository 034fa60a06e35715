"""The request boundary: whatever happens inside, the asker gets an answer, and the log gets a line without content."""

import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from recollect.daemon.log import places_of
from recollect.domain.errors import PayloadError, RecollectError, RequestTooLarge, StoreError
from recollect.privacy.secrets import redact

log = logging.getLogger("recollect.daemon")

MAX_BODY_BYTES = 4_000_000

Handler = Callable[[Request], Awaitable[Response]]


async def body_of(request: Request) -> bytearray:
    received = bytearray()
    async for chunk in request.stream():
        received += chunk
        if len(received) > MAX_BODY_BYTES:
            raise RequestTooLarge(MAX_BODY_BYTES)
    return received


async def object_of(request: Request) -> dict[str, Any]:
    """A JSON object, as a host sends it."""
    try:
        body = json.loads(await body_of(request))
    except (ValueError, RecursionError) as error:
        raise PayloadError(f"The request is not JSON that can be read: {error}.") from None
    if not isinstance(body, dict):
        raise PayloadError("The request is not a JSON object.")
    return body


def answering(handler: Handler, path: str, note: Callable[[], None]) -> Handler:
    """The log names our own `path`: an asker could put anything into theirs."""

    async def endpoint(request: Request) -> Response:
        note()
        try:
            return await handler(request)
        except ClientDisconnect:
            return Response(status_code=499)
        except HTTPException:
            raise  # `unknown` answers it
        except RecollectError as error:
            status = _status(error)
            # A mistake of whoever asks is no problem of the daemon: `status` lists those.
            log.log(logging.WARNING if status >= 500 else logging.INFO, "%s", error.code, extra={"where": path})
            return failure(status, error.code, str(error))
        except Exception as error:  # noqa: BLE001  # one of the four places: a bug here must not reach the host
            log.error("%s at %s", type(error).__name__, places_of(error), extra={"where": path})
            return failure(500, "internal", f"Something went wrong inside ({type(error).__name__}); see the log.")

    return endpoint


async def unknown(_: Request, error: Exception) -> Response:
    """A path that is not there, or a method that it does not take."""
    status = error.status_code if isinstance(error, HTTPException) else 404
    if status == 405:
        return failure(405, "wrong_method", "This path takes another method; /v1/openapi.json describes all of them.")
    return failure(status, "not_found", "There is no such path; /v1/openapi.json describes all of them.")


def failure(status: int, code: str, message: str) -> JSONResponse:
    # It quotes what was asked, and whoever asked may log it.
    return JSONResponse({"error": {"code": code, "message": redact(message).text}}, status_code=status)


def _status(error: RecollectError) -> int:
    match error:
        case RequestTooLarge():
            return 413
        case StoreError():
            return 503
        case _:
            return 400
