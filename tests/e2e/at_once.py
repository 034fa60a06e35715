"""Several tools in one message: how the fake model answers a prompt that says `at once`. OpenAI's format only."""

import json
import time
from typing import Any

from tests.e2e.fake_model import FakeModel, Reply, Request, ToolCall
from tests.e2e.wire import STREAM

MARK = "at once"


def calls_at_once(model: FakeModel) -> None:
    """From now on. Everything else is answered as before."""
    usual = model.reply_to

    def reply_to(path: str, session: str | None, body: Any) -> Reply:
        request = Request(wire="openai", body=body, arrived_s=time.monotonic(), session=session)
        if not request.is_chat or MARK not in request.last_user_words or request.results_of_turn:
            return usual(path, session, body)
        number, _ = model._admit(request)  # recorded like any other
        return Reply(200, STREAM, _stream(model._script(request).tools, number))

    model.reply_to = reply_to  # type: ignore[method-assign]


def _stream(calls: tuple[ToolCall, ...], number: int) -> bytes:
    made = [
        {
            "index": at,
            "id": f"call_{number}_{at}",
            "type": "function",
            "function": {"name": call.name, "arguments": json.dumps(call.args)},
        }
        for at, call in enumerate(calls)
    ]
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
    said: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": {"role": "assistant", "tool_calls": made}, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
        {"choices": [], "usage": usage},
    ]
    head = {"id": f"chatcmpl-{number}", "object": "chat.completion.chunk", "created": 1, "model": "tiny"}
    chunks = [f"data: {json.dumps(head | each)}\n\n" for each in said]
    return "".join([*chunks, "data: [DONE]\n\n"]).encode()
