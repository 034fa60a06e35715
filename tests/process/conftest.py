"""Real processes in a home of their own; nothing outlives its test."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from recollect.client import Client
from recollect.connection import open_connection
from recollect.domain.errors import DaemonError
from recollect.paths import Paths, find_paths
from tests.process.fork_server import ForkServer, can_run

RECOLLECT = Path(sys.executable).with_name("recollect")
FORKS = ForkServer()


@dataclass(frozen=True)
class Home:
    path: Path
    env: dict[str, str]

    def with_model(self, folder: Path) -> "Home":
        """The same home, where the model is found in this folder; without it search is by words alone."""
        return replace(self, env=self.env | {"RECOLLECT_MODEL": str(folder)})

    @property
    def places(self) -> Paths:
        return find_paths(self.env)

    @property
    def client(self) -> Client:
        return Client(self.places.socket)

    def post(self, path: str, body: object, *, timeout_s: float = 5.0) -> dict[str, Any]:
        """The daemon's answer. Raises DaemonError if it is an error."""
        with closing(open_connection(self.places.socket, timeout_s)) as connection:
            answer: dict[str, Any] = json.loads(connection.exchange("POST", path, json.dumps(body).encode()).body)
        if "error" in answer:
            raise DaemonError(answer["error"]["message"])
        return answer

    def recollect(
        self, *args: str, stdin: bytes = b"", cwd: Path | None = None, **env: str
    ) -> "subprocess.CompletedProcess[bytes]":
        environment, folder = self.env | env, cwd or self.path
        if can_run(environment):
            return FORKS.run([str(RECOLLECT), *args], stdin=stdin, env=environment, cwd=folder, timeout_s=30)
        return subprocess.run(
            [RECOLLECT, *args], input=stdin, env=environment, cwd=folder, capture_output=True, timeout=30
        )

    def said(self, *args: str, stdin: bytes = b"", cwd: Path | None = None) -> str:
        """What a command that must succeed prints."""
        done = self.recollect(*args, stdin=stdin, cwd=cwd)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    def json(self, *args: str, cwd: Path | None = None) -> Any:
        return json.loads(self.said(*args, "--json", cwd=cwd))

    def in_terminal(self, *args: str, columns: int = 80, cwd: Path | None = None, typed: str = "", **env: str) -> str:
        """What a command that must succeed shows in a terminal, styles and all. `typed`: what a person answers."""
        leader, follower = pty.openpty()
        environment = self.env | {"COLUMNS": str(columns), "TERM": "xterm"} | env
        keyboard = follower if typed else None
        os.write(leader, typed.encode())
        process = subprocess.Popen(
            [RECOLLECT, *args], stdin=keyboard, stdout=follower, env=environment, cwd=cwd or self.path
        )
        shown = all_shown(leader, follower)
        assert process.wait(timeout=10) == 0
        return shown.decode()

    def daemon(self, **env: str) -> "subprocess.Popen[bytes]":
        return subprocess.Popen([sys.executable, "-m", "recollect.daemon"], env=self.env | env, cwd=self.path)


def all_shown(leader: int, follower: int) -> bytes:
    """Everything that is written to a terminal until the last process has closed it."""
    os.close(follower)
    shown = b""
    with suppress(OSError):  # the terminal is closed
        while chunk := os.read(leader, 65536):
            shown += chunk
    os.close(leader)
    return shown


def without_styles(shown: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", shown)


@contextmanager
def a_home(path: Path) -> Iterator[Home]:
    made = Home(path, {"HOME": str(path), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TMPDIR": str(path)})
    yield made
    pid = made.client.pid()
    if pid is not None:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    # Not `tmp_path`: with the test's name in it, the path of a socket would be too long.
    with a_home(tmp_path_factory.mktemp("home")) as made:
        yield made


@pytest.fixture(scope="module")
def shared_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """One with a daemon for a whole module: for tests that leave everything as it was."""
    with a_home(tmp_path_factory.mktemp("home")) as made:
        made.said("start")
        yield made


def taught(home: Home, text: str = "We deploy with Helm.", *options: str, cwd: Path | None = None) -> str:
    return str(home.json("remember", text, *options, cwd=cwd)["id"])


def texts(home: Home, *options: str) -> list[str]:
    return [memory["text"] for memory in home.json("list", *options)["memories"]]


def refused(home: Home, *args: str, stdin: bytes = b"") -> str:
    """What a command says that fails; nothing goes to standard output then."""
    done = home.recollect(*args, stdin=stdin)
    assert (done.returncode, done.stdout) == (1, b"")
    return done.stderr.decode()
