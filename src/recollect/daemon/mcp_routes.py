"""MCP in the daemon: `/mcp` for clients that speak streamable HTTP, `/v1/mcp` for our stdio bridge, and `/v1/asking`, with
which a host's plugin announces the session of the next call.

The MCP library is imported at the first MCP request, in a thread: a daemon that only serves hooks never loads it. This is
the request boundary for agents: whatever happens inside, they get an answer and the log gets a line.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from recollect.api.hosts import AboutToAsk
from recollect.daemon.boundary import error_response, make_endpoint, read_contract
from recollect.daemon.log import code_places
from recollect.daemon.request_queue import Activity
from recollect.domain.errors import PayloadError
from recollect.engine.engine import Engine
from recollect.mcp.asking_sessions import AskingSessions, HostSession, is_absolute_path

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from recollect.mcp.tools import ToolAnswer

log = logging.getLogger("recollect.daemon")

ANSWER_S = 0.5
END_S = 1.0
POLL_S = 0.01
ASKING_PATH = "/v1/asking"
MAX_SESSIONS = 100  # over HTTP, of clients with the older handshake


@dataclass(frozen=True, slots=True)
class _McpLibrary:
    server: "Server[Any]"
    http: "StreamableHTTPSessionManager"
    converse: Callable[..., Any]


class Agents:
    def __init__(self, engine: Engine, activity: Activity) -> None:
        self._engine = engine
        self._activity = activity
        self._asking = AskingSessions()
        self._loading = asyncio.Lock()
        self._loaded: _McpLibrary | None = None
        self._life: asyncio.Task[None] | None = None  # runs the library's own tasks
        self._ending = asyncio.Event()
        self._talks: set[asyncio.Task[None]] = set()
        self._working: set[object] = set()  # tool calls

    @property
    def routes(self) -> list[Route]:
        # Starlette gives an object, unlike a function, the raw ASGI messages.
        return [
            Route("/mcp", _Endpoint(self._http, "/mcp")),
            Route("/v1/mcp", _Endpoint(self._talk, "/v1/mcp"), methods=["POST"]),
            Route(ASKING_PATH, make_endpoint(self._announce, ASKING_PATH, self._activity.answering), methods=["POST"]),
        ]

    async def end(self) -> None:
        """End every conversation, so that none delays the daemon's end. Running calls get ANSWER_S to finish."""
        self._ending.set()
        give_up = time.monotonic() + ANSWER_S
        while self._working and time.monotonic() < give_up:
            await asyncio.sleep(POLL_S)
        await asyncio.sleep(POLL_S)  # so that the last answer is sent
        ending = list(self._talks)
        for talk in ending:
            talk.cancel()
        if self._life is not None:
            ending.append(self._life)
        if ending:
            await asyncio.wait(ending, timeout=END_S)

    async def _load(self) -> _McpLibrary:
        async with self._loading:
            if self._loaded is None:
                loaded = await asyncio.to_thread(self._import)
                ready = asyncio.Event()
                self._life = asyncio.create_task(self._live(loaded, ready))
                begun = asyncio.create_task(ready.wait())
                await asyncio.wait([begun, self._life], return_when=asyncio.FIRST_COMPLETED)
                if not ready.is_set():  # it failed: raise its error
                    begun.cancel()
                    self._life.result()
                self._loaded = loaded
            return self._loaded

    def _import(self) -> _McpLibrary:
        manager = import_module("mcp.server.streamable_http_manager").StreamableHTTPSessionManager
        server = import_module("recollect.mcp.server").build(self._engine, self._run_tool, self._asking)
        http = manager(server, json_response=True, max_sessions=MAX_SESSIONS)
        return _McpLibrary(server, http, import_module("recollect.mcp.lines").converse)

    async def _live(self, loaded: _McpLibrary, ready: asyncio.Event) -> None:
        async with loaded.http.run():
            ready.set()
            await self._ending.wait()

    def _run_tool(self, work: "Callable[[], ToolAnswer]") -> "ToolAnswer":
        from recollect.mcp.tools import ToolAnswer

        self._working.add(work)
        try:
            return work()
        except Exception as error:  # noqa: BLE001  # the request boundary: a bug must not reach the agent
            _log(error, "tool")
            text = f"Something went wrong inside ({type(error).__name__}). Go on without."
            return ToolAnswer(text=text, code="internal")
        finally:
            self._working.discard(work)
            self._activity.wake_background()

    async def _announce(self, request: Request) -> Response:
        told = await read_contract(request, AboutToAsk)
        if not is_absolute_path(told.folder):
            raise PayloadError("The `folder` must be the absolute path of the project's folder.")
        about = HostSession(id=told.session, host=told.host)
        await run_in_threadpool(self._asking.announce, told.folder, about, time.time())
        return JSONResponse({})

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._activity.note()
        loaded = await self._load()
        if self._ending.is_set():
            await ENDING(scope, receive, send)
        else:
            await loaded.http.handle_request(scope, receive, send)

    async def _talk(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._activity.note()
        loaded = await self._load()
        if self._ending.is_set():
            await ENDING(scope, receive, send)
            return

        async def say(line: bytes) -> None:
            await send({"type": "http.response.body", "body": line, "more_body": True})

        headers = [(b"content-type", b"application/x-ndjson")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        chunks = self._chunks(receive)
        talk = asyncio.create_task(loaded.converse(loaded.server, Request(scope), chunks, say))
        self._talks.add(talk)
        try:
            await asyncio.wait([talk])
        finally:
            talk.cancel()
            self._talks.discard(talk)
        if not talk.cancelled() and (error := talk.exception()) is not None:
            _log(error, "/v1/mcp")
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _chunks(self, receive: Receive) -> AsyncIterator[bytes]:
        while True:
            message: Message = await receive()
            if message["type"] == "http.disconnect":
                return
            if message.get("body"):
                self._activity.note()
                yield message["body"]
            if not message.get("more_body", False):
                return


class _Endpoint:
    def __init__(self, serve: Callable[[Scope, Receive, Send], Any], path: str) -> None:
        self._serve = serve
        self._path = path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = done = False

        async def send_and_watch(message: Message) -> None:
            nonlocal begun, done
            begun = True
            done = message["type"] == "http.response.body" and not message.get("more_body", False)
            await send(message)

        try:
            await self._serve(scope, receive, send_and_watch)
            if begun and not done:  # the library's stream broke off when the daemon ended
                await send({"type": "http.response.body", "body": b""})
        except Exception as error:  # noqa: BLE001  # the request boundary
            _log(error, self._path)
            if not begun:
                await BROKEN(scope, receive, send)


def _log(error: BaseException, where: str) -> None:
    log.error("%s at %s", type(error).__name__, code_places(error), extra={"where": where})


ENDING = error_response(503, "ending", "The daemon is ending. Ask again: the next one starts by itself.")
BROKEN = error_response(500, "internal", "Something went wrong inside; see the log.")
