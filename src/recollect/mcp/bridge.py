"""`recollect mcp`: an agent's standard input and output, joined to the daemon's MCP. Bytes go through as they are.

Standard library only, and little of it: every agent starts one. It reads the ids of messages and decides nothing. The
daemon may end and come back as it likes: what was under way is answered with an error, never asked twice, and the next
line finds a new daemon, told again of the handshake that its client made with the old one.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time

from recollect import hook

TYPE_CHECKING = False  # importing `typing` takes as long as `json` and `threading` together
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Callable, Iterator
    from typing import Any, NoReturn

MAX_LINE_BYTES = 4_000_000  # the daemon takes no more
MAX_KEPT_BYTES = 4 * MAX_LINE_BYTES  # of a line that is too long, to find its id
CHUNK_BYTES = 65_536
LAST_ANSWERS_S = 5.0  # how long answers are waited for, after the client has said its last
CLOSE_S = 1.0
BEGIN_S = 10.0  # the daemon loads its MCP first
POLL_S = 0.02
ENDED = "Recollect's daemon ended while this was under way. Ask again; it starts by itself."
TOO_LONG = f"The message is longer than {MAX_LINE_BYTES:,} bytes. Send less at once."
INTERNAL_ERROR, INVALID_REQUEST = -32603, -32600
OURS = "recollect-again"  # the id of a handshake that the client does not know of
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/")


class Ended(Exception):
    """A signal asks us to end."""


class _Answers:
    """What comes over a connection: a head, then chunks."""

    def __init__(self, connection: socket) -> None:
        self._connection = connection
        self._received = bytearray()

    def head(self) -> bytes:
        return self._until(b"\r\n\r\n")

    def chunks(self) -> Iterator[bytes]:
        """ValueError: these are none."""
        while size := int(self._until(b"\r\n").partition(b";")[0], 16):
            while len(self._received) < size + 2:
                self._more()
            yield bytes(self._received[:size])
            del self._received[: size + 2]

    def _until(self, end: bytes) -> bytes:
        while (at := self._received.find(end)) < 0:
            self._more()
        found = bytes(self._received[:at])
        del self._received[: at + len(end)]
        return found

    def _more(self) -> None:
        piece = self._connection.recv(CHUNK_BYTES)
        if not piece:
            raise ConnectionResetError
        self._received.extend(piece)


class Talk:
    """One connection to a daemon, with the requests that wait for its answer."""

    def __init__(self, connection: socket, hear: Callable[[Talk, bytes], None]) -> None:
        self._connection = connection
        self._hear = hear
        self.waiting: dict[str, Any] = {}  # ids, by their spelling: 1 is not "1"
        self.is_over = False
        self._answers = _Answers(connection)
        self._thread = threading.Thread(target=self._listen, name="answers", daemon=True)

    def begin(self, head: bytes) -> bytes:
        """The head of the answer: before it is there, nothing that matters is said to a daemon that may be dying."""
        self._connection.settimeout(BEGIN_S)
        self._connection.sendall(head)
        answered = self._answers.head()
        self._connection.settimeout(None)
        if answered.startswith(b"HTTP/1.1 200 "):
            self._thread.start()
        return answered

    def say(self, line: bytes) -> None:
        """OSError: not all of it was sent, so none of it was heard."""
        self._connection.sendall(b"%x\r\n%b\r\n" % (len(line), line))

    def close(self) -> None:
        try:
            self._connection.sendall(b"0\r\n\r\n")
        except OSError:
            return
        self._thread.join(CLOSE_S)

    def _listen(self) -> None:
        waiting = b""
        try:
            for chunk in self._answers.chunks():
                *lines, waiting = (waiting + chunk).split(b"\n")
                for line in filter(None, lines):
                    self._hear(self, line + b"\n")
        except (OSError, ValueError):  # killed, or no daemon of ours
            pass
        finally:
            self._hear(self, b"")


class Bridge:
    def __init__(self, folder: str | None) -> None:
        self._folder = folder
        self._session = f"mcp-{os.urandom(4).hex()}"
        self._lock = threading.Condition()
        self._writing = threading.Lock()  # another one: a client that reads late must not keep us from reading
        self._talk: Talk | None = None
        self._handshake: list[bytes] = []  # of an older client: `initialize`, then that it is initialized

    def run(self) -> int:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, _end)
        try:
            for line in _lines_of(0):
                self._tell(line)
        except Ended:
            pass
        try:  # noqa: SIM105  # contextlib alone would cost more than the rest of this line
            self._finish()
        except Ended:  # a second one: at once
            pass
        return 0

    # ---- to the daemon

    def _tell(self, line: bytes) -> None:
        message = _message(line)
        asks = "method" in message and "id" in message
        if len(line) > MAX_LINE_BYTES:
            self._write(_error(message.get("id"), INVALID_REQUEST, TOO_LONG))
            return
        why = ENDED
        for _ in range(2):  # the daemon may have ended since it was last heard of
            try:
                talk = self._talking()
            except (hook.Failed, OSError) as error:
                why = f"Recollect's daemon cannot be reached: {error}"
                break
            if asks:
                with self._lock:
                    talk.waiting[json.dumps(message["id"])] = message["id"]
            try:
                talk.say(line)
            except OSError:
                with self._lock:
                    self._over(talk)
                    if asks and talk.waiting.pop(json.dumps(message["id"]), talk) is talk:
                        return  # it was answered, with an error, when the daemon ended
            else:
                self._remember(message, line)
                self._forget(message)
                return
        if asks:
            self._write(_error(message["id"], INTERNAL_ERROR, why))

    def _forget(self, message: dict[str, Any]) -> None:
        """What its client has cancelled is never answered."""
        params = message.get("params")
        if message.get("method") == "notifications/cancelled" and isinstance(params, dict):
            with self._lock:
                if self._talk is not None:
                    self._talk.waiting.pop(json.dumps(params.get("requestId")), None)
                    self._lock.notify_all()

    def _remember(self, message: dict[str, Any], line: bytes) -> None:
        if message.get("method") == "initialize":
            self._handshake = [line]
        elif message.get("method") == "notifications/initialized" and self._handshake:
            self._handshake = [self._handshake[0], line]

    def _talking(self) -> Talk:
        """The daemon that runs, started where there is none."""
        with self._lock:
            if self._talk is not None and not self._talk.is_over:
                return self._talk
        call = hook.Call()
        call.state = hook.state_folder(dict(os.environb))
        call.runtime = hook.runtime_folder(dict(os.environb), call.state)
        talk = self._begun(call)
        for line in self._handshake:
            said = _message(line)
            if "id" in said:
                line = json.dumps({**said, "id": OURS}).encode() + b"\n"
            talk.say(line)
        with self._lock:
            self._talk = talk
        return talk

    def _begun(self, call: hook.Call) -> Talk:
        """A daemon that is about to end may still take a connection, and answers nothing: the next one does."""
        give_up = time.monotonic() + BEGIN_S
        while True:
            talk = Talk(call.connected() or _started(call), self._heard)
            folder = b"" if self._folder is None else b"Recollect-Folder: %b\r\n" % _quoted(os.fsencode(self._folder))
            head = (
                b"POST /v1/mcp HTTP/1.1\r\n%bContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n%b"
                b"Recollect-Session: %b\r\n\r\n" % (call.authority, folder, self._session.encode())
            )
            try:
                answered = talk.begin(head)
            except TimeoutError:
                raise hook.Failed(f"it did not answer within {BEGIN_S:.0f} s; `recollect restart` may help") from None
            except OSError:
                answered = b""
            if answered.startswith(b"HTTP/1.1 200 "):
                _replace_older(answered, call)
                return talk
            if time.monotonic() > give_up or (answered and b" 503 " not in answered[:16]):
                _replace_older(answered, call)
                said = answered.partition(b"\r\n")[0].decode("ascii", "replace") or "nothing"
                raise hook.Failed(f"it answered {said}; `recollect doctor` may say why")
            time.sleep(POLL_S)

    # ---- from the daemon

    def _heard(self, talk: Talk, line: bytes) -> None:
        """In the thread of the connection; an empty line is its end."""
        if not line:
            with self._lock:
                self._over(talk)
                lost = list(talk.waiting.values())
                talk.waiting.clear()
                self._lock.notify_all()
            for waiting in lost:
                self._write(_error(waiting, INTERNAL_ERROR, ENDED))
            return
        message = _message(line)
        if message.get("id") == OURS:
            return
        self._write(line)
        if "method" not in message:
            with self._lock:
                talk.waiting.pop(json.dumps(message.get("id")), None)
                self._lock.notify_all()

    def _over(self, talk: Talk) -> None:
        talk.is_over = True
        if self._talk is talk:
            self._talk = None

    def _finish(self) -> None:
        talk = self._talk
        if talk is None:
            return
        with self._lock:
            self._lock.wait_for(lambda: not talk.waiting, LAST_ANSWERS_S)
        talk.close()

    def _write(self, line: bytes) -> None:
        with self._writing:
            try:
                hook.write_all(1, line)
            except OSError:  # nobody listens any more
                os._exit(0)


def _started(call: hook.Call) -> socket:
    from recollect.client import Client  # most of the time the daemon runs
    from recollect.config import places
    from recollect.domain.errors import RecollectError

    _reap()
    try:
        Client(places().socket).start()
    except RecollectError as error:
        raise hook.Failed(str(error)) from None
    connection = call.connected()
    if connection is None:
        raise hook.Failed("it ended at once; `recollect doctor` may say why")
    return connection


def _reap() -> None:
    """Daemons that we started, and that have ended."""
    try:
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass
    except ChildProcessError:
        pass


def _replace_older(head: bytes, call: hook.Call) -> None:
    """Of an older daemon the answers are used, and its successor is started: that one ends it by itself."""
    lines = [line.partition(b":") for line in head.split(b"\r\n")]
    version = next((value.strip() for name, _, value in lines if name.lower() == b"recollect-version"), b"")
    if hook.is_older(version) and call.claims(hook.REPLACED, hook.REPLACE_S):
        hook.start_daemon()


def _lines_of(descriptor: int) -> Iterator[bytes]:
    waiting = bytearray()
    while chunk := os.read(descriptor, CHUNK_BYTES):
        *ended, rest = chunk.split(b"\n")
        for end in ended:
            waiting += end
            if waiting.strip():
                yield bytes(waiting) + b"\n"
            waiting.clear()
        if len(waiting) <= MAX_KEPT_BYTES:  # the rest of what is longer is let go
            waiting += rest
    if waiting.strip():
        yield bytes(waiting) + b"\n"


def _message(line: bytes) -> dict[str, Any]:
    """What is no message has no id: the daemon says what is wrong with it."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def _error(of: Any, code: int, message: str) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": of, "error": {"code": code, "message": message}}).encode() + b"\n"


def _quoted(path: bytes) -> bytes:
    return b"".join(b"%c" % byte if byte in _PLAIN else b"%%%02X" % byte for byte in path)


def _end(*_: object) -> NoReturn:
    raise Ended


def folder_here() -> str | None:
    """None: started nowhere in particular, as desktop clients do."""
    try:
        here = os.getcwd()  # noqa: PTH109  # pathlib takes as long as all the rest
    except FileNotFoundError:
        return None
    return None if here == "/" else here


def main() -> int:
    return Bridge(folder_here()).run()


if __name__ == "__main__":
    sys.exit(main())
