"""One MCP conversation as lines of JSON: what the stdio bridge sends and gets, over a request that lasts.

A line that is too long, or no message, is answered with an error of its own, under its id where it has one, and ends
nothing but itself. Half of a character, as a client leaves that cuts a text anywhere, is read as a question mark.
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

from recollect.client import MAX_BODY_BYTES

MAX_LINE_BYTES = MAX_BODY_BYTES  # of one message: the stream itself has no end
PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS = -32700, -32600, -32602

Say = Callable[[bytes], Awaitable[None]]
Incoming = SessionMessage | Exception


async def converse(server: "Server[object]", request: Request, chunks: AsyncIterator[bytes], say: Say) -> None:
    """Until the other end has nothing more to say."""
    told, heard = anyio.create_memory_object_stream[Incoming](0)
    outgoing, answers = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as both:
        both.start_soon(_receive, request, chunks, told, say)
        both.start_soon(_answer, answers, say)
        await server.run(heard, outgoing, server.create_initialization_options())


async def _receive(
    request: Request, chunks: AsyncIterator[bytes], told: MemoryObjectSendStream[Incoming], say: Say
) -> None:
    async with told:
        async for line in _lines(chunks):
            if line is None:
                await say(_error(INVALID_REQUEST, f"The message is longer than {MAX_LINE_BYTES:,} bytes."))
                continue
            try:
                message = read_message(line)
            except InvalidMessage as wrong:
                await say(_error(wrong.code, str(wrong), wrong.id))
                continue
            try:
                await told.send(SessionMessage(message, ServerMessageMetadata(request_context=request)))
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                return


class InvalidMessage(Exception):
    """A line that is no message."""

    def __init__(self, code: int, why: str, of: str | int | None = None) -> None:
        super().__init__(why)
        self.code = code
        self.id = of


def read_message(line: bytes) -> types.JSONRPCMessage:
    """Wrong: it is none."""
    try:
        given = json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidMessage(PARSE_ERROR, "The line is no JSON.") from None
    if not isinstance(given, dict):
        raise InvalidMessage(INVALID_REQUEST, "A message is an object of JSON-RPC; several at once are not taken.")
    of = given.get("id")
    if "id" in given and (isinstance(of, bool) or not isinstance(of, str | int)):
        raise InvalidMessage(INVALID_REQUEST, "An id is a string or a whole number.")
    if given.get("jsonrpc") != "2.0":
        raise InvalidMessage(INVALID_REQUEST, 'A message has "jsonrpc": "2.0".', of)
    if not isinstance(given.get("method"), str) and not ("id" in given and ("result" in given or "error" in given)):
        raise InvalidMessage(INVALID_REQUEST, "A request has a `method`, which is a string.", of)
    if not isinstance(given.get("params", {}), dict):
        raise InvalidMessage(INVALID_PARAMS, "The `params` of a request are an object.", of)
    if isinstance(of, str) and of.encode("utf-8", "replace").decode() != of:
        raise InvalidMessage(INVALID_REQUEST, "The id has half of a character in it.", of)
    try:
        whole = json.dumps(given, ensure_ascii=False).encode("utf-8", "replace")
        return types.jsonrpc_message_adapter.validate_json(whole, by_name=False)
    except (ValidationError, RecursionError):
        raise InvalidMessage(INVALID_REQUEST, "The line is no message of JSON-RPC.", of) from None


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


def _error(code: int, message: str, of: str | int | None = None) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": of, "error": {"code": code, "message": message}}).encode() + b"\n"
