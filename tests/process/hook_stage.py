"""What a hook meets: a server in the daemon's place, and an installation whose daemon only writes down its start."""

import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recollect import hook
from tests.process.conftest import Home

HOOK = Path(hook.__file__)
PROMPT = {"type": "prompt", "session": "s1", "message": "m1", "text": "How do we deploy with Helm?", "folder": "/"}
START = {"type": "session_started", "session": "s1", "folder": "/"}

STAND_IN = """
import json, os, pathlib
facts = {
    "environment": dict(os.environ), "folder": os.getcwd(), "leads": os.getsid(0) == os.getpid(),
    "open": {number: os.readlink(f"/proc/self/fd/{number}") for number in sorted(os.listdir("/proc/self/fd"))[:-1]},
}
with pathlib.Path(os.environ["HOME"], "starts").open("a") as file:
    file.write(json.dumps(facts) + "\\n")
"""


def hook_command(*arguments: str, python: str = sys.executable, script: Path = HOOK) -> list[str]:
    """The command as `recollect hook` prints it."""
    start = "import sys; sys.path.append(sys.argv.pop(1)); import hook; hook.main()"
    return [python, "-S", "-I", "-c", start, str(script.parent), *arguments]


def call(
    home: Home,
    *arguments: str,
    stdin: bytes = json.dumps(PROMPT).encode(),
    python: str = sys.executable,
    script: Path = HOOK,
    env: Mapping[str, str] | None = None,
) -> bytes:
    """What a hook prints; it never complains, and never fails."""
    done = subprocess.run(
        hook_command(*arguments, python=python, script=script),
        input=stdin,
        env=home.env | dict(env or {}),
        cwd=home.path,
        capture_output=True,
        timeout=20,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def begun(home: Home, *arguments: str, **options: Any) -> "subprocess.Popen[bytes]":
    """A hook whose standard input stays open."""
    return subprocess.Popen(
        hook_command(*arguments),
        env=home.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


def noted(home: Home) -> str:
    return (home.places.state / "hook.log").read_text()


def hooks_of(home: Home) -> list[int]:
    """The processes of hooks, couriers too, that are still there."""
    return [int(process.name) for process in Path("/proc").glob("[0-9]*") if _is_hook_of(home, process)]


def _is_hook_of(home: Home, process: Path) -> bool:
    try:
        is_hook = b"import hook" in (process / "cmdline").read_bytes()
        return is_hook and f"HOME={home.path}\0".encode() in (process / "environ").read_bytes()
    except OSError:  # gone meanwhile
        return False


def eventually(happened: Callable[[], bool]) -> bool:
    give_up = time.monotonic() + 20
    while not happened():
        if time.monotonic() > give_up:
            return False
        time.sleep(0.01)
    return True


# ---- a server in the daemon's place

Answer = Callable[[socket.socket], None]


@dataclass
class Server:
    listener: socket.socket
    answer: Answer
    requests: list[bytes] = field(default_factory=list)
    current: socket.socket | None = None

    def serve(self) -> None:
        with suppress(OSError):  # closed: the test is over
            while True:
                connection, _ = self.listener.accept()
                self.current = connection
                with connection, suppress(OSError):
                    self.requests.append(_request(connection))
                    self.answer(connection)


def _request(connection: socket.socket) -> bytes:
    received = b""
    while b"\r\n\r\n" not in received:
        received += connection.recv(65536)
    head, _, body = received.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
    while len(body) < length:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


@contextmanager
def serving(listener: socket.socket, answer: Answer) -> Iterator[Server]:
    server = Server(listener, answer)
    thread = threading.Thread(target=server.serve)
    listener.listen()
    thread.start()
    try:
        yield server
    finally:
        listener.shutdown(socket.SHUT_RDWR)  # wakes `accept`
        listener.close()
        if server.current is not None:
            with suppress(OSError):
                server.current.shutdown(socket.SHUT_RDWR)  # a courier would wait for its answer
        thread.join(timeout=20)


@contextmanager
def in_place_of_the_daemon(home: Home, answer: Answer) -> Iterator[Server]:
    home.places.runtime.mkdir(mode=0o700, parents=True, exist_ok=True)
    home.places.state.mkdir(mode=0o700, parents=True, exist_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(home.places.socket))
    with serving(listener, answer) as server:
        yield server


def whole(body: bytes, *, status: str = "200 OK", version: str = hook.VERSION) -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nRecollect-Version: {version}\r\n\r\n"
    return head.encode() + body


def saying(answer: bytes) -> Answer:
    """And then it hangs up."""
    return lambda connection: connection.sendall(answer)


def hanging_after(answer: bytes) -> Answer:
    def say(connection: socket.socket) -> None:
        connection.sendall(answer)
        while connection.recv(65536):  # until the hook is gone
            pass

    return say


def dribbling(answer: bytes) -> Answer:
    def say(connection: socket.socket) -> None:
        for byte in answer:
            connection.sendall(bytes([byte]))
            time.sleep(0.01)  # it is slow: that is what it is for

    return say


# ---- an installation of its own


@dataclass(frozen=True)
class Installation:
    """A hook whose daemon writes down that it was started, and ends."""

    home: Home
    python: Path
    script: Path

    def call(self, *arguments: str, **env: str) -> bytes:
        return call(self.home, *arguments, python=str(self.python), script=self.script, env=env)

    def tell(self, moment: str, event: bytes) -> bytes:
        return call(self.home, "script", moment, stdin=event, python=str(self.python), script=self.script)

    def starts(self) -> list[dict[str, Any]]:
        path = self.home.path / "starts"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def installed(home: Home, **constants: str) -> Installation:
    """As `venv` makes one; a hook may have other limits there."""
    root, version = home.path / "installation", f"python{sys.version_info.major}.{sys.version_info.minor}"
    package = root / "lib" / version / "site-packages" / "recollect"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "daemon.py").write_text(STAND_IN)
    source = HOOK.read_text()
    for name, value in constants.items():
        source = re.sub(rf"^{name} = \S+", f"{name} = {value}", source, flags=re.MULTILINE)
    (package / "hook.py").write_text(source)
    real = os.path.realpath(sys.executable)
    (root / "pyvenv.cfg").write_text(f"home = {os.path.dirname(real)}\n")  # noqa: PTH120
    (root / "bin").mkdir()
    (root / "bin/python").symlink_to(real)
    return Installation(home, root / "bin/python", package / "hook.py")
