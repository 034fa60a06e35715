"""Talks to the daemon, starts it where it is not running, and replaces an older one. Standard library only.

Over its unix socket; where there is none, over 127.0.0.1 with its token, but only while the daemon's lock is held:
behind the port of a daemon that is gone may be anybody.
"""

import fcntl
import json
import os
import re
import signal
import socket
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from recollect import __version__
from recollect.domain.errors import DaemonError
from recollect.system import peer_pid

if TYPE_CHECKING:
    import subprocess

START_TIMEOUT_S = 10.0
STOP_TIMEOUT_S = 3.0
VERSION_HEADER = "Recollect-Version"  # of every answer
POLL_S = 0.02
ENDING_S = 0.5  # a process that was killed still has its socket for a moment
MAX_BODY_BYTES = 4_000_000  # of one request: the daemon takes no more

# A shell's environment holds API keys: the daemon gets what it needs and nothing else.
DAEMON_ENV = re.compile(r"HOME|PATH|LANG|LC_.*|TZ|TMPDIR|XDG_.*|RECOLLECT_.*")
# Of many threads each would get a heap of its own, and keep it: a tenth of the daemon's memory.
DAEMON_OWN_ENV = {"MALLOC_ARENA_MAX": "2"}
DAEMON_COMMAND = (sys.executable, "-m", "recollect.daemon")


class _HttpAnswer(NamedTuple):
    status: int
    version: str | None  # of who answered
    body: bytes


class _Connection:
    """One connection for one daemon: when it breaks, it is never made anew with whoever comes next."""

    def __init__(self, made: socket.socket, host: str, token: str | None = None) -> None:
        self._socket = made
        self._host = host
        self._headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})

    def exchange(self, method: str, path: str, body: bytes | None = None) -> _HttpAnswer:
        import http.client  # who only asks whether somebody is there does without

        http_connection = http.client.HTTPConnection(self._host)
        http_connection.sock = self._socket
        http_connection.auto_open = 0
        try:
            with suppress(BrokenPipeError, ConnectionResetError):  # it was refused unread: the answer says why
                http_connection.request(method, path, body, self._headers)
            answer = http_connection.getresponse()
            return _HttpAnswer(answer.status, answer.getheader(VERSION_HEADER), answer.read())
        except http.client.HTTPException as error:
            raise ConnectionError(str(error) or type(error).__name__) from error

    def peer(self) -> int | None:
        """The process behind the socket, from the kernel; None: not over TCP."""
        return peer_pid(self._socket)

    def close(self) -> None:
        self._socket.close()


def is_older(version: str | None) -> bool:
    """Than this one, by the leading numbers. Who does not say, or says something else, is left alone."""
    theirs, ours = _leading_numbers(version or ""), _leading_numbers(__version__)
    return theirs is not None and ours is not None and theirs < ours


def _leading_numbers(version: str) -> list[int] | None:
    leading = re.match(r"[0-9]+(\.[0-9]+)*", version, re.ASCII)
    if leading is None:
        return None
    numbers = [int(number[:9]) for number in leading[0].split(".")]
    while numbers and numbers[-1] == 0:  # 1.2 and 1.2.0 are the same
        numbers.pop()
    return numbers


