"""Talks to the daemon, starts it if it is not running, and replaces an older one. Standard library only."""

import json
import os
import re
import signal
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from recollect import __version__
from recollect.connection import explain, is_locked, open_connection, read_tcp_file
from recollect.domain.errors import DaemonError
from recollect.system import peer_pid

if TYPE_CHECKING:
    import subprocess

START_TIMEOUT_S = 10.0
STOP_TIMEOUT_S = 3.0
POLL_S = 0.02
ENDING_S = 0.5  # a killed process still has its socket for a moment

# A shell's environment has API keys in it: the daemon gets only what it needs.
DAEMON_ENV = re.compile(r"HOME|PATH|LANG|LC_.*|TZ|TMPDIR|XDG_.*|RECOLLECT_.*")
# Otherwise glibc gives every thread a heap of its own and never frees it: a tenth of the daemon's memory.
DAEMON_OWN_ENV = {"MALLOC_ARENA_MAX": "2"}
DAEMON_COMMAND = (sys.executable, "-m", "recollect.daemon")


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
        self.answered_by: str | None = None  # the version of the daemon that gave the last answer

    def get(self, path: str, *, timeout_s: float = 5.0) -> dict[str, Any]:
        return self._ask("GET", path, b"", timeout_s)

    def start(self) -> bool:
        """Start the daemon, or replace one that is older or about to end, and wait until it listens. False if it was running
        already."""
        old = self.pid()
        if old is not None:
            try:
                status = self.get("/v1/status", timeout_s=STOP_TIMEOUT_S)
                if not is_older(self.answered_by) and not status.get("ending"):
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
            self._ask("POST", "/v1/stop", b"{}", STOP_TIMEOUT_S)
            if self._wait_until_gone(STOP_TIMEOUT_S, pid):
                return True
        self._kill(pid)
        return True

    def retire_older(self) -> bool:
        """End an older daemon; False if there is none. Uses one connection, so that its successor is never ended instead."""
        try:
            connection = open_connection(self._socket_path, STOP_TIMEOUT_S)
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
            with closing(open_connection(self._socket_path, 1.0)) as connection:
                return peer_pid(connection.socket) or self._read_lock_file()[1]
        except OSError:
            return None

    def is_running(self) -> bool:
        return self.pid() is not None

    def port(self) -> int | None:
        """Return its port on 127.0.0.1; None if it listens on the socket only."""
        try:
            return int(read_tcp_file(self._socket_path)[0])
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
            if not is_locked(self._socket_path) or self.pid() not in (None, pid):
                return True
            time.sleep(POLL_S)
        return False

    def _read_lock_file(self) -> tuple[str | None, int | None]:
        """Return the version and the process that the daemon wrote into its lock file. They prove nothing."""
        try:
            version, pid = self._lock_path.read_text("ascii").split()
            return version, int(pid)
        except (OSError, ValueError):
            return None, None

    def _ask(self, method: str, path: str, body: bytes, timeout_s: float) -> dict[str, Any]:
        try:
            with closing(open_connection(self._socket_path, timeout_s)) as connection:
                answered = connection.exchange(method, path, body)
                self.answered_by = answered.version
                answer: dict[str, Any] = json.loads(answered.body)
        except (OSError, ValueError) as error:
            raise explain(error, timeout_s) from error
        if "error" in answer:
            raise DaemonError(str(answer["error"].get("message", answer["error"])))
        return answer


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
