"""An answer as bytes in the format of a provider: what the step says, and nothing the client did not ask for."""

import json
from collections.abc import Iterable
from typing import Any

from tests.e2e.request import ToolCall, Wire
from tests.e2e.script import Say

STREAM, PLAIN = "text/event-stream", "application/json"
_OUTPUT_TOKENS = 2
_MODEL = "tiny"


def answer(wire: Wire, step: Say | ToolCall, *, number: int, usage_tokens: int, stream: bool) -> tuple[str, bytes]:
    """Content type and body. `number` makes ids unique within a server."""
    if wire == "openai":
        whole = _openai(step, number, usage_tokens)
        return (STREAM, _openai_stream(whole)) if stream else (PLAIN, _json(whole))
    whole = _anthropic(step, number, usage_tokens)
    return (STREAM, _anthropic_stream(whole)) if stream else (PLAIN, _json(whole))


def refusal(wire: Wire, status: int, message: str) -> bytes:
    error = {"type": "fake_error", "message": message, "code": status}
    return _json({"error": error} if wire == "openai" else {"type": "error", "error": error})


def _openai(step: Say | ToolCall, number: int, usage_tokens: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": step.text if isinstance(step, Say) else None}
    if isinstance(step, ToolCall):
        function = {"name": step.name, "arguments": json.dumps(step.args)}
        message["tool_calls"] = [{"index": 0, "id": f"call_{number}", "type": "function", "function": function}]
    finish = "stop" if isinstance(step, Say) else "tool_calls"
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1,
        "model": _MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {
            "prompt_tokens": usage_tokens,
            "completion_tokens": _OUTPUT_TOKENS,
            "total_tokens": usage_tokens + _OUTPUT_TOKENS,
        },
    }


def _openai_stream(whole: dict[str, Any]) -> bytes:
    head = {"id": whole["id"], "object": "chat.completion.chunk", "created": 1, "model": _MODEL}
    choice = whole["choices"][0]
    deltas = [(choice["message"], None), ({}, choice["finish_reason"])]
    chunks = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]} for delta, finish in deltas
    ] + [{**head, "choices": [], "usage": whole["usage"]}]
    return b"".join(b"data: " + _json(chunk) + b"\n\n" for chunk in chunks) + b"data: [DONE]\n\n"


def _anthropic(step: Say | ToolCall, number: int, usage_tokens: int) -> dict[str, Any]:
    block: dict[str, Any]
    if isinstance(step, Say):
        block = {"type": "text", "text": step.text}
    else:
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": step.name, "input": step.args}
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": _MODEL,
        "content": [block],
        "stop_reason": "end_turn" if isinstance(step, Say) else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": usage_tokens, "output_tokens": _OUTPUT_TOKENS},
    }


def _anthropic_stream(whole: dict[str, Any]) -> bytes:
    block = whole["content"][0]
    if block["type"] == "text":
        opening, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        opening = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    stop = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    return _events(
        [
            {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}},
            {"type": "content_block_start", "index": 0, "content_block": opening},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": stop, "usage": {"output_tokens": _OUTPUT_TOKENS}},
            {"type": "message_stop"},
        ]
    )


def _events(events: Iterable[dict[str, Any]]) -> bytes:
    return b"".join(f"event: {event['type']}\n".encode() + b"data: " + _json(event) + b"\n\n" for event in events)


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
