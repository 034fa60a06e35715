"""The fake model provider: records every request, answers as the user's words direct, on 127.0.0.1 only.

It fails loudly: a malformed directive, an unknown path or a broken handler is kept in `errors`, which the fixtures
assert to be empty. The only fake in the end-to-end tests; clients, daemon and files are real.
"""

import json
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.e2e.request import (
    Message,
    Request,
    ToolCall,
    Wire,
    assert_prefix_kept,
    first_change,
    kept_share,
    kept_shares,
)
from tests.e2e.script import MalformedDirective, Refuse, Script, script_of
from tests.e2e.wire import PLAIN, answer, refusal
from tests.listening import listening

__all__ = [
    "FakeModel",
    "Message",
    "Recording",
    "Request",
    "ToolCall",
    "Wire",
    "assert_prefix_kept",
    "fake_model",
    "first_change",
    "kept_share",
    "kept_shares",
]

_WIRES: dict[str, Wire] = {"/v1/chat/completions": "openai", "/v1/messages": "anthropic"}


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    content_type: str
    body: bytes


class Recording:
    """The requests that arrived since it was made; grows while the client works."""

    def __init__(self, model: "FakeModel") -> None:
        self._model = model
        self._start = len(model.requests)

    @property
    def requests(self) -> list[Request]:
        return self._model.requests[self._start :]

    def wait_for(self, count: int, *, timeout_s: float = 20) -> list[Request]:
        """Those that came, as soon as there are so many; fails the test when they do not come in time."""
        deadline = time.monotonic() + timeout_s
        while len(self.requests) < count:
            assert time.monotonic() < deadline, f"{len(self.requests)} of {count} requests came in {timeout_s} s"
            time.sleep(0.01)
        return self.requests


class FakeModel:
    """What the provider knows and says. The HTTP side only carries it."""

    def __init__(self) -> None:
        self.title = "A title"  # the answer to every title call
        self.summary = "Nothing is left to do."  # the answer to every compaction
        self.found = "[]"  # the answer to every question about a session
        self.found_ms = 0  # and how late it comes
        self.errors: list[str] = []
        self.port = 0
        self._cues: dict[str, str] = {}
        self._requests: list[Request] = []
        self._attempts: Counter[tuple[str | None, tuple[bytes, ...]]] = Counter()
        self._lock = threading.Lock()
        self._closing = threading.Event()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def requests(self) -> list[Request]:
        """Everything so far, in order of arrival."""
        with self._lock:
            return list(self._requests)

    def record(self) -> Recording:
        return Recording(self)

    def cue(self, words: str, directives: str) -> str:
        """When these are a user's very words, it does as directed; so nothing but the words is said. The words."""
        self._cues[words] = directives
        return words

    def assert_no_errors(self) -> None:
        """What it complains of once, it forgets, so that one test's mistake is not the next one's failure."""
        with self._lock:
            errors, self.errors = self.errors, []
        assert not errors, "the fake model met errors:\n" + "\n".join(errors)

    def note_error(self, what: str) -> None:
        with self._lock:
            self.errors.append(what)

    def close(self) -> None:
        """Whoever still waits for a late answer gets it now."""
        self._closing.set()

    def reply_to(self, path: str, session: str | None, body: Any) -> Reply:
        wire = _WIRES.get(path.partition("?")[0])
        if wire is None:
            self.note_error(f"no such path: {path}")
            return Reply(404, PLAIN, b'{"error":{"message":"no such path"}}')
        request = Request(wire=wire, body=body, arrived_s=time.monotonic(), session=session)
        number, attempt = self._admit(request)
        try:
            script = self._script(request)
        except MalformedDirective as error:
            self.note_error(str(error))
            return Reply(400, PLAIN, refusal(wire, 400, str(error)))
        self._closing.wait(script.wait_ms / 1000)
        step = script.step(results=request.results_of_turn, attempt=attempt)
        if isinstance(step, Refuse):
            return Reply(step.status, PLAIN, refusal(wire, step.status, "refused as directed"))
        stream = bool(request.body.get("stream"))
        content_type, whole = answer(wire, step, number=number, usage_tokens=script.usage_tokens, stream=stream)
        return Reply(200, content_type, whole)

    def _admit(self, request: Request) -> tuple[int, int]:
        """The request's number, and how often this very request was made before."""
        key = (request.session, request.elements)
        with self._lock:
            self._requests.append(request)
            self._attempts[key] += 1
            return len(self._requests), self._attempts[key] - 1

    def _script(self, request: Request) -> Script:
        # Internal calls quote the user's words: the directives in them are not meant for these answers.
        if request.is_title:
            return Script(say=self.title)
        if request.is_compaction:
            return Script(say=self.summary)
        if request.is_reading:
            return Script(say=self.found, usage_tokens=700, wait_ms=self.found_ms)
        words = request.last_user_words
        return script_of(self._cues.get(words, words))


@contextmanager
def fake_model() -> Iterator[FakeModel]:
    """A running provider; its port is free to ask for from the start."""
    model = FakeModel()
    server = _Server(("127.0.0.1", 0), _Handler)
    server.model = model
    model.port = server.server_address[1]
    with listening(server):
        try:
            yield model
        finally:
            model.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a client may hold its connection open for ever
    model: FakeModel

    def handle_error(self, request: Any, client_address: Any) -> None:
        del request, client_address
        error = sys.exception()
        if not isinstance(error, ConnectionError):  # a client that was ended or gave up is no mistake of ours
            self.model.note_error(f"{type(error).__name__}: {error}")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # header and body are two writes: the second would wait for a delayed ACK
    server: _Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._send(self.server.model.reply_to(self.path, self.headers.get("x-session-id"), body))

    def do_GET(self) -> None:
        self._send(self.server.model.reply_to(f"GET {self.path}", None, None))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the name is the library's
        """Silent: the recording says more."""

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body)
