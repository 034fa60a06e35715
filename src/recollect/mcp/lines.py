"""One MCP conversation with the stdio bridge, as lines of JSON over one long request.

A line that is too long or invalid is answered with an error, with its id if it has one; the conversation goes on. An
unpaired surrogate, from a client that cut a text in the middle of a character, is read as a question mark.
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

from recollect.connection import MAX_BODY_BYTES

MAX_LINE_BYTES = MAX_BODY_BYTES  # of one message; the stream has no end
PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS = -32700, -32600, -32602

Say = Callable[[bytes], Awaitable[None]]
Incoming = SessionMessage | Exception


async def converse(server: "Server[object]", request: Request, chunks: AsyncIterator[bytes], say: Say) -> None:
    """Serve until the client closes its end."""
    inbound, messages = anyio.create_memory_object_stream[Incoming](0)
    outbound, answers = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_receive, request, chunks, inbound, say)
        tasks.start_soon(_answer, answers, say)
        await server.run(messages, outbound, server.create_initialization_options())


async def _receive(
    request: Request, chunks: AsyncIterator[bytes], inbound: MemoryObjectSendStream[Incoming], say: Say
) -> None:
    async with inbound:
        async for line in _lines(chunks):
            if line is None:
                await say(_error(INVALID_REQUEST, f"The message is longer than {MAX_LINE_BYTES:,} bytes."))
                continue
            try:
                message = read_message(line)
            except InvalidMessage as error:
                await say(_error(error.code, str(error), error.id))
                continue
            try:
                await inbound.send(SessionMessage(message, ServerMessageMetadata(request_context=request)))
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                return


class InvalidMessage(Exception):
    def __init__(self, code: int, why: str, request_id: str | int | None = None) -> None:
        super().__init__(why)
        self.code = code
        self.id = request_id


def read_message(line: bytes) -> types.JSONRPCMessage:
    """InvalidMessage: it is not a JSON-RPC message."""
    try:
        given = json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidMessage(PARSE_ERROR, "The line is not valid JSON.") from None
    if not isinstance(given, dict):
        raise InvalidMessage(INVALID_REQUEST, "A message must be one JSON-RPC object; batches are not supported.")
    request_id = given.get("id")
    if "id" in given and (isinstance(request_id, bool) or not isinstance(request_id, str | int)):
        raise InvalidMessage(INVALID_REQUEST, "The id must be a string or a whole number.")
    if given.get("jsonrpc") != "2.0":
        raise InvalidMessage(INVALID_REQUEST, 'The message must have "jsonrpc": "2.0".', request_id)
    is_answer = "id" in given and ("result" in given or "error" in given)
    if not isinstance(given.get("method"), str) and not is_answer:
        raise InvalidMessage(INVALID_REQUEST, "A request must have a `method`, which is a string.", request_id)
    if not isinstance(given.get("params", {}), dict):
        raise InvalidMessage(INVALID_PARAMS, "The `params` of a request must be an object.", request_id)
    if isinstance(request_id, str) and request_id.encode("utf-8", "replace").decode() != request_id:
        raise InvalidMessage(INVALID_REQUEST, "The id contains an unpaired surrogate.", request_id)
    try:
        whole = json.dumps(given, ensure_ascii=False).encode("utf-8", "replace")
        return types.jsonrpc_message_adapter.validate_json(whole, by_name=False)
    except (ValidationError, RecursionError):
        raise InvalidMessage(INVALID_REQUEST, "The line is not a JSON-RPC message.", request_id) from None


async def _answer(answers: MemoryObjectReceiveStream[SessionMessage], say: Say) -> None:
    async with answers:
        async for answer in answers:
            await say(answer.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes | None]:
    """Yield each line; None for one that is too long."""
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


def _error(code: int, message: str, request_id: str | int | None = None) -> bytes:
    error = {"code": code, "message": message}
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "error": error}).encode() + b"\n"
