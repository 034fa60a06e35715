import asyncio
import json
import logging
from typing import Any

import pytest
from starlette.types import Message

from recollect.daemon.app import Activity, create_app
from recollect.domain.settings import Settings
from recollect.engine.engine import Engine
from recollect.store.sqlite.store import SqliteStore
from recollect.workspace import git

PROMPT = {
    "hook": "chat.message",
    "sessionID": "s1",
    "messageID": "m1",
    "directory": "/",
    "parts": [{"type": "text", "text": "How do we deploy with Helm?"}],
}


SAID = "We deploy with Helm."


def a_clock_with_a_bug() -> float:
    raise KeyError(SAID)


def post(engine: Engine, path: str, body: object) -> tuple[int, dict[str, Any]]:
    """One request through the app itself, without a socket."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": path, "headers": [], "query_string": b""}
    asyncio.run(create_app(engine, Activity(lambda: None), lambda: None, lambda: "loaded")(scope, receive, send))
    return sent[0]["status"], json.loads(sent[1]["body"])


def test_a_bug_is_answered_and_logged_without_what_was_said(caplog: pytest.LogCaptureFixture) -> None:
    store = SqliteStore(None)
    with caplog.at_level(logging.INFO, logger="recollect.daemon"):
        status, answer = post(
            Engine(store, lambda _: Settings(), git, a_clock_with_a_bug), "/v1/hosts/opencode", PROMPT
        )
    store.close()
    assert status == 500
    assert answer["error"]["code"] == "internal"
    assert "KeyError" in answer["error"]["message"]
    assert "KeyError" in caplog.text
    assert "a_clock_with_a_bug" in caplog.text
    assert "Helm" not in caplog.text
    assert "Helm" not in answer["error"]["message"]
