"""One MCP conversation as lines of JSON: what the stdio bridge sends and gets, over a request that lasts.

A line that is too long, or no message, is answered with an error of its own and ends nothing but itself.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel.server import Server
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from pydantic import ValidationError
from starlette.requests import Request

MAX_LINE_BYTES = 4_000_000
PARSE_ERROR, INVALID_REQUEST = -32700, -32600

Say = Callable[[bytes], Awaitable[None]]
Incoming = SessionMessage | Exception


async def converse(server: "Server[object]", request: Request, chunks: AsyncIterator[bytes], say: Say) -> None:
    """Until the other end has nothing more to say."""
    told, heard = anyio.create_memory_object_stream[Incoming](0)
    outgoing, answers = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as both:
        both.start_soon(_hear, request, chunks, told, say)
        both.start_soon(_answer, answers, say)
        await server.run(heard, outgoing, server.create_initialization_options())


async def _hear(
    request: Request, chunks: AsyncIterator[bytes], told: MemoryObjectSendStream[Incoming], say: Say
) -> None:
    async with told:
        async for line in _lines(chunks):
            if line is None:
                await say(_error(INVALID_REQUEST, f"The message is longer than {MAX_LINE_BYTES:,} bytes."))
                continue
            try:
                message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValidationError:
                await say(_error(PARSE_ERROR, "The line is no JSON-RPC message."))
                continue
            try:
                await told.send(SessionMessage(message, ServerMessageMetadata(request_context=request)))
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                return


async def _answer(answers: MemoryObjectReceiveStream[SessionMessage], say: Say) -> None:
    async with answers:
        async for answer in answers:
            await say(answer.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes | None]:
    """None: one that is too long."""
    waiting, is_too_long = bytearray(), False
    async for chunk in chunks:
        *ended, rest = chunk.split(b"\n")
        for end in ended:
            waiting += end
            if is_too_long or len(waiting) > MAX_LINE_BYTES:
                yield None
            elif waiting.strip():
                yield bytes(waiting)
            waiting, is_too_long = bytearray(), False
        waiting += rest
        if len(waiting) > MAX_LINE_BYTES:
            waiting, is_too_long = bytearray(), True


def _error(code: int, message: str) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}}).encode() + b"\n"
