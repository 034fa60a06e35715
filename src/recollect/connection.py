"""One connection to the daemon. Standard library only, and little of it: every command opens one.

Uses the unix socket. Without one it uses 127.0.0.1 and the token, but only while the daemon's lock is taken: another
program may have taken over the port of a dead daemon.

A command must not be answered by a daemon that would answer differently:

1. The client sends the head of its request, with its version and environment.
2. The daemon compares both with its own. It answers `100 Continue` with its version, or 412.
3. After 100 and the same version the client sends the body. Any other daemon never gets it, and has done nothing.
"""

import _socket  # `socket` takes four times as long to import
import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from recollect import __version__
from recollect.domain.errors import DaemonError

VERSION_HEADER = "Recollect-Version"  # of the daemon, in every answer
CLIENT_HEADER = "Recollect-Client"  # version and environment, which the daemon must share to answer this request
MAX_HEAD_BYTES = 65_536  # of an answer
MAX_BODY_BYTES = 4_000_000  # the daemon accepts no larger request
CHUNK_BYTES = 262_144
LENGTH_DIGITS = 12  # of the announced size of an answer: more is no daemon of ours
CONTINUE, DIFFERS = 100, 412  # of HTTP: go on; a precondition is not met


class HttpAnswer(NamedTuple):
    status: int
    version: str | None  # of the daemon
    body: bytes


def client_header(environment: str) -> str:
    return f"{__version__} {environment}"


class DaemonConnection:
    """One connection to one daemon. It never reconnects: another daemon may be there by then.

    Texts of errors ("it is incomplete") are about the answer: `explain` puts them in a sentence."""

    def __init__(self, connection: _socket.socket, host: str, token: str | None = None) -> None:
        self.socket = connection
        authorisation = f"Authorization: Bearer {token}\r\n" if token else ""
        self._headers = f"Host: {host}\r\nContent-Type: application/json\r\n{authorisation}"
        self._received = bytearray()

    def exchange(self, method: str, path: str, body: bytes = b"") -> HttpAnswer:
        self._send(self._head(method, path, len(body)) + body)
        return self._read_answer()

    def offer(self, path: str, body_bytes: int, client: str) -> bool:
        """Announce a request; `send` completes it. False: the daemon is of another version or environment."""
        expected = f"{CLIENT_HEADER}: {client}\r\nExpect: 100-continue\r\n"
        self._send(self._head("POST", path, body_bytes, expected))
        status, headers = self._read_head()
        if headers.get(VERSION_HEADER.lower()) != __version__ or status == DIFFERS:
            return False
        if status != CONTINUE:
            raise ConnectionError(f"status {status}")
        return True

    def send(self, body: bytes, timeout_s: float) -> HttpAnswer:
        self.socket.settimeout(timeout_s)
        self._send(body)
        return self._read_answer()

    def close(self) -> None:
        self.socket.close()

    def _head(self, method: str, path: str, body_bytes: int, more: str = "") -> bytes:
        return f"{method} {path} HTTP/1.1\r\n{self._headers}Content-Length: {body_bytes}\r\n{more}\r\n".encode("ascii")

    def _send(self, data: bytes) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):  # refused before it was read: the answer says why
            self.socket.sendall(data)

    def _read_answer(self) -> HttpAnswer:
        status, headers = self._read_head()
        return HttpAnswer(status, headers.get(VERSION_HEADER.lower()), self._read_body(headers))

    def _read_head(self) -> tuple[int, dict[str, str]]:
        while b"\r\n\r\n" not in self._received:
            if len(self._received) > MAX_HEAD_BYTES or not self._receive():
                raise ConnectionError("it has no header, or a very long one")
        head, _, self._received = self._received.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        protocol, _, rest = first.partition(" ")
        status = rest[:3]
        if not protocol.startswith("HTTP/1.") or not status.isdecimal():
            raise ConnectionError("it is not HTTP")
        fields = (line.partition(":") for line in lines)
        return int(status), {name.strip().lower(): value.strip() for name, _, value in fields}

    def _read_body(self, headers: dict[str, str]) -> bytes:
        """Read as many bytes as announced, or to the end. The daemon sends no chunks."""
        length = headers.get("content-length")
        if "transfer-encoding" in headers or not (length or "0").isdecimal() or len(length or "") > LENGTH_DIGITS:
            raise ConnectionError("its length is not known")
        if length is None:
            while self._receive():
                pass
            return bytes(self._received)
        while len(self._received) < int(length):
            if not self._receive():
                raise ConnectionError("it is incomplete")
        body = bytes(self._received[: int(length)])
        del self._received[: int(length)]
        return body

    def _receive(self) -> bool:
        part = self.socket.recv(CHUNK_BYTES)
        self._received += part
        return bool(part)


def open_connection(socket_path: Path, timeout_s: float) -> DaemonConnection:
    """Open a connection. Raises OSError if no daemon listens, DaemonError if the folder is not ours: its daemon must not
    be asked."""
    folder = socket_path.parent
    if folder.lstat().st_uid != os.getuid():  # in a shared temporary directory any user may have created it
        raise DaemonError(
            f"{folder} belongs to another user. Remove it, or set XDG_RUNTIME_DIR to a folder of your own."
        )
    try:
        return DaemonConnection(_open_socket(_socket.AF_UNIX, str(socket_path), timeout_s), "localhost")
    except (FileNotFoundError, ConnectionRefusedError):
        port, token = read_tcp_file(socket_path)
        if not is_locked(socket_path):
            raise
        connection = _open_socket(_socket.AF_INET, ("127.0.0.1", int(port)), timeout_s)
        return DaemonConnection(connection, f"127.0.0.1:{port}", token)


def _open_socket(family: int, address: Any, timeout_s: float) -> _socket.socket:
    connection = _socket.socket(family, _socket.SOCK_STREAM)
    try:
        connection.settimeout(timeout_s)
        connection.connect(address)
    except OSError:
        connection.close()
        raise
    return connection


def read_tcp_file(socket_path: Path) -> tuple[str, str]:
    """Return the port and the token of the daemon."""
    path = socket_path.with_suffix(".tcp")
    try:
        port, token = path.read_text("ascii").split()
        return str(int(port)), token
    except ValueError:
        raise FileNotFoundError(f"{path} is damaged") from None


def is_locked(socket_path: Path) -> bool:
    """Return True while the daemon lives: it has its lock to its end, whatever its socket says."""
    try:
        with socket_path.with_suffix(".lock").open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except FileNotFoundError:
        pass  # its whole folder is gone
    return False


def explain(error: Exception, timeout_s: float) -> DaemonError:
    """Turn an error of a connection into one for people."""
    if isinstance(error, FileNotFoundError | ConnectionRefusedError):
        return DaemonError("The daemon is not running. `recollect start` starts it.")
    if isinstance(error, TimeoutError):
        return DaemonError(f"The daemon did not answer within {timeout_s:.0f} s. `recollect restart` may help.")
    return DaemonError(f"The daemon's answer cannot be read ({str(error) or type(error).__name__}).")
