"""`recollect mcp`: joins an agent's standard input and output to the daemon's MCP. Bytes pass unchanged.

Standard library only, and little of it: every agent starts one. It reads the ids of messages and decides nothing, except
for the greeting, which it answers itself: the tools of a client must not depend on whether, or how soon, a daemon
answers. The daemon may end and come back at any time: a running request is answered with an error and never repeated, and
the next line goes to a new daemon, which gets the client's handshake first. A hung daemon is given up.
"""

from __future__ import annotations

import json
import os
import select
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

MAX_LINE_BYTES = hook.MAX_PAYLOAD_BYTES  # the daemon accepts no more
MAX_KEPT_BYTES = 4 * MAX_LINE_BYTES  # of a line that is too long, so that its id can be found
LAST_ANSWERS_S = 5.0  # to wait for answers after the client has closed its end
CLOSE_S = 1.0
SIGNALLED_S = 0.3  # instead of both, after a signal
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
ANSWER_S = 10.0  # longer than any tool takes; the agent waits
CHUNK_BYTES = 65_536
BEGIN_S = 10.0  # the daemon loads its MCP library first
SEND_S = 30.0  # a hung daemon does not read a long line
POLL_S = 0.02
ENDED = "Recollect's daemon ended while this was under way. Ask again; it starts by itself."
HANGS = "Recollect's daemon does not answer. Go on without; if that lasts, the user can run `recollect restart`."
TOO_LONG = f"The message is longer than {MAX_LINE_BYTES:,} bytes. Send less at once."
INTERNAL_ERROR, INVALID_REQUEST = -32603, -32600
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/")


class EndRequested(Exception):
    """A signal asks us to end."""


class AnswerReader:
    def __init__(self, connection: socket) -> None:
        self._connection = connection
        self._received = bytearray()
        self.waits_forever = False

    def head(self) -> bytes:
        return self._until(b"\r\n\r\n")

    def chunks(self) -> Iterator[bytes]:
        """ValueError: these are not HTTP chunks."""
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
        try:
            piece = self._connection.recv(CHUNK_BYTES)
        except TimeoutError:
            if self.waits_forever:
                return
            raise
        if not piece:
            raise ConnectionResetError
        self._received.extend(piece)


class DaemonTalk:
    """One long request to a daemon, and its answer, as lines. `hear` gets each line that arrives, and b"" at the end."""

    def __init__(self, connection: socket, hear: Callable[[DaemonTalk, bytes], None]) -> None:
        self._connection = connection
        self._hear = hear
        self.waiting: dict[str, Any] = {}  # unanswered ids, by their JSON: 1 is not "1"
        self.asked_at: dict[str, float] = {}  # when, by the same key
        self.repeated_id: str | None = None  # of the handshake that we repeat; the client does not know it
        self.is_over = False
        self.hangs = False
        self._answers = AnswerReader(connection)
        self._thread = threading.Thread(target=self._listen, name="answers", daemon=True)

    def begin(self, head: bytes) -> bytes:
        """Send the head and return the head of the answer. No message is sent before that: the daemon may be ending."""
        self._connection.settimeout(BEGIN_S)
        self._connection.sendall(head)
        answered = self._answers.head()
        self._connection.settimeout(SEND_S)  # for sending; an answer may take any time
        self._answers.waits_forever = True
        if answered.startswith(b"HTTP/1.1 200 "):
            self._thread.start()
        return answered

    def say(self, line: bytes) -> None:
        """OSError: the line was not sent completely, so the daemon ignores it."""
        self._connection.sendall(b"%x\r\n%b\r\n" % (len(line), line))

    def close(self, within_s: float) -> None:
        self._answers.waits_forever = False
        self._connection.settimeout(within_s)  # the daemon may have stopped reading
        try:
            self._connection.sendall(b"0\r\n\r\n")
        except OSError:
            return
        self._thread.join(within_s)

    def give_up(self) -> None:
        self.hangs = True
        try:  # noqa: SIM105  # importing contextlib costs more than all of this
            self._connection.shutdown(2)  # both ways, which wakes up the thread
        except OSError:
            pass

    def _listen(self) -> None:
        waiting = b""
        try:
            for chunk in self._answers.chunks():
                *lines, waiting = (waiting + chunk).split(b"\n")
                for line in filter(None, lines):
                    self._hear(self, line + b"\n")
        except (OSError, ValueError):  # killed, or not our daemon
            pass
        finally:
            self._hear(self, b"")


