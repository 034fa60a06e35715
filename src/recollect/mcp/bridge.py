"""`recollect mcp`: an agent's standard input and output, joined to the daemon's MCP. Bytes go through as they are.

Standard library only, and little of it: every agent starts one. It reads the ids of messages and decides nothing, but
for the greeting, which it says by itself: what a client has for tools may not depend on whether, and how soon, a daemon
answers. The daemon may end and come back as it likes: what was under way is answered with an error, never asked twice,
and the next line finds a new daemon, told of the handshake that its client made. One that hangs is given up.
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
from recollect.mcp.talk import BEGIN_S, CHUNK_BYTES, Talk

TYPE_CHECKING = False  # importing `typing` takes as long as `json` and `threading` together
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Callable, Iterator
    from typing import Any, NoReturn

MAX_LINE_BYTES = hook.MAX_PAYLOAD_BYTES  # the daemon takes no more
MAX_KEPT_BYTES = 4 * MAX_LINE_BYTES  # of a line that is too long, to find its id
LAST_ANSWERS_S = 5.0  # how long answers are waited for, after the client has said its last
CLOSE_S = 1.0
SIGNALLED_S = 0.3  # both of it, after a signal
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
ANSWER_S = 10.0  # longer than any tool takes: an agent's turn waits for it
POLL_S = 0.02
ENDED = "Recollect's daemon ended while this was under way. Ask again; it starts by itself."
HANGS = "Recollect's daemon does not answer. Go on without; if that lasts, the user can run `recollect restart`."
TOO_LONG = f"The message is longer than {MAX_LINE_BYTES:,} bytes. Send less at once."
INTERNAL_ERROR, INVALID_REQUEST = -32603, -32600
FOLDER_OPTION = "--folder"
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/")


class EndRequested(Exception):
    """A signal asks us to end."""


class Bridge:
    def __init__(self, folder: str | None) -> None:
        self._folder = folder
        self._session = f"mcp-{os.urandom(4).hex()}"
        self._lock = threading.Condition()
        self._writing = threading.Lock()  # another one: a client that reads late must not keep us from reading
        self._talk: Talk | None = None
        self._handshake: list[bytes] = []  # of an older client: `initialize`, then that it is initialized

    def run(self) -> int:
        signalled = False
        try:
            for number in SIGNALS:
                signal.signal(number, _end)
            for line in _lines_of(0, self._time_left):
                self._forward(line)
        except EndRequested:
            signalled = True
        try:  # noqa: SIM105
            self._finish(SIGNALLED_S if signalled else LAST_ANSWERS_S, SIGNALLED_S if signalled else CLOSE_S)
        except EndRequested:  # a second one: at once
            pass
        for number in SIGNALS:  # we end already
            signal.signal(number, signal.SIG_IGN)
        return 0

    def _time_left(self) -> float | None:
        """How long the daemon may still take; None: nothing is asked of it. Over: it is given up."""
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

    # ---- to the daemon

    def _forward(self, line: bytes) -> None:
        message = _parse(line)
        asks = "method" in message and _is_id(message.get("id"))
        if len(line) > MAX_LINE_BYTES:
            self._write(_error(message.get("id"), INVALID_REQUEST, TOO_LONG))
            return
        if self._greet(message, line):
            return
        why = ENDED
        for _ in range(2):  # the daemon may have ended since it was last heard of
            try:
                talk = self._current_talk()
            except (hook.HookFailed, OSError) as error:
                why = f"Recollect's daemon cannot be reached: {error}"
                break
            if asks:
                with self._lock:
                    talk.waiting[json.dumps(message["id"])] = message["id"]
                    talk.asked_at[json.dumps(message["id"])] = time.monotonic()
            try:
                talk.say(line)
            except OSError as error:
                if isinstance(error, TimeoutError):
                    talk.give_up()
                with self._lock:
                    self._end_talk(talk)
                    talk.asked_at.pop(json.dumps(message.get("id")), None)
                    if asks and talk.waiting.pop(json.dumps(message["id"]), talk) is talk:
                        return  # it was answered, with an error, when the daemon ended
            else:
                self._drop_cancelled(message)
                return
        if asks:
            self._write(_error(message["id"], INTERNAL_ERROR, why))

    def _drop_cancelled(self, message: dict[str, Any]) -> None:
        """What its client has cancelled is never answered."""
        params = message.get("params")
        if message.get("method") == "notifications/cancelled" and isinstance(params, dict):
            with self._lock:
                if self._talk is not None:
                    self._talk.waiting.pop(json.dumps(params.get("requestId")), None)
                    self._talk.asked_at.pop(json.dumps(params.get("requestId")), None)
                    self._lock.notify_all()

    def _greet(self, message: dict[str, Any], line: bytes) -> bool:
        """Whether it was said without the daemon. Each daemon is told of the handshake when it is first needed."""
        method = message.get("method")
        if method == "notifications/initialized" and self._handshake:
            self._handshake = [self._handshake[0], line]
            return True
        if not _is_id(message.get("id")) or not (
            method == "initialize" or (method == "tools/list" and self._handshake)
        ):
            return False
        from recollect.mcp.greeting import greeting, tool_list  # once: it takes longer than all the rest of us

        said = greeting(message.get("params")) if method == "initialize" else tool_list()
        if said is None:
            return False
        self._write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": said}).encode() + b"\n")
        if method == "initialize":
            self._handshake = [line]
            self._wake_daemon()
        return True

    def _wake_daemon(self) -> None:
        """The daemon is on its way before it is asked."""
        call = _make_hook_run()
        try:
            connection = call.connect()
            if connection is None:
                call.start(BEGIN_S)
            else:
                connection.close()
        except (hook.HookFailed, OSError):  # whoever asks is told why
            pass

    def _current_talk(self) -> Talk:
        """The daemon that runs, started where there is none."""
        with self._lock:
            if self._talk is not None and not self._talk.is_over:
                return self._talk
        talk = self._begin_talk(_make_hook_run())
        for line in self._handshake:
            said = _parse(line)
            if "id" in said:
                talk.repeated_id = f"recollect-again-{os.urandom(4).hex()}"
                line = json.dumps({**said, "id": talk.repeated_id}).encode() + b"\n"
            talk.say(line)
        with self._lock:
            self._talk = talk
        return talk

    def _begin_talk(self, call: hook.HookRun) -> Talk:
        """A daemon that is about to end may still take a connection, and answers nothing: the next one does."""
        give_up = time.monotonic() + BEGIN_S
        while True:
            talk = Talk(call.connect() or _start_daemon(call), self._receive)
            folder = (
                b""
                if self._folder is None
                else b"Recollect-Folder: %b\r\n" % _percent_encode(os.fsencode(self._folder))
            )
            head = (
                b"POST /v1/mcp HTTP/1.1\r\n%bContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n%b"
                b"Recollect-Session: %b\r\n\r\n" % (call.authority, folder, self._session.encode())
            )
            try:
                answered = talk.begin(head)
            except TimeoutError:
                raise hook.HookFailed(
                    f"it did not answer within {BEGIN_S:.0f} s; `recollect restart` may help"
                ) from None
            except OSError:
                answered = b""
            if answered.startswith(b"HTTP/1.1 200 "):
                _replace_older(answered, call)
                return talk
            if time.monotonic() > give_up or (answered and b" 503 " not in answered[:16]):
                _replace_older(answered, call)
                said = answered.partition(b"\r\n")[0].decode("ascii", "replace") or "nothing"
                raise hook.HookFailed(f"it answered {said}; `recollect doctor` may say why")
            time.sleep(POLL_S)

    # ---- from the daemon

    def _receive(self, talk: Talk, line: bytes) -> None:
        """In the thread of the connection; an empty line is its end."""
        if not line:
            with self._lock:
                self._end_talk(talk)
                lost = list(talk.waiting.values())
                talk.waiting.clear()
                talk.asked_at.clear()
                self._lock.notify_all()
            for waiting in lost:
                self._write(_error(waiting, INTERNAL_ERROR, HANGS if talk.hangs else ENDED))
            return
        message = _parse(line)
        if talk.repeated_id is not None and message.get("id") == talk.repeated_id:
            talk.repeated_id = None
            return
        if "method" not in message:
            with self._lock:
                talk.asked_at.pop(json.dumps(message.get("id")), None)  # a client may read late: that is not the daemon
        self._write(line)
        if "method" not in message:
            with self._lock:
                talk.waiting.pop(json.dumps(message.get("id")), None)
                self._lock.notify_all()

    def _end_talk(self, talk: Talk) -> None:
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
            except OSError:  # nobody listens any more
                os._exit(0)


def _make_hook_run() -> hook.HookRun:
    call = hook.HookRun()
    call.state = hook.state_folder(dict(os.environb))
    call.runtime = hook.runtime_folder(dict(os.environb), call.state)
    return call


def _start_daemon(call: hook.HookRun) -> socket:
    from recollect.client import Client  # most of the time the daemon runs
    from recollect.config import places
    from recollect.domain.errors import RecollectError

    _reap()
    try:
        Client(places().socket).start()
    except RecollectError as error:
        raise hook.HookFailed(str(error)) from None
    connection = call.connect()
    if connection is None:
        raise hook.HookFailed("it ended at once; `recollect doctor` may say why")
    return connection


def _reap() -> None:
    """Daemons that we started, and that have ended."""
    try:
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass
    except ChildProcessError:
        pass


def _replace_older(head: bytes, call: hook.HookRun) -> None:
    """Of an older daemon the answers are used, and its successor is started: that one ends it by itself."""
    lines = [line.partition(b":") for line in head.split(b"\r\n")]
    version = next((value.strip() for name, _, value in lines if name.lower() == b"recollect-version"), b"")
    if hook.is_older(version) and call.claim(hook.REPLACED, hook.REPLACE_S):
        hook.start_daemon()


def _lines_of(descriptor: int, patience: Callable[[], float | None] = lambda: None) -> Iterator[bytes]:
    """`patience` is asked how long at most the next line may be waited for, before it is asked again."""
    waiting = bytearray()
    while chunk := _read(descriptor, patience):
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


def _read(descriptor: int, patience: Callable[[], float | None]) -> bytes:
    while not select.select([descriptor], [], [], patience())[0]:
        pass
    return os.read(descriptor, CHUNK_BYTES)


def _is_id(value: Any) -> bool:
    """Other requests are answered without one."""
    return isinstance(value, str | int) and not isinstance(value, bool)


def _parse(line: bytes) -> dict[str, Any]:
    """What is no message has no id: the daemon says what is wrong with it."""
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


def folder_here() -> str | None:
    """None: started nowhere in particular, as desktop clients do."""
    try:
        here = os.getcwd()  # noqa: PTH109  # pathlib takes as long as all the rest
    except FileNotFoundError:
        return None
    return None if here == "/" else here


def main() -> int:
    """Started by a client: a Ctrl-C in its terminal reaches us too, and ends us without a word."""
    *_, name, value = ["", *sys.argv]
    return Bridge(os.path.realpath(value) if name == FOLDER_OPTION else folder_here()).run()


if __name__ == "__main__":
    sys.exit(main())
