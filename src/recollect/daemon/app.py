"""The daemon's routes: decode, engine, encode."""

import logging
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from threading import Lock
from types import ModuleType
from typing import Any

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
from recollect.api.hosts import Answered, Blocks, Due, Folder, Hello, Idle, KeptAnswer, Messages, Nothing, Stopping
from recollect.daemon.boundary import (
    OPERATION_PATH,
    answer_unknown,
    check_client,
    make_endpoint,
    read_body,
    read_contract,
    read_object,
)
from recollect.daemon.mcp_routes import Agents
from recollect.daemon.request_queue import Activity, RequestQueue
from recollect.daemon.status import build_status
from recollect.domain.errors import PayloadError, RecollectError
from recollect.domain.event import Event, SessionStarted
from recollect.domain.injection import Injection
from recollect.domain.memory import MessageId, SessionId
from recollect.engine.engine import Engine
from recollect.hosts import opencode, script
from recollect.wiring import Model, prepare_to_search

log = logging.getLogger("recollect.daemon")

HOSTS: Mapping[str, ModuleType] = {opencode.NAME: opencode, script.NAME: script}

LATE = "Recollect-Late"  # a courier delivers an old event: its answer is not used

Answers = Callable[[Request], Awaitable[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class AppContext:
    engine: Engine
    model: Model
    activity: Activity
    stop: Callable[[], None]
    is_ending: Callable[[], bool]  # True once it was asked to stop
    environment: str = ""  # a client with the same value has the same paths and settings


def create_app(context: AppContext) -> Starlette:
    engine, activity = context.engine, context.activity
    agents = Agents(engine, activity)
    warm_up = WarmUp(engine)
    queue = RequestQueue()

    async def hello(_: Request) -> Hello:
        return Hello(version=__version__, environment=context.environment, pid=os.getpid())

    async def status(_: Request) -> Response:
        model = context.model.status_word()
        counts = activity.uptime_seconds(), activity.requests
        return _encode(await run_in_threadpool(build_status, engine, model, *counts, ending=context.is_ending()))

    async def host(request: Request) -> dict[str, Any]:
        asking = _find_host(request.path_params["host"])
        payload = await read_object(request)
        async with queue.place(first=asking.is_waited_for(payload)):
            answer, injection = await run_in_threadpool(answer_host, engine, asking, payload)
        # A host that gave up waiting, and a courier, have not shown the block to a model.
        if injection.offered and LATE not in request.headers and not await request.is_disconnected():
            await run_in_threadpool(engine.store.confirm_one, injection.offered)
        activity.wake_background()  # after the answer: the background must not take the processor from it
        return answer

    async def replay(request: Request) -> Blocks:
        asked = await read_contract(request, Messages)
        messages = [MessageId(carrier.partition("/")[0]) for carrier in asked.messages]
        return Blocks(blocks=await run_in_threadpool(_replay, engine, asked.session, messages))

    async def confirm(request: Request) -> Nothing:
        sent = await read_contract(request, Messages)
        await run_in_threadpool(engine.store.confirm, sent.session, sent.messages)
        return Nothing()

    async def wake(request: Request) -> JSONResponse:
        check_client(request, context.environment)
        folder = (await read_contract(request, Folder)).folder
        activity.wake_background()
        return JSONResponse({}, background=BackgroundTask(warm_up.run, folder))  # after the answer

    async def question(request: Request) -> Due:
        return await run_in_threadpool(_find_question, engine, await read_contract(request, Idle))

    async def answer(request: Request) -> KeptAnswer:
        kept = await run_in_threadpool(_learn_answer, engine, await read_contract(request, Answered))
        activity.wake_background()
        return KeptAnswer(kept=kept)

    async def end(_: Request) -> Stopping:
        await agents.end()
        context.stop()
        return Stopping(stopping=True)

    async def operation(request: Request) -> Response:
        check_client(request, context.environment)
        return await run_in_threadpool(
            _run_operation, context, request.path_params["operation"], await read_body(request)
        )

    async def openapi(_: Request) -> dict[str, Any]:
        from recollect.daemon.openapi import build_description  # rarely needed

        return await run_in_threadpool(build_description)

    def route(path: str, handler: Answers, method: str) -> Route:
        async def as_json(request: Request) -> Response:
            answer = await handler(request)
            return JSONResponse(answer if isinstance(answer, dict) else _given_fields(answer))

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


def _given_fields(answer: Any) -> dict[str, Any]:
    return {name: value for name, value in asdict(answer).items() if value is not None}


class WarmUp:
    """Loads everything that the first prompt needs, once: it stays loaded."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._is_done = False

    def run(self, folder: str) -> None:
        if self._is_done:
            return
        self._is_done = True
        from recollect.engine.upkeep import warm_up

        try:
            prepare_to_search()  # not inside warm_up, which blocks other writers
            warm_up(self._engine, folder, datetime.now(UTC))
        except RecollectError as error:  # the first prompt will report it
            self._is_done = False
            log.warning("%s", error.code, extra={"where": "/v1/wake"})


def answer_host(engine: Engine, host: ModuleType, payload: Mapping[str, Any]) -> tuple[dict[str, Any], Injection]:
    from recollect.engine.moments.handle import handle  # a daemon without sessions is small

    event: Event = host.normalise(payload, datetime.now(UTC))
    if not isinstance(event, SessionStarted):  # its block needs no search
        prepare_to_search()
    injection = handle(engine, event)
    return host.render(injection), injection


def _replay(engine: Engine, session: SessionId, messages: Sequence[MessageId]) -> dict[str, str]:
    from recollect.engine.moments.sent_log import replay

    return replay(engine.store, session, messages)


def _find_question(engine: Engine, asked: Idle) -> Due:
    from recollect.engine.learning.host_model_questions import next_question  # most users have it switched off

    _find_host(asked.host)
    ctx = engine.context(asked.folder, datetime.now(UTC))
    due = next_question(ctx, asked.host, asked.session, working=asked.working, client=asked.client)
    if isinstance(due, timedelta):
        return Due(wait_ms=int(due.total_seconds() * 1000))
    return Due() if due is None else Due(**asdict(due))


def _learn_answer(engine: Engine, given: Answered) -> int:
    from recollect.engine.learning.host_model_questions import answer_question

    prepare_to_search()
    return answer_question(engine.context(given.folder, datetime.now(UTC)), given.id, given.text, given.tokens)


def _find_host(name: str) -> ModuleType:
    if name not in HOSTS:
        raise PayloadError(f"There is no host {name!r}; known hosts: {', '.join(HOSTS)}.")
    return HOSTS[name]


_preparing = Lock()
_prepared: set[str] = set()  # operations whose requests have been decoded before


def _run_operation(context: AppContext, name: str, body: bytearray) -> Response:
    from recollect.api import json_codec  # a daemon that only serves hooks does not need these
    from recollect.api.recall import RECALL
    from recollect.operations import answer, find_operation

    operation = find_operation(name)
    if operation is None:
        raise HTTPException(404)
    if name not in _prepared:
        with _preparing:
            json_codec.prepare(operation.asks)
        _prepared.add(name)
    request = json_codec.decode_request(body, operation.asks)
    prepare_to_search()
    answered = answer(context.engine, operation, request, datetime.now(UTC), context.model)
    if operation.writes or operation is RECALL:  # new memories need vectors; other reading needs no model
        context.activity.wake_background()
    return _encode(answered)


def _encode(value: object) -> Response:
    from recollect.api import json_codec

    return Response(json_codec.encode(value), media_type="application/json")


class OriginForm:
    """Accepts `POST http://localhost/v1/...`, the absolute form that a client behind a proxy sends."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith("http://"):
            scope["path"] = "/" + scope["path"].removeprefix("http://").partition("/")[2]
        await self._app(scope, receive, send)
