"""Talks to the daemon, starts it if it is not running, and replaces an older one. Standard library only.

Uses the unix socket. Without one it uses 127.0.0.1 and the token, but only while the daemon's lock is taken: another
program may have taken over the port of a dead daemon.
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
VERSION_HEADER = "Recollect-Version"  # in every answer
POLL_S = 0.02
ENDING_S = 0.5  # a killed process still has its socket for a moment
MAX_BODY_BYTES = 4_000_000  # the daemon accepts no larger request

# A shell's environment has API keys in it: the daemon gets only what it needs.
DAEMON_ENV = re.compile(r"HOME|PATH|LANG|LC_.*|TZ|TMPDIR|XDG_.*|RECOLLECT_.*")
# Otherwise glibc gives every thread a heap of its own and never frees it: a tenth of the daemon's memory.
DAEMON_OWN_ENV = {"MALLOC_ARENA_MAX": "2"}
DAEMON_COMMAND = (sys.executable, "-m", "recollect.daemon")


class _HttpAnswer(NamedTuple):
    status: int
    version: str | None  # of the daemon
    body: bytes


class _Connection:
    """One connection to one daemon. It never reconnects: another daemon may be there by then."""

    def __init__(self, connection: socket.socket, host: str, token: str | None = None) -> None:
        self.socket = connection
        self._host = host
        self._headers = {"Content-Type": "application/json"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"

    def exchange(self, method: str, path: str, body: bytes | None = None) -> _HttpAnswer:
        import http.client  # checking whether a daemon runs works without it

        http_connection = http.client.HTTPConnection(self._host)
        http_connection.sock = self.socket
        http_connection.auto_open = 0
        try:
            with suppress(BrokenPipeError, ConnectionResetError):  # refused before it was read: the answer says why
                http_connection.request(method, path, body, self._headers)
            answer = http_connection.getresponse()
            return _HttpAnswer(answer.status, answer.getheader(VERSION_HEADER), answer.read())
        except http.client.HTTPException as error:
            raise ConnectionError(str(error) or type(error).__name__) from error

    def close(self) -> None:
        self.socket.close()


def is_older(version: str | None) -> bool:
    """Compare the leading numbers with this version's. False if the version is missing or unreadable."""
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
        """Use an older daemon's answer too, and start its successor for the next request."""
        try:
            return self._ask("POST", path, body, timeout_s)
        finally:
            if is_older(self.answered_by) and not self._has_spawned:
                self._has_spawned = True
                spawn()

    def start(self) -> bool:
        """Start the daemon, or replace an older one, and wait until it listens. False if it was running already."""
        old = self.pid()
        if old is not None:
            try:
                self.get("/v1/status", timeout_s=STOP_TIMEOUT_S)
                if not is_older(self.answered_by):
                    return False
            except DaemonError:
                if not self._wait_until_gone(ENDING_S, old):  # it hangs: that is an error, not "running"
                    raise
        import tempfile  # starting is rare

        give_up = time.monotonic() + START_TIMEOUT_S
        with tempfile.TemporaryFile() as stderr:
            process = spawn(stderr)
            while time.monotonic() < give_up:
                if self.pid() not in (None, old):
                    return True
                if process.poll():
                    stderr.seek(0)
                    raise DaemonError(_last_line(stderr.read()) or f"It ended with exit code {process.returncode}.")
                if process.poll() == 0:  # another daemon has the lock: it is just starting, or just ending
                    process = spawn(stderr)
                time.sleep(POLL_S)
        raise DaemonError(
            f"The daemon did not start within {START_TIMEOUT_S:.0f} s. `recollect status` shows where its log is."
        )

    def stop(self) -> bool:
        """Ask the daemon to end; kill it if it does not answer. False if none was running."""
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
        """End an older daemon; False if there is none. Uses one connection, so that its successor is never ended instead."""
        try:
            connection = self._connect(STOP_TIMEOUT_S)
        except OSError:
            return False
        with closing(connection):
            pid = peer_pid(connection.socket) or self._read_lock_file()[1]
            try:
                version = connection.exchange("GET", "/v1/hello").version
            except OSError:  # it hangs, or is just ending: use the version in its lock file
                written_version, written_pid = self._read_lock_file()
                version = written_version if written_pid == pid else None
            if pid is None or not is_older(version):
                return False
            with suppress(OSError):
                connection.exchange("POST", "/v1/stop", b"{}")
                if self._wait_until_gone(STOP_TIMEOUT_S, pid):
                    return True
        self._kill(pid)
        return True

    def pid(self) -> int | None:
        try:
            with closing(self._connect(1.0)) as connection:
                return peer_pid(connection.socket) or self._read_lock_file()[1]
        except OSError:
            return None

    def is_running(self) -> bool:
        return self.pid() is not None

    def port(self) -> int | None:
        """Return its port on 127.0.0.1; None if it listens on the socket only."""
        try:
            return int(self._read_tcp_file()[0])
        except OSError:
            return None

    def _kill(self, pid: int) -> None:
        for signal_number in (signal.SIGTERM, signal.SIGKILL):
            if pid in (self.pid(), self._read_lock_file()[1]):  # otherwise another process may have this number by now
                with suppress(ProcessLookupError):
                    os.kill(pid, signal_number)
            if self._wait_until_gone(STOP_TIMEOUT_S, pid):
                return
        raise DaemonError(f"The daemon (process {pid}) does not end. End it yourself: `kill -9 {pid}`.")

    def _wait_until_gone(self, seconds: float, pid: int) -> bool:
        give_up = time.monotonic() + seconds
        while time.monotonic() < give_up:
            if not self._is_locked() or self.pid() not in (None, pid):
                return True
            time.sleep(POLL_S)
        return False

    def _is_locked(self) -> bool:
        """A daemon has its lock as long as it lives. If the lock is free, the process is gone, whatever its socket says."""
        try:
            with self._lock_path.open("rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except FileNotFoundError:
            pass  # its whole folder is gone
        return False

    def _read_lock_file(self) -> tuple[str | None, int | None]:
        """Return the version and the process that the daemon wrote into its lock file. They prove nothing."""
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
            raise FileNotFoundError(f"{self._tcp_path} is damaged") from None

    def _connect(self, timeout_s: float) -> _Connection:
        """DaemonError: the folder is not ours, so its daemon must not be asked. OSError: no daemon listens."""
        folder = self._socket_path.parent
        if folder.lstat().st_uid != os.getuid():  # in a shared temporary directory any user may have created it
            raise DaemonError(
                f"{folder} belongs to another user. Remove it, or set XDG_RUNTIME_DIR to a folder of your own."
            )
        try:
            return _Connection(_open_socket(socket.AF_UNIX, str(self._socket_path), timeout_s), "localhost")
        except (FileNotFoundError, ConnectionRefusedError):
            port, token = self._read_tcp_file()
            if not self._is_locked():
                raise
            connection = _open_socket(socket.AF_INET, ("127.0.0.1", int(port)), timeout_s)
            return _Connection(connection, f"127.0.0.1:{port}", token)

    def _ask(self, method: str, path: str, body: object, timeout_s: float) -> dict[str, Any]:
        payload = None if body is None else json.dumps(body).encode()
        _, content = self.exchange(method, path, payload, timeout_s=timeout_s)
        try:
            answer: dict[str, Any] = json.loads(content)
        except ValueError as error:
            raise DaemonError(f"The daemon's answer cannot be read ({error}).") from error
        if "error" in answer:
            raise DaemonError(str(answer["error"].get("message", answer["error"])))
        return answer

    def exchange(self, method: str, path: str, body: bytes | None, *, timeout_s: float) -> tuple[int, bytes]:
        """Return the status and the unread body of the answer."""
        try:
            with closing(self._connect(timeout_s)) as connection:
                answer = connection.exchange(method, path, body)
                self.answered_by = answer.version
                return answer.status, answer.body
        except (FileNotFoundError, ConnectionRefusedError):
            raise DaemonError("The daemon is not running. `recollect start` starts it.") from None
        except TimeoutError:
            message = f"The daemon did not answer within {timeout_s:.0f} s. `recollect restart` may help."
            raise DaemonError(message) from None
        except (OSError, ValueError) as error:
            raise DaemonError(f"The daemon's answer cannot be read ({error or type(error).__name__}).") from error


def _open_socket(family: int, address: Any, timeout_s: float) -> socket.socket:
    connection = socket.socket(family, socket.SOCK_STREAM)
    try:
        connection.settimeout(timeout_s)
        connection.connect(address)
    except OSError:
        connection.close()
        raise
    return connection


def spawn(stderr: IO[bytes] | None = None) -> "subprocess.Popen[bytes]":
    """Start a daemon that outlives the shell: no terminal, none of our open files, a session of its own."""
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


def _last_line(output: bytes) -> str:
    lines = output.decode("utf-8", "replace").strip().splitlines()
    return lines[-1].removeprefix("recollect: ") if lines else ""
