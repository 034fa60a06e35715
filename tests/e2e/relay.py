"""A wire between client and daemon that can be made slow: every answer comes through, later."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingUnixStreamServer

from tests.e2e.machine import Machine
from tests.listening import listening


class Relay(ThreadingUnixStreamServer):
    daemon_threads = True
    block_on_close = False  # the client keeps its connections

    def __init__(self, here: Path, daemon: Path) -> None:
        super().__init__(str(here), _Wire)
        self.daemon = daemon
        self.delay_s = 0.0


class _Wire(StreamRequestHandler):
    server: Relay

    def handle(self) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as upstream, suppress(OSError):
            upstream.connect(str(self.server.daemon))
            threading.Thread(target=_copy, args=(self.connection, upstream), daemon=True).start()
            while chunk := upstream.recv(65_536):
                if chunk.startswith(b"HTTP/"):
                    time.sleep(self.server.delay_s)
                self.connection.sendall(chunk)


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while chunk := source.recv(65_536):
            target.sendall(chunk)


@contextmanager
def relay(machine: Machine) -> Iterator[Relay]:
    """The daemon runs elsewhere; where the client looks for it, the relay listens."""
    here = Path(machine.env["XDG_RUNTIME_DIR"]) / "recollect"
    elsewhere = here.parent / "elsewhere"
    for folder in (here, elsewhere):
        folder.mkdir(mode=0o700, exist_ok=True)
    machine.recollect("stop")
    usual, machine.env["XDG_RUNTIME_DIR"] = machine.env["XDG_RUNTIME_DIR"], str(elsewhere)
    started = machine.recollect("start")
    machine.env["XDG_RUNTIME_DIR"] = usual
    assert started.returncode == 0, started.stderr
    server = Relay(here / "daemon.sock", elsewhere / "recollect" / "daemon.sock")
    with listening(server):
        yield server