class Bridge:
    def __init__(self, folder: str | None) -> None:
        self._folder = folder
        self._session = f"mcp-{os.urandom(4).hex()}"
        self._lock = threading.Condition()
        self._writing = threading.Lock()  # a separate lock: a slow client must not keep us from reading
        self._talk: DaemonTalk | None = None
        self._handshake: list[bytes] = []  # of an older client: `initialize`, then `notifications/initialized`

    def run(self) -> int:
        answers_s, close_s = LAST_ANSWERS_S, CLOSE_S
        try:
            for number in SIGNALS:
                signal.signal(number, _end)
            for line in _lines_of(0, self._time_left):
                self._forward(line)
        except EndRequested:
            answers_s = close_s = SIGNALLED_S
        try:  # noqa: SIM105  # importing contextlib costs more than all of this
            self._finish(answers_s, close_s)
        except EndRequested:  # a second signal: end at once
            pass
        for number in SIGNALS:  # we are ending already
            signal.signal(number, signal.SIG_IGN)
        return 0

    def _time_left(self) -> float | None:
        """Return how long the daemon may still take; None if no request waits. Give the daemon up when that is over."""
        with self._lock:
            talk = self._talk
            if talk is None or not talk.asked_at:
                return None
            left = min(talk.asked_at.values()) + ANSWER_S - time.monotonic()
            if left > 0:
                return left
            self._end_talk(talk)
        talk.give_up()
        return None

    def _forward(self, line: bytes) -> None:
        message = _parse(line)
        if len(line) > MAX_LINE_BYTES:
            self._write(_error(message.get("id"), INVALID_REQUEST, TOO_LONG))
            return
        if self._greet(message, line):
            return
        is_request = "method" in message and _is_id(message.get("id"))
        key = json.dumps(message["id"]) if is_request else None
        why = ENDED
        for _ in range(2):  # the daemon may have ended since its last answer
            try:
                talk = self._current_talk()
            except (hook.HookFailed, OSError) as error:
                why = f"Recollect's daemon cannot be reached: {error}"
                break
            if key is not None:
                with self._lock:
                    talk.waiting[key] = message["id"]
                    talk.asked_at[key] = time.monotonic()
            try:
                talk.say(line)
            except OSError as error:
                if isinstance(error, TimeoutError):
                    talk.give_up()
                if self._end_broken_talk(talk, key):
                    return
            else:
                self._drop_cancelled(message)
                return
        if is_request:
            self._write(_error(message["id"], INTERNAL_ERROR, why))

    def _end_broken_talk(self, talk: DaemonTalk, key: str | None) -> bool:
        """End a broken talk; True if the request was already answered with an error when the daemon ended."""
        with self._lock:
            self._end_talk(talk)
            if key is None:
                return False
            talk.asked_at.pop(key, None)
            return talk.waiting.pop(key, None) is None  # an id is never None

    def _drop_cancelled(self, message: dict[str, Any]) -> None:
        """Forget a request that the client cancels: it is never answered."""
        params = message.get("params")
        if message.get("method") == "notifications/cancelled" and isinstance(params, dict):
            key = json.dumps(params.get("requestId"))
            with self._lock:
                if self._talk is not None:
                    self._talk.waiting.pop(key, None)
                    self._talk.asked_at.pop(key, None)
                    self._lock.notify_all()

    def _greet(self, message: dict[str, Any], line: bytes) -> bool:
        """Answer a greeting without the daemon, which gets the handshake when it is first needed. False: it is none."""
        method = message.get("method")
        if method == "notifications/initialized" and self._handshake:
            self._handshake = [self._handshake[0], line]
            return True
        is_greeting = method == "initialize" or (method == "tools/list" and self._handshake)
        if not is_greeting or not _is_id(message.get("id")):
            return False
        from recollect.mcp.greeting import greeting, tool_list  # only now: it takes longer than all the rest of us

        result = greeting(message.get("params")) if method == "initialize" else tool_list()
        if result is None:
            return False
        self._write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode() + b"\n")
        if method == "initialize":
            self._handshake = [line]
            self._wake_daemon()
        return True

    def _wake_daemon(self) -> None:
        call = _make_hook_run()
        try:
            connection = call.connect()
            if connection is None:
                call.start(BEGIN_S)
            else:
                connection.close()
        except (hook.HookFailed, OSError):  # the first request gets the error
            pass

    def _current_talk(self) -> DaemonTalk:
        with self._lock:
            if self._talk is not None and not self._talk.is_over:
                return self._talk
        talk = self._begin_talk(_make_hook_run())
        for line in self._handshake:
            message = _parse(line)
            if "id" in message:
                talk.repeated_id = f"recollect-again-{os.urandom(4).hex()}"
                line = json.dumps({**message, "id": talk.repeated_id}).encode() + b"\n"
            talk.say(line)
        with self._lock:
            self._talk = talk
        return talk

    def _begin_talk(self, call: hook.HookRun) -> DaemonTalk:
        """Retry for a while: a daemon that is ending may still accept a connection and answer nothing."""
        folder = b""
        if self._folder is not None:
            folder = b"Recollect-Folder: %b\r\n" % _percent_encode(os.fsencode(self._folder))
        give_up = time.monotonic() + BEGIN_S
        while True:
            talk = DaemonTalk(call.connect() or _start_daemon(call), self._receive)
            head = (
                b"POST /v1/mcp HTTP/1.1\r\n%bContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n%b"
                b"Recollect-Session: %b\r\n\r\n" % (call.authority, folder, self._session.encode())
            )
            try:
                answer = talk.begin(head)
            except TimeoutError:
                message = f"it did not answer within {BEGIN_S:.0f} s; `recollect restart` may help"
                raise hook.HookFailed(message) from None
            except OSError:
                answer = b""
            if answer.startswith(b"HTTP/1.1 200 "):
                _replace_older(answer, call)
                return talk
            if time.monotonic() > give_up or (answer and b" 503 " not in answer[:16]):
                _replace_older(answer, call)
                status = answer.partition(b"\r\n")[0].decode("ascii", "replace") or "nothing"
                raise hook.HookFailed(f"it answered {status}; `recollect doctor` may say why")
            time.sleep(POLL_S)

    def _receive(self, talk: DaemonTalk, line: bytes) -> None:
        """Runs in the thread of the talk; an empty line is its end."""
        if not line:
            self._answer_lost(talk)
            return
        message = _parse(line)
        if talk.repeated_id is not None and message.get("id") == talk.repeated_id:
            talk.repeated_id = None
            return
        if "method" in message:
            self._write(line)
            return
        key = json.dumps(message.get("id"))
        with self._lock:
            talk.asked_at.pop(key, None)  # before writing: a slow client is no hung daemon
        self._write(line)
        with self._lock:
            talk.waiting.pop(key, None)
            self._lock.notify_all()

    def _answer_lost(self, talk: DaemonTalk) -> None:
        with self._lock:
            self._end_talk(talk)
            lost = list(talk.waiting.values())
            talk.waiting.clear()
            talk.asked_at.clear()
            self._lock.notify_all()
        for request in lost:
            self._write(_error(request, INTERNAL_ERROR, HANGS if talk.hangs else ENDED))

    def _end_talk(self, talk: DaemonTalk) -> None:
        talk.is_over = True
        if self._talk is talk:
            self._talk = None

    def _finish(self, answers_s: float, close_s: float) -> None:
        talk = self._talk
        if talk is None:
            return
        with self._lock:
            self._lock.wait_for(lambda: not talk.waiting, answers_s)
        talk.close(close_s)

    def _write(self, line: bytes) -> None:
        with self._writing:
            try:
                hook.write_all(1, line)
            except OSError:  # the client is gone
                os._exit(0)