class Client:
    def __init__(self, socket_path: Path) -> None:
        self._socket_path = socket_path
        self._lock_path = socket_path.with_suffix(".lock")
        self._tcp_path = socket_path.with_suffix(".tcp")
        self._has_spawned = False
        self.answered_by: str | None = None  # the version of the daemon that gave the last answer

    def get(self, path: str, *, timeout_s: float = 5.0) -> dict[str, Any]:
        return self._ask("GET", path, None, timeout_s)

    def post(self, path: str, body: object, *, timeout_s: float = 5.0) -> dict[str, Any]:
        """An older daemon's answer is as good as any; a newer one takes its place for the next."""
        try:
            return self._ask("POST", path, body, timeout_s)
        finally:
            if is_older(self.answered_by) and not self._has_spawned:
                self._has_spawned = True
                spawn()

    def start(self) -> bool:
        """Whether it had to be started, also in place of an older one. Returns when it answers."""
        old = self.pid()
        if old is not None:
            try:
                self.get("/v1/status", timeout_s=STOP_TIMEOUT_S)
                if not is_older(self.answered_by):
                    return False
            except DaemonError:
                if not self._wait_until_gone(ENDING_S, old):  # one that hangs is said, not called running
                    raise
        import tempfile  # starting is rare

        give_up = time.monotonic() + START_TIMEOUT_S
        with tempfile.TemporaryFile() as said:
            process = spawn(said)
            while time.monotonic() < give_up:
                if self.pid() not in (None, old):
                    return True
                if process.poll():
                    said.seek(0)
                    raise DaemonError(_last_line(said.read()) or f"It ended with exit code {process.returncode}.")
                if process.poll() == 0:  # another one has the lock: it is about to answer, or about to end
                    process = spawn(said)
                time.sleep(POLL_S)
        raise DaemonError(
            f"The daemon did not come up within {START_TIMEOUT_S:.0f} s; `recollect status` names its log."
        )

    def stop(self) -> bool:
        """Whether one was running. Asks first; a daemon that does not answer is ended by its process id."""
        pid = self.pid()
        if pid is None:
            return False
        with suppress(DaemonError):
            self._ask("POST", "/v1/stop", {}, STOP_TIMEOUT_S)
            if self._wait_until_gone(STOP_TIMEOUT_S, pid):
                return True
        self._kill(pid)
        return True

    def retire_older(self) -> bool:
        """Ends a daemon that is older than this version; False: there is none.

        Its version is asked for and its end is asked for over one connection: whoever took its place is not meant.
        """
        try:
            connection = self._connect(STOP_TIMEOUT_S)
        except OSError:
            return False
        with closing(connection):
            pid = connection.peer() or self._read_lock_file()[1]
            try:
                version = connection.exchange("GET", "/v1/hello").version
            except OSError:  # it hangs, or is just ending: then what it wrote must do
                version = self._read_lock_file()[0] if self._read_lock_file()[1] == pid else None
            if pid is None or not is_older(version):
                return False
            with suppress(OSError):
                connection.exchange("POST", "/v1/stop", b"{}")
                if self._wait_until_gone(STOP_TIMEOUT_S, pid):
                    return True
        self._kill(pid)
        return True

    def pid(self) -> int | None:
        """The process that listens; None if nobody does."""
        try:
            with closing(self._connect(1.0)) as connection:
                return connection.peer() or self._read_lock_file()[1]
        except OSError:
            return None

    def is_running(self) -> bool:
        return self.pid() is not None

    def port(self) -> int | None:
        """Where it listens on 127.0.0.1 as well; None: it does not."""
        try:
            return int(self._read_tcp_file()[0])
        except OSError:
            return None

    def _kill(self, pid: int) -> None:
        for signal_number in (signal.SIGTERM, signal.SIGKILL):
            if pid in (self.pid(), self._read_lock_file()[1]):  # else that number is somebody else's by now
                with suppress(ProcessLookupError):
                    os.kill(pid, signal_number)
            if self._wait_until_gone(STOP_TIMEOUT_S, pid):
                return
        raise DaemonError(f"The daemon (process {pid}) cannot be ended; end it by hand.")

    def _wait_until_gone(self, seconds: float, pid: int) -> bool:
        give_up = time.monotonic() + seconds
        while time.monotonic() < give_up:
            if not self._is_locked() or self.pid() not in (None, pid):
                return True
            time.sleep(POLL_S)
        return False

    def _is_locked(self) -> bool:
        """The lock is held for life: when it is free, the process is gone, whatever its socket looks like."""
        try:
            with self._lock_path.open("rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except FileNotFoundError:
            pass  # its whole folder is gone
        return False

    def _read_lock_file(self) -> tuple[str | None, int | None]:
        """Version and process of the daemon, as it wrote them down. Not a proof of anything."""
        try:
            version, pid = self._lock_path.read_text("ascii").split()
            return version, int(pid)
        except (OSError, ValueError):
            return None, None

    def _read_tcp_file(self) -> tuple[str, str]:
        try:
            port, token = self._tcp_path.read_text("ascii").split()
            return str(int(port)), token
        except ValueError:
            raise FileNotFoundError(f"{self._tcp_path} is not as it was written") from None

    def _connect(self, timeout_s: float) -> _Connection:
        """DaemonError: who is there may not be asked. OSError: nobody is there."""
        folder = self._socket_path.parent
        if folder.lstat().st_uid != os.getuid():  # in a shared temporary directory anybody may have made it
            raise DaemonError(
                f"{folder} belongs to another user; remove it, or set XDG_RUNTIME_DIR to a folder of yours."
            )
        try:
            return _Connection(_open_socket(socket.AF_UNIX, str(self._socket_path), timeout_s), "localhost")
        except (FileNotFoundError, ConnectionRefusedError):
            port, token = self._read_tcp_file()
            if not self._is_locked():
                raise
            return _Connection(
                _open_socket(socket.AF_INET, ("127.0.0.1", int(port)), timeout_s), f"127.0.0.1:{port}", token
            )

    def _ask(self, method: str, path: str, body: object, timeout_s: float) -> dict[str, Any]:
        payload = None if body is None else json.dumps(body).encode()
        _, said = self.exchange(method, path, payload, timeout_s=timeout_s)
        try:
            answer: dict[str, Any] = json.loads(said)
        except ValueError as error:
            raise DaemonError(f"The daemon gave no proper answer ({error}).") from error
        if "error" in answer:
            raise DaemonError(str(answer["error"].get("message", answer["error"])))
        return answer

    def exchange(self, method: str, path: str, body: bytes | None, *, timeout_s: float) -> tuple[int, bytes]:
        """The answer as it came, with its status."""
        try:
            with closing(self._connect(timeout_s)) as connection:
                said = connection.exchange(method, path, body)
                self.answered_by = said.version
                return said.status, said.body
        except (FileNotFoundError, ConnectionRefusedError):
            raise DaemonError("The daemon is not running. `recollect start` starts it.") from None
        except TimeoutError:
            raise DaemonError(
                f"The daemon did not answer within {timeout_s:.0f} s. `recollect restart` may help."
            ) from None
        except (OSError, ValueError) as error:
            raise DaemonError(f"The daemon gave no proper answer ({error or type(error).__name__}).") from error


def _open_socket(family: int, address: Any, timeout_s: float) -> socket.socket:
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.settimeout(timeout_s)
        made.connect(address)
    except OSError:
        made.close()
        raise
    return made


def spawn(stderr: IO[bytes] | None = None) -> "subprocess.Popen[bytes]":
    """A daemon of its own: no terminal, no open files of ours, not ended with the shell that started it."""
    import subprocess  # starting is rare

    return subprocess.Popen(
        DAEMON_COMMAND,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=stderr or subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
        env={name: value for name, value in os.environ.items() if DAEMON_ENV.fullmatch(name)} | DAEMON_OWN_ENV,
    )


def _last_line(said: bytes) -> str:
    lines = said.decode("utf-8", "replace").strip().splitlines()
    return lines[-1].removeprefix("recollect: ") if lines else ""
