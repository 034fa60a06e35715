"""One request through the daemon's routes themselves, without a socket."""

import asyncio
import json
from pathlib import Path
from typing import Any

from starlette.types import Message

from recollect.daemon.app import AppContext, create_app
from recollect.daemon.request_queue import Activity
from recollect.engine.engine import Engine
from recollect.wiring import Model


def served(engine: Engine) -> AppContext:
    return AppContext(
        engine=engine,
        model=Model(Path("/nowhere")),
        activity=Activity(),
        stop=lambda: None,
        is_ending=lambda: False,
    )


def post(engine: Engine, path: str, body: object) -> tuple[int, dict[str, Any]]:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": path, "headers": [], "query_string": b""}
    asyncio.run(create_app(served(engine))(scope, receive, send))
    return sent[0]["status"], json.loads(sent[1]["body"])
