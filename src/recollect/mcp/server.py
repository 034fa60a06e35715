"""The tools as a server of the official MCP library, for both of its handshakes.

Imported at the first MCP request: it takes a second and 40 MB. The engine is synchronous: each call runs in a thread.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import anyio.lowlevel
import anyio.to_thread
import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel.server import Server
from pydantic import ValidationError

from recollect import __version__
from recollect.domain.errors import PayloadError, RecollectError
from recollect.domain.injection import Injection
from recollect.engine.engine import Engine
from recollect.engine.moments.sent_log import confirm_delivery
from recollect.mcp.askers import Askers, Connection
from recollect.mcp.asking_sessions import AskingSessions
from recollect.mcp.greeting import NAME, TITLE, tool_list
from recollect.mcp.schema import INSTRUCTIONS, TOOLS
from recollect.mcp.tools import NOWHERE, ToolAnswer, call
from recollect.wiring import prepare_to_search

FOLDER_TOOLS = ("search", "context", "profile")  # tools whose answer depends on the folder

Context = ServerRequestContext[Any, Any]
Guard = Callable[[Callable[[], ToolAnswer]], ToolAnswer]  # answers whatever happens


def build(engine: Engine, guard: Guard, asking: AskingSessions) -> Server[Any]:
    askers = Askers(asking)

    async def list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools())

    async def call_tool(context: Context, asked: types.CallToolRequestParams) -> types.CallToolResult:
        request: Any = context.request  # the HTTP request that carries the message
        peer = str(request.scope.get("client"))
        connection = Connection(headers=request.headers, query=request.query_params, peer=peer)

        def work() -> ToolAnswer:
            return answer(engine, askers, connection, asked.name, asked.arguments or {})

        answered = await anyio.to_thread.run_sync(guard, work)
        # The agent never gets a cancelled answer, so it does not count as shown.
        await anyio.lowlevel.checkpoint_if_cancelled()
        if answered.offered is not None:
            await anyio.to_thread.run_sync(deliver, engine, answered.offered)
        return to_result(answered)

    server: Server[Any] = Server(
        NAME,
        version=__version__,
        title=TITLE,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        get_tool_input_schema=lambda name: TOOLS[name].schema if name in TOOLS else None,
    )
    server.middleware[:] = [_explain_bad_call]  # replaces the library's tracing
    return server


async def _explain_bad_call(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Explain a malformed call: the library's "Invalid request parameters" does not help an agent."""
    try:
        return await call_next(ctx)
    except ValidationError:
        if ctx.method != "tools/call":
            raise
        text = "A call has a `name`, and its `arguments` are an object."
        return to_result(ToolAnswer(text=text, code=PayloadError.code))


def tools() -> list[types.Tool]:
    return [types.Tool.model_validate(tool, by_name=False) for tool in tool_list()["tools"]]


def answer(
    engine: Engine, askers: Askers, connection: Connection, name: str, arguments: Mapping[str, Any]
) -> ToolAnswer:
    try:
        asker = askers.find_asker(connection)
    except RecollectError as error:
        return ToolAnswer(text=str(error), code=error.code)
    prepare_to_search()
    answered = call(engine, asker, name, arguments)
    if name in FOLDER_TOOLS and answered.code is None and askers.claim_folder_notice(asker):
        return replace(answered, text=f"{answered.text}\n{NOWHERE}")
    return answered


def deliver(engine: Engine, injection: Injection) -> None:
    with suppress(RecollectError):  # it may be shown again: better than no answer
        confirm_delivery(engine.store, injection)


def to_result(answered: ToolAnswer) -> types.CallToolResult:
    content: list[types.ContentBlock] = [types.TextContent(type="text", text=answered.text)]
    if answered.code is None:
        return types.CallToolResult(content=content)
    problem = {"code": answered.code, "message": answered.text}
    return types.CallToolResult(content=content, structured_content=problem, is_error=True)
