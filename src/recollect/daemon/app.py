"""The daemon's routes: decode, engine, encode."""

import logging
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from recollect import __version__
from recollect.daemon.boundary import OPERATION_PATH, answer_unknown, make_endpoint, read_body, read_object
from recollect.daemon.mcp_routes import Agents
from recollect.daemon.request_queue import Activity, RequestQueue
from recollect.daemon.status import build_status
from recollect.domain.errors import PayloadError, RecollectError
from recollect.domain.event import Event
from recollect.domain.injection import Injection
from recollect.domain.memory import MessageId, SessionId, check_folder, check_name
from recollect.engine.engine import Engine
from recollect.engine.ports import SettingsFor
from recollect.hosts import opencode, script
from recollect.wiring import Model, prepare_to_search

if TYPE_CHECKING:
    from recollect.api.operation import AnyOperation

log = logging.getLogger("recollect.daemon")

HOSTS: Mapping[str, ModuleType] = {opencode.NAME: opencode, script.NAME: script}

MAX_PID = 2**31 - 1
LATE = "Recollect-Late"  # a courier delivers an old event: its answer is not used

Answers = Callable[[Request], Awaitable[dict[str, Any]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class AppContext:
    engine: Engine
    settings_for: SettingsFor
    model: Model
    activity: Activity
    stop: Callable[[], None]
    environment: str = ""  # a client with the same value has the same paths and settings


def create_app(context: AppContext) -> Starlette:
    engine, activity = context.engine, context.activity
    agents = Agents(engine, activity)
    warm_up = WarmUp(engine)
    queue = RequestQueue()

    async def hello(_: Request) -> dict[str, Any]:
        return {"version": __version__, "environment": context.environment, "pid": os.getpid()}

    async def status(_: Request) -> Response:
        model = context.model.status_word()
        answer = await run_in_threadpool(build_status, engine, model, activity.uptime_seconds(), activity.requests)
        return _encode(answer)

    async def host(request: Request) -> dict[str, Any]:
        name = request.path_params["host"]
        if name not in HOSTS:
            raise PayloadError(f"There is no host {name!r}; known hosts: {', '.join(HOSTS)}.")
        payload = await read_object(request)
        async with queue.place(first=HOSTS[name].is_waited_for(payload)):
            answer, injection = await run_in_threadpool(answer_host, engine, HOSTS[name], payload)
        # A host that gave up waiting, and a courier, have not shown the block to a model.
        if injection.offered and LATE not in request.headers and not await request.is_disconnected():
            await run_in_threadpool(engine.confirm_delivery, injection)
        activity.wake_background()  # after the answer: the background must not take the processor from it
        return answer

    async def replay(request: Request) -> dict[str, Any]:
        session, carriers = _read_carriers(await read_object(request))
        messages = [MessageId(carrier.partition("/")[0]) for carrier in carriers]
        blocks = await run_in_threadpool(engine.replay, session, messages)
        tools = await run_in_threadpool(engine.replay_tools, session, messages)
        found: dict[str, str] = dict(blocks.items())
        for message, calls in tools.items():
            for call, block in calls.items():
                found[f"{message}/{call}"] = block
        return {"blocks": found}

    async def confirm(request: Request) -> dict[str, Any]:
        session, carriers = _read_carriers(await read_object(request))
        await run_in_threadpool(engine.confirm, session, carriers)
        return {}

    async def wake(request: Request) -> JSONResponse:
        folder = (await read_object(request)).get("folder")
        if not isinstance(folder, str):
            raise PayloadError("This takes the `folder` in which a host starts.")
        check_folder(folder)
        activity.wake_background()
        return JSONResponse({}, background=BackgroundTask(warm_up.run, folder))  # after the answer

    async def question(request: Request) -> dict[str, Any]:
        body = await read_object(request)
        host, folder, session = _read_host(body)
        client, working = body.get("client"), body.get("working", [])
        is_process = client is None or (type(client) is int and 0 < client <= MAX_PID)
        if not is_process or not _is_list_of_strings(working):
            raise PayloadError("This takes the process id of the `client` and a list of its `working` sessions.")
        ask = partial(engine.next_question, working=working, client=client)
        due = await run_in_threadpool(ask, host, folder, session, datetime.now(UTC))
        match due:
            case None:
                return {}
            case timedelta():
                return {"wait_ms": int(due.total_seconds() * 1000)}
            case _:
                return asdict(due)

    async def answer(request: Request) -> dict[str, Any]:
        body = await read_object(request)
        _, folder, _ = _read_host(body)
        name, text, tokens = body.get("id"), body.get("text"), body.get("tokens")
        is_counted = tokens is None or (isinstance(tokens, int) and not isinstance(tokens, bool))
        if not isinstance(name, str) or not isinstance(text, str) or not is_counted:
            raise PayloadError("This takes the `id` of a question, the `text` of its answer, and its `tokens`.")
        kept = await run_in_threadpool(engine.answer_question, name, text, tokens, folder, datetime.now(UTC))
        activity.wake_background()
        return {"kept": kept}

    async def end(_: Request) -> dict[str, Any]:
        await agents.end()
        context.stop()
        return {"stopping": True}

    async def operation(request: Request) -> Response:
        return await run_in_threadpool(
            _run_operation, context, request.path_params["operation"], await read_body(request)
        )

    async def openapi(_: Request) -> dict[str, Any]:
        from recollect.daemon.openapi import build_description  # rarely needed

        return await run_in_threadpool(build_description)

    def route(path: str, handler: Answers, method: str) -> Route:
        async def as_json(request: Request) -> Response:
            return JSONResponse(await handler(request))

        return Route(path, make_endpoint(as_json, path, activity.answering), methods=[method])

    app = Starlette(
        routes=[
            *agents.routes,
            route("/v1/hello", hello, "GET"),
            Route("/v1/status", make_endpoint(status, "/v1/status", activity.answering), methods=["GET"]),
            route("/v1/openapi.json", openapi, "GET"),
            route("/v1/hosts/{host}", host, "POST"),
            Route("/v1/wake", make_endpoint(wake, "/v1/wake", activity.answering), methods=["POST"]),
            route("/v1/replay", replay, "POST"),
            route("/v1/sent", confirm, "POST"),
            route("/v1/question", question, "POST"),
            route("/v1/answer", answer, "POST"),
            route("/v1/stop", end, "POST"),
            Route(OPERATION_PATH, make_endpoint(operation, OPERATION_PATH, activity.answering), methods=["POST"]),
        ],
        middleware=[Middleware(OriginForm)],
        exception_handlers={HTTPException: answer_unknown},
    )
    app.state.agents = agents
    return app


class WarmUp:
    """Loads everything that the first prompt needs, once: it stays loaded."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._is_done = False

    def run(self, folder: str) -> None:
        if self._is_done:
            return
        self._is_done = True
        try:
            prepare_to_search()  # not inside warm_up, which blocks other writers
            self._engine.warm_up(folder, datetime.now(UTC))
        except RecollectError as error:  # the first prompt will report it
            self._is_done = False
            log.warning("%s", error.code, extra={"where": "/v1/wake"})


def answer_host(engine: Engine, host: ModuleType, payload: Mapping[str, Any]) -> tuple[dict[str, Any], Injection]:
    event: Event = host.normalise(payload, datetime.now(UTC))
    injection = engine.handle(event)
    return host.render(injection), injection


def _run_operation(context: AppContext, name: str, body: bytearray) -> Response:
    from recollect.api import json_codec  # a daemon that only serves hooks does not need these
    from recollect.api.catalogue import OPERATIONS
    from recollect.api.operation import OperationContext
    from recollect.api.recall import RECALL

    operation: AnyOperation | None = OPERATIONS.get(name)
    if operation is None:
        raise HTTPException(404)
    request = json_codec.decode(body, operation.asks)
    settings = context.settings_for(request.folder)
    desk = OperationContext(
        engine=context.engine.with_settings(settings, context.model),
        live=context.engine,
        settings=settings,
        model=context.model,
        now=datetime.now(UTC),
        is_resident=True,
    )
    answer = operation.answer(desk, request)
    if operation.writes or operation is RECALL:  # new memories need vectors; other reading needs no model
        context.activity.wake_background()
    return _encode(answer)


def _encode(value: object) -> Response:
    from recollect.api import json_codec

    return Response(json_codec.encode(value), media_type="application/json")


def _read_carriers(body: Mapping[str, Any]) -> tuple[SessionId, list[str]]:
    """A carrier has a block: a message, or a tool call in it (`message/call`)."""
    session, messages = body.get("session"), body.get("messages")
    if not isinstance(session, str) or not isinstance(messages, list) or not _is_list_of_strings(messages):
        raise PayloadError("This takes a `session` and a list of the ids of `messages`.")
    for name in (session, *messages):
        check_name(name, "id")
    return SessionId(session), messages


def _is_list_of_strings(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _read_host(body: Mapping[str, Any]) -> tuple[str, str | None, SessionId | None]:
    host, folder, session = body.get("host", opencode.NAME), body.get("folder"), body.get("session")
    is_known = isinstance(host, str) and host in HOSTS
    if not is_known or not isinstance(folder, str | None) or not isinstance(session, str | None):
        raise PayloadError("This takes a known `host`, the `folder` it works in, and a `session`.")
    if folder is not None:
        check_folder(folder)
    if session is not None:
        check_name(session, "session")
    return host, folder, None if session is None else SessionId(session)


class OriginForm:
    """Accepts `POST http://localhost/v1/...`, the absolute form that a client behind a proxy sends."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith("http://"):
            scope["path"] = "/" + scope["path"].removeprefix("http://").partition("/")[2]
        await self._app(scope, receive, send)
