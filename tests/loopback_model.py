"""A model provider on 127.0.0.1 that answers as it is told: rightly, wrongly, slowly, for ever. Keeps the questions.

Nothing here sleeps: what drips waits for the end of the test, a hundredth of a second at a time.
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from recollect.domain.settings import Provider
from tests.listening import listening

DRIP_S = 0.01


@dataclass(frozen=True, slots=True)
class Asked:
    path: str
    headers: Mapping[str, str]
    body: Any

    @property
    def words(self) -> str:
        """Everything that left the machine, in one text."""
        return json.dumps(self.body, ensure_ascii=False)


class LoopbackModel:
    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.port = 0
        self.closing = threading.Event()
        self._answer: Callable[[_Handler], None] = lambda handler: handler.whole(500, b"")

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def says(self, text: str, *, wire: Provider = Provider.OPENAI, tokens: tuple[int, int] | None = None) -> None:
        """The right form, whatever the text is."""
        self.sends(200, json.dumps(in_form(text, wire, tokens)).encode())

    def sends(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        self._answer = lambda handler: handler.whole(status, body, headers or {})

    def drips(self, first: bytes, drop: bytes) -> None:
        """Sends the first bytes, and then the drop again and again until somebody has enough."""
        self._answer = lambda handler: handler.dripping(first, drop)

    def hangs_up(self) -> None:
        self._answer = lambda handler: handler.connection.close()

    def answer(self, handler: "_Handler") -> None:
        self._answer(handler)


def in_form(text: str, wire: Provider, tokens: tuple[int, int] | None = None) -> dict[str, Any]:
    if wire is Provider.ANTHROPIC:
        usage = {"usage": {"input_tokens": tokens[0], "output_tokens": tokens[1]}} if tokens else {}
        return {"type": "message", "role": "assistant", "content": [{"type": "text", "text": text}], **usage}
    usage = {"usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}} if tokens else {}
    return {"object": "chat.completion", "choices": [{"message": {"role": "assistant", "content": text}}], **usage}


@contextmanager
def loopback_model() -> Iterator[LoopbackModel]:
    model = LoopbackModel()
    server = _Server(("127.0.0.1", 0), _Handler)
    server.model = model
    model.port = server.server_address[1]
    with listening(server):
        try:
            yield model
        finally:
            model.closing.set()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    model: LoopbackModel

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that give up are what most of these tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.model.asked.append(Asked(self.path, dict(self.headers.items()), body))
        self.close_connection = True
        self.server.model.answer(self)

    def whole(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def dripping(self, first: bytes, drop: bytes) -> None:
        with suppress(OSError):
            self.wfile.write(first)
            while not self.server.model.closing.wait(DRIP_S):
                self.wfile.write(drop)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the name is the library's
        """Silent: the recording says more."""
