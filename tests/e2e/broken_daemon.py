"""Somebody on the daemon's socket who is not our daemon: answers nothing, nonsense, too much, or far too slowly."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingUnixStreamServer
from typing import Any

from tests.e2e.machine import Machine
from tests.listening import listening

MAX_S = 20.0  # of one answer: a client that waits for ever fails its test, not the whole run
Handler = StreamRequestHandler


class BrokenDaemon(ThreadingUnixStreamServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, here: Path, answers: "Answer") -> None:
        super().__init__(str(here), _Connection)
        self.answers = answers
        self.asked = 0

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that gave up is what these tests are about."""


class _Connection(StreamRequestHandler):
    server: BrokenDaemon

    def handle(self) -> None:
        while self._read_request():
            self.server.asked += 1
            with suppress(OSError):
                if self.server.answers(self):
                    continue
            return

    def _read_request(self) -> bool:
        length = 0
        while line := self.rfile.readline():
            if line == b"\r\n":
                self.rfile.read(length)
                return True
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        return False


Answer = Callable[[_Connection], bool]  # whether the connection stays open


def ok(body: bytes, *, status: str = "200 OK") -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def says(whole: bytes) -> Answer:
    def answer(connection: _Connection) -> bool:
        connection.wfile.write(whole)
        return True

    return answer


def _close(_: _Connection) -> bool:
    return False


def _hang(connection: _Connection) -> bool:
    connection.request.settimeout(MAX_S)
    connection.rfile.read(1)  # until the client goes away
    return False


def _endless(connection: _Connection) -> bool:
    connection.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{"block": "')
    give_up = time.monotonic() + MAX_S
    while time.monotonic() < give_up:
        connection.wfile.write(b"x" * 65_536)
    return False


def _dribble(connection: _Connection) -> bool:
    """A good answer, one byte at a time: each of them is in time, all of them together are not."""
    give_up = time.monotonic() + MAX_S
    for byte in ok(_json({"block": "<recollect>\nToo late.\n</recollect>", "placement": "message"})):
        if time.monotonic() > give_up:
            break
        connection.wfile.write(bytes([byte]))
        time.sleep(0.05)
    return False


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


_LARGE = "<recollect>\n" + "x" * 5_000_000 + "\n</recollect>"

_WRONG = {"block": {"text": 7}, "placement": ["system"], "notice": {"a": 1}, "blocks": 5, "tools": "none"}
_WRONG_INSIDE = {"block": None, "placement": 1, "notice": [1], "blocks": {"start": [1]}, "tools": {"a": {"b": 1}}}
_OTHERS = (
    ok(b'["block", 3]'),
    ok(b"null"),
    ok(_json(_WRONG_INSIDE)),
    ok(b"", status="503 Service Unavailable"),
    b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n",
    ok(b'{"block": "<recollect>'),
)


def _by_turns(connection: _Connection) -> bool:
    connection.wfile.write(_OTHERS[connection.server.asked % len(_OTHERS)])
    return True


ANSWERS: dict[str, Answer] = {
    "closes at once": _close,
    "is no HTTP": says(b"SSH-2.0-OpenSSH_9.2\r\n\x00\xff\xfe garbage\r\n\r\n"),
    "is no JSON": says(ok(b"<html>It works!</html>")),
    "has wrong types": says(ok(_json(_WRONG))),
    "is an error": says(ok(_json({"error": {"kind": "internal", "message": "broken"}}), status="500 Internal")),
    "is other nonsense each time": _by_turns,
    "is 5 MB long": says(ok(_json({"block": _LARGE, "placement": "message", "notice": _LARGE}))),
    "never comes": _hang,
    "never ends": _endless,
    "comes byte by byte": _dribble,
}


@contextmanager
def broken_daemon(machine: Machine, answers: Answer) -> Iterator[BrokenDaemon]:
    """Where the client looks for the daemon; the real one is stopped before, and not started after."""
    machine.recollect("stop")
    here = Path(machine.env["XDG_RUNTIME_DIR"]) / "recollect" / "daemon.sock"
    here.parent.mkdir(mode=0o700, exist_ok=True)
    here.unlink(missing_ok=True)
    server = BrokenDaemon(here, answers)
    try:
        with listening(server):
            yield server
    finally:
        here.unlink(missing_ok=True)
