"""Talks to the daemon over its unix socket, and starts it where it is not running. Standard library only."""

import fcntl
import http.client
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from recollect.domain.errors import DaemonError

START_TIMEOUT_S = 10.0
STOP_TIMEOUT_S = 3.0
POLL_S = 0.02

# A shell's environment holds API keys: the daemon gets what it needs and nothing else.
DAEMON_ENV = re.compile(r"HOME|PATH|LANG|LC_.*|TZ|TMPDIR|XDG_.*|RECOLLECT_.*")
DAEMON_COMMAND = (sys.executable, "-m", "recollect.daemon")


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: Path, timeout_s: float) -> None:
        super().__init__("localhost", timeout=timeout_s)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        connect_to_ours(self.sock, self._path)


def connect_to_ours(connection: socket.socket, path: Path) -> None:
    """In a shared temporary directory anybody may have made the folder: then nobody there is our daemon."""
    if path.parent.lstat().st_uid != os.getuid():
        raise DaemonError(f"{path.parent} belongs to another user; remove it, or set XDG_STATE_HOME.")
    connection.connect(str(path))


class Client:
    def __init__(self, socket_path: Path) -> None:
        self._socket_path = socket_path
        self._lock_path = socket_path.with_suffix(".lock")

    def get(self, path: str, *, timeout_s: float = 5.0) -> dict[str, Any]:
        return self._ask("GET", path, None, timeout_s)

    def post(self, path: str, body: object, *, timeout_s: float = 5.0) -> dict[str, Any]:
        return self._ask("POST", path, body, timeout_s)

    def start(self) -> bool:
        """Whether it had to be started. Returns when it answers."""
        if self.is_running():
            self.get("/v1/status", timeout_s=STOP_TIMEOUT_S)  # one that hangs is said, not called running
            return False
        give_up = time.monotonic() + START_TIMEOUT_S
        with tempfile.TemporaryFile() as said:
            process = spawn(said)
            while time.monotonic() < give_up:
                if self.is_running():
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
            self.post("/v1/stop", {}, timeout_s=STOP_TIMEOUT_S)
            if self._gone_within(STOP_TIMEOUT_S):
                return True
        for signal_number in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.kill(pid, signal_number)
            if self._gone_within(STOP_TIMEOUT_S):
                return True
        raise DaemonError(f"The daemon (process {pid}) cannot be ended; end it by hand.")

    def pid(self) -> int | None:
        """The process behind the socket, from the kernel; None if nobody listens."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            probe.settimeout(1.0)
            try:
                connect_to_ours(probe, self._socket_path)
            except OSError:
                return None
            pid, _, _ = struct.unpack("3i", probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
            return int(pid)

    def is_running(self) -> bool:
        return self.pid() is not None

    def _gone_within(self, seconds: float) -> bool:
        give_up = time.monotonic() + seconds
        while time.monotonic() < give_up:
            if self._lock_is_free():
                return True
            time.sleep(POLL_S)
        return False

    def _lock_is_free(self) -> bool:
        """The lock is held for life: when it is free, the process is gone, whatever its socket looks like."""
        try:
            with self._lock_path.open("a") as lock:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except FileNotFoundError:
            pass  # its whole folder is gone
        return True

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
        connection = _UnixConnection(self._socket_path, timeout_s)
        try:
            connection.request(method, path, body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            return response.status, response.read()
        except (FileNotFoundError, ConnectionRefusedError):
            raise DaemonError("The daemon is not running. `recollect start` starts it.") from None
        except TimeoutError:
            raise DaemonError(
                f"The daemon did not answer within {timeout_s:.0f} s. `recollect stop` and `recollect start` may help."
            ) from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise DaemonError(f"The daemon gave no proper answer ({error or type(error).__name__}).") from error
        finally:
            connection.close()


def spawn(stderr: IO[bytes] | None = None) -> "subprocess.Popen[bytes]":
    """A daemon of its own: no terminal, no open files of ours, not ended with the shell that started it."""
    return subprocess.Popen(
        DAEMON_COMMAND,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=stderr or subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
        env={name: value for name, value in os.environ.items() if DAEMON_ENV.fullmatch(name)},
    )


def _last_line(said: bytes) -> str:
    lines = said.decode("utf-8", "replace").strip().splitlines()
    return lines[-1].removeprefix("recollect: ") if lines else ""
