"""Run `recollect` commands as forks of one process that has everything imported.

To import the command line costs several times what a command itself does, and the tests run thousands of commands.
A fork is a real process with its own environment, folder and standard streams; only the imports are shared. What Python
reads of the environment before our code runs cannot be changed in a fork: `can_run` says so, and such a command is
started anew.
"""

import gc
import importlib
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO

READ_AT_START = ("PYTHON", "LC_", "LANG", "LD_", "MALLOC_")  # by Python or the C library, before our code
SAME = {"LANG": "C.UTF-8"}
PRELOADED = (
    "recollect.cli",
    "recollect.api",
    "recollect.engine",
    "recollect.store",
    "recollect.capture",
    "recollect.hosts",
)
NOT_PRELOADED = ("recollect.cli.demo.stage",)


def can_run(env: Mapping[str, str]) -> bool:
    return all(SAME.get(name) == value for name, value in env.items() if name.startswith(READ_AT_START))


class ForkServer:
    """The client's side: one server for each process that runs tests, started with the first command."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None

    def run(
        self, command: Sequence[str], *, stdin: bytes, env: Mapping[str, str], cwd: Path, timeout_s: float
    ) -> "subprocess.CompletedProcess[bytes]":
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            given.write(stdin)
            given.seek(0)
            code = self._wait(self._begin(command, env, cwd, (given, out, err)), command, timeout_s)
            return subprocess.CompletedProcess(list(command), code, _written(out), _written(err))

    def _begin(
        self, command: Sequence[str], env: Mapping[str, str], cwd: Path, streams: Sequence[BinaryIO]
    ) -> socket.socket:
        ours, theirs = socket.socketpair()
        request = json.dumps({"command": list(command), "env": dict(env), "cwd": str(cwd)}).encode()
        with self._lock, theirs:
            if self._socket is None:
                self._socket = _started()
            socket.send_fds(self._socket, [request], [*(stream.fileno() for stream in streams), theirs.fileno()])
        return ours

    def _wait(self, answers: socket.socket, command: Sequence[str], timeout_s: float) -> int:
        with answers, answers.makefile("r") as lines:
            pid = int(lines.readline())
            answers.settimeout(timeout_s)
            try:
                return int(lines.readline())
            except TimeoutError:
                os.kill(pid, signal.SIGKILL)
                raise subprocess.TimeoutExpired(list(command), timeout_s) from None


def _written(file: BinaryIO) -> bytes:
    file.seek(0)
    return file.read()


def _started() -> socket.socket:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        subprocess.Popen(
            [sys.executable, "-m", "tests.process.fork_server", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            env={"PATH": os.environ["PATH"], **SAME, "OPENBLAS_NUM_THREADS": "1"},
            cwd=Path(__file__).parents[2],
        )
    return ours


def _preload() -> None:
    for package in PRELOADED:
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if module.name not in NOT_PRELOADED:
                importlib.import_module(module.name)
    assert threading.active_count() == 1, "a fork takes no threads along"
    gc.collect()
    gc.freeze()


def _serve(requests: socket.socket) -> None:
    """Return in the process that is to run the command; the server itself ends with the tests."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        request, streams, _, _ = socket.recv_fds(requests, 1 << 20, 4)
        if not request:
            os._exit(0)
        if os.fork() == 0:
            requests.close()
            _keep(json.loads(request), streams)
            return
        for stream in streams:
            os.close(stream)


def _keep(request: dict[str, object], streams: Sequence[int]) -> None:
    """Fork once more: this process waits for the command and says how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pid = os.fork()
    if pid == 0:
        os.close(streams[3])
        _become(request, streams[:3])
        return
    for stream in streams[:3]:
        os.close(stream)
    with socket.socket(fileno=streams[3]) as answers:
        answers.sendall(f"{pid}\n".encode())
        _, status = os.waitpid(pid, 0)
        with suppress(BrokenPipeError):  # it took too long for the test
            answers.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def _become(request: dict[str, object], streams: Sequence[int]) -> None:
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    command, env = request["command"], request["env"]
    assert isinstance(command, list)
    assert isinstance(env, dict)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(str(request["cwd"]))
    sys.argv = command
    # As Python opens them in this locale.
    sys.stdin = TextIOWrapper(os.fdopen(0, "rb"), "utf-8", "surrogateescape")
    sys.stdout = TextIOWrapper(os.fdopen(1, "wb"), "utf-8", "surrogateescape", line_buffering=os.isatty(1))
    sys.stderr = TextIOWrapper(os.fdopen(2, "wb"), "utf-8", "backslashreplace", line_buffering=True)


if __name__ == "__main__":
    from recollect.cli.entry import run

    __package__ = ""  # as in the installed command: click names the program by it
    _preload()
    _serve(socket.socket(fileno=int(sys.argv[1])))
    run()