def _make_hook_run() -> hook.HookRun:
    call = hook.HookRun()
    call.state = hook.state_folder(dict(os.environb))
    call.runtime = hook.runtime_folder(dict(os.environb), call.state)
    return call


def _start_daemon(call: hook.HookRun) -> socket:
    from recollect.client import Client  # rare: usually the daemon runs
    from recollect.domain.errors import RecollectError
    from recollect.paths import find_paths

    _reap()
    try:
        Client(find_paths().socket).start()
    except RecollectError as error:
        raise hook.HookFailed(str(error)) from None
    connection = call.connect()
    if connection is None:
        raise hook.HookFailed("it ended at once; `recollect doctor` may say why")
    return connection


def _reap() -> None:
    """Collect daemons that we started and that have ended."""
    try:
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass
    except ChildProcessError:
        pass


def _replace_older(head: bytes, call: hook.HookRun) -> None:
    """Start the successor of an older daemon, whose answers are still used; the successor ends it."""
    version = b""
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"recollect-version":
            version = value.strip()
            break
    if hook.is_older(version) and call.claim(hook.REPLACED, hook.REPLACE_S):
        hook.start_daemon()


def _lines_of(descriptor: int, time_left: Callable[[], float | None] = lambda: None) -> Iterator[bytes]:
    """Yield each line. `time_left` says how long to wait for input before it is called again."""
    waiting = bytearray()
    while chunk := _read(descriptor, time_left):
        *ended, rest = chunk.split(b"\n")
        for end in ended:
            waiting += end
            if waiting.strip():
                yield bytes(waiting) + b"\n"
            waiting.clear()
        if len(waiting) <= MAX_KEPT_BYTES:  # drop the rest of a longer line
            waiting += rest
    if waiting.strip():
        yield bytes(waiting) + b"\n"


def _read(descriptor: int, time_left: Callable[[], float | None]) -> bytes:
    while not select.select([descriptor], [], [], time_left())[0]:
        pass
    return os.read(descriptor, CHUNK_BYTES)


def _is_id(value: Any) -> bool:
    """A request with another id gets its error from the daemon, without an id."""
    return isinstance(value, str | int) and not isinstance(value, bool)


def _parse(line: bytes) -> dict[str, Any]:
    """Return {} for an invalid message: the daemon answers what is wrong with it."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def _error(of: Any, code: int, message: str) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": of, "error": {"code": code, "message": message}}).encode() + b"\n"


def _percent_encode(path: bytes) -> bytes:
    return b"".join(b"%c" % byte if byte in _PLAIN else b"%%%02X" % byte for byte in path)


def _end(*_: object) -> NoReturn:
    raise EndRequested


def current_folder() -> str | None:
    """Return the working folder; None for /, in which desktop clients start us."""
    try:
        here = os.getcwd()  # noqa: PTH109  # pathlib takes as long as all the rest
    except FileNotFoundError:
        return None
    return None if here == "/" else here


def main() -> int:
    """A Ctrl-C in the client's terminal reaches us too, and ends us silently."""
    *_, name, value = ["", *sys.argv]
    return Bridge(os.path.realpath(value) if name == "--folder" else current_folder()).run()


if __name__ == "__main__":
    sys.exit(main())
