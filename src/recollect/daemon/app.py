"""The daemon's routes: decode, engine, encode. Errors end here as answers; a host never sees a traceback."""

import json
import logging
import os
import time
import traceback
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from types import ModuleType
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from recollect import __version__
from recollect.daemon.agents import Agents
from recollect.domain.errors import PayloadError, RecollectError
from recollect.domain.event import Event
from recollect.domain.memory import MessageId, SessionId, check_name
from recollect.engine.engine import Engine
from recollect.hosts import opencode, script
from recollect.privacy.secrets import redact

log = logging.getLogger("recollect.daemon")

MAX_BODY_BYTES = 4_000_000
HOSTS: Mapping[str, ModuleType] = {opencode.NAME: opencode, script.NAME: script}

Handler = Callable[[Request], Awaitable[dict[str, Any]]]


def _extractor(engine: Engine) -> str | None:
    """How it goes with the language model that reads sessions too; None: it is off."""
    try:
        extractor = engine.extractor()
    except RecollectError as error:
        return str(error)
    return None if extractor is None else str(extractor.state)


class Activity:
    """How long ago somebody asked something."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self.started = self._last = time.monotonic()
        self.requests = 0
        self._wake = wake

    def note(self) -> None:
        self._last = time.monotonic()
        self.requests += 1

    def note_host(self) -> None:
        """Where an agent is at work, there is something to do in the background."""
        self._wake()

    def idle_seconds(self) -> float:
        return time.monotonic() - self._last


def create_app(engine: Engine, activity: Activity, stop: Callable[[], None], model: Callable[[], str]) -> Starlette:
    agents = Agents(engine, activity)

    async def status(_: Request) -> dict[str, Any]:
        return {
            "version": __version__,
            "pid": os.getpid(),
            "uptime_s": round(time.monotonic() - activity.started, 1),
            "requests": activity.requests,
            "memories": await run_in_threadpool(engine.count),
            "to_review": await run_in_threadpool(lambda: len(engine.cases())),
            "candidates": await run_in_threadpool(lambda: len(engine.candidates())),
            "to_learn": await run_in_threadpool(engine.to_learn),
            "extractor": await run_in_threadpool(_extractor, engine),
            "model": model(),
        }

    async def host(request: Request) -> dict[str, Any]:
        name = request.path_params["host"]
        if name not in HOSTS:
            raise PayloadError(f"There is no host {name!r}; known are {', '.join(HOSTS)}.")
        answer = await run_in_threadpool(answer_host, engine, HOSTS[name], await _body(request))
        activity.note_host()  # after the answer: what it starts must not take the processor from it
        return answer

    async def replay(request: Request) -> dict[str, Any]:
        session, messages = _session_and_messages(await _body(request))
        return {"blocks": await run_in_threadpool(engine.replay, session, messages)}

    async def sent(request: Request) -> dict[str, Any]:
        session, messages = _session_and_messages(await _body(request))
        await run_in_threadpool(engine.confirm, session, messages)
        return {}

    async def end(_: Request) -> dict[str, Any]:
        await agents.end()
        stop()
        return {"stopping": True}

    def route(path: str, handler: Handler, method: str) -> Route:
        return Route(path, _answering(handler, activity, path), methods=[method])

    app = Starlette(
        routes=[
            *agents.routes,
            route("/v1/status", status, "GET"),
            route("/v1/hosts/{host}", host, "POST"),
            route("/v1/replay", replay, "POST"),
            route("/v1/sent", sent, "POST"),
            route("/v1/stop", end, "POST"),
        ],
        middleware=[Middleware(OriginForm)],
    )
    app.state.agents = agents
    return app


def answer_host(engine: Engine, host: ModuleType, payload: Mapping[str, Any]) -> dict[str, Any]:
    event: Event = host.normalise(payload, datetime.now(UTC))
    answer: dict[str, Any] = host.render(engine.handle(event))
    return answer


def _session_and_messages(body: Mapping[str, Any]) -> tuple[SessionId, list[MessageId]]:
    session, messages = body.get("session"), body.get("messages")
    if not isinstance(session, str) or not isinstance(messages, list) or not all(isinstance(m, str) for m in messages):
        raise PayloadError("This takes a `session` and a list of `messages` ids.")
    for name in (session, *messages):
        check_name(name, "id")
    return SessionId(session), [MessageId(message) for message in messages]


async def _body(request: Request) -> dict[str, Any]:
    received = bytearray()
    async for chunk in request.stream():
        received += chunk
        if len(received) > MAX_BODY_BYTES:
            raise PayloadError(f"The request is larger than {MAX_BODY_BYTES:,} bytes.")
    try:
        body = json.loads(received)
    except (ValueError, RecursionError) as error:
        raise PayloadError(f"The request is not JSON that can be read: {error}.") from None
    if not isinstance(body, dict):
        raise PayloadError("The request is not a JSON object.")
    return body


def _answering(handler: Handler, activity: Activity, path: str) -> Callable[[Request], Awaitable[Response]]:
    """The request boundary: whatever happens inside, the asker gets an answer and the log gets a line.

    The line names our own `path`: an asker could put anything into theirs.
    """

    async def endpoint(request: Request) -> Response:
        activity.note()
        try:
            return JSONResponse(await handler(request))
        except ClientDisconnect:
            return Response(status_code=499)
        except RecollectError as error:
            log.warning("%s: %s", path, error.code)
            return _error(400, error.code, str(error))
        except Exception as error:  # noqa: BLE001  # one of the four places: a bug here must not reach the host
            # Where, not what: the message of an unforeseen error may hold what somebody said.
            where = "".join(traceback.format_tb(error.__traceback__))
            log.error("%s: %s\n%s", path, type(error).__name__, where)
            return _error(500, "internal", f"Something went wrong inside ({type(error).__name__}); see the log.")

    return endpoint


class OriginForm:
    """A client behind a proxy sends `POST http://localhost/v1/...`: the same request in its absolute form."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith("http://"):
            scope["path"] = "/" + scope["path"].removeprefix("http://").partition("/")[2]
        await self._app(scope, receive, send)


def _error(status_code: int, code: str, message: str) -> JSONResponse:
    # It quotes what was asked, and whoever asked may log it.
    return JSONResponse({"error": {"code": code, "message": redact(message).text}}, status_code=status_code)
