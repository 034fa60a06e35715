"""A command opens one connection to the daemon, and is never answered by another one than it needs. Real sockets."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingUnixStreamServer
from tempfile import mkdtemp

import pytest

from recollect import __version__
from tests.listening import listening
from tests.process.conftest import Home, a_home, taught, texts
from tests.process.test_daemon import wait_until_running
from tests.process.versions import another_version

HELM = "We deploy with Helm."
ADDED = "The cache is Redis."
SAME = f"HTTP/1.1 100 Continue\r\nRecollect-Version: {__version__}\r\n\r\n".encode()
OLD = b"HTTP/1.1 100 Continue\r\n\r\n"  # of a daemon that does not compare versions


@dataclass
class Heard:
    """What a server of a test was sent, one entry for each connection."""

    connections: list[bytes] = field(default_factory=list)


@contextmanager
def relay(home: Home) -> Iterator[tuple[Home, Heard]]:
    """The same home, whose commands reach the daemon through a socket that counts."""
    runtime = Path(mkdtemp(dir=home.path))
    (runtime / "recollect").mkdir()
    daemon, heard = str(home.places.socket), Heard()

    class Relay(StreamRequestHandler):
        def handle(self) -> None:
            number = len(heard.connections)
            heard.connections.append(b"")
            with socket.socket(socket.AF_UNIX) as there:
                there.connect(daemon)
                back = threading.Thread(target=self.bring_back, args=[there])
                back.start()
                while data := self.request.recv(65_536):
                    heard.connections[number] += data
                    there.sendall(data)
                there.shutdown(socket.SHUT_WR)
                back.join()

        def bring_back(self, there: socket.socket) -> None:
            with suppress(BrokenPipeError):  # the command has hung up
                while data := there.recv(65_536):
                    self.wfile.write(data)

    through = replace(home, env=home.env | {"XDG_RUNTIME_DIR": str(runtime)})
    with listening(ThreadingUnixStreamServer(str(through.places.socket), Relay)):
        yield through, heard


@contextmanager
def false_daemon(home: Home, answer: bytes) -> Iterator[Heard]:
    """Answers the head of a request with this, takes what comes then, and hangs up."""
    heard = Heard()

    class FalseDaemon(StreamRequestHandler):
        def handle(self) -> None:
            length = 0
            while (line := self.rfile.readline()).strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.partition(b":")[2])
            self.wfile.write(answer)
            heard.connections.append(self.rfile.read(length))

    home.places.socket.parent.mkdir(parents=True, exist_ok=True)
    with listening(ThreadingUnixStreamServer(str(home.places.socket), FalseDaemon)):
        yield heard


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with a_home(tmp_path_factory.mktemp("home")) as made:
        made.said("start")
        yield made


def test_a_command_opens_one_connection_and_sends_one_request(served: Home) -> None:
    name = taught(served, HELM)
    event = '{"type": "prompt", "session": "s-1", "message": "m1", "text": "How do we deploy with Helm?"}'
    served.said("inject", event)
    with relay(served) as (home, heard):
        for command in (["recall", "Helm"], ["list"], ["show", name], ["remember", ADDED], ["why", "s-1"]):
            heard.connections.clear()
            through = home.recollect(*command)
            assert through.returncode == 0, through.stderr
            assert len(heard.connections) == 1, command
            assert heard.connections[0].count(b" HTTP/1.1\r\n") == 1, command
        heard.connections.clear()
        done = home.recollect("import", "-", stdin=b'{"text": "Charts are in deploy/."}\n')
        assert done.returncode == 0
        assert [sent.partition(b" HTTP")[0] for sent in heard.connections] == [b"POST /v1/wake"]


@pytest.mark.parametrize("version", ["0.0.1", "99.0.0"])
def test_a_daemon_of_another_version_is_asked_once_and_does_nothing(home: Home, tmp_path: Path, version: str) -> None:
    taught(home, HELM)
    daemon = home.daemon(**another_version(tmp_path, version))
    try:
        wait_until_running(home.client)
        with relay(home) as (through, heard):
            written = through.recollect("remember", ADDED)
        assert (written.returncode, written.stderr) == (0, b"")
        (sent,) = heard.connections
        assert b"cache" not in sent
        assert home.client.get("/v1/hello")["version"] == version  # it still runs
        assert sorted(texts(home, "--direct")) == sorted([HELM, ADDED])
    finally:
        daemon.kill()
        daemon.wait()


def test_a_daemon_of_another_environment_never_sees_the_request(served: Home) -> None:
    with relay(served) as (home, heard):
        done = home.recollect("remember", ADDED, RECOLLECT_SEARCH__HITS="1")
    assert (done.returncode, done.stderr) == (0, b"")
    (sent,) = heard.connections
    assert b"cache" not in sent


def test_a_daemon_that_compares_nothing_gets_no_write(home: Home) -> None:
    with false_daemon(home, OLD) as heard:
        done = home.recollect("remember", ADDED)
    assert (done.returncode, done.stderr) == (0, b"")
    assert heard.connections == [b""]
    assert texts(home) == [ADDED]


def test_a_daemon_that_takes_the_connection_and_says_nothing_is_bypassed(home: Home) -> None:
    home.places.socket.parent.mkdir(parents=True, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as hung:
        hung.bind(str(home.places.socket))
        hung.listen()
        done = home.recollect("remember", ADDED)  # `recollect` gives up long before an operation's own patience ends
    assert done.returncode == 0
    assert b"The daemon did not respond; used the database directly." in done.stderr
    assert texts(home) == [ADDED]


def test_where_the_daemon_dies_over_a_request_reading_goes_on_and_writing_says_so(home: Home) -> None:
    taught(home, HELM)
    with false_daemon(home, SAME) as heard:
        found, written = home.recollect("recall", "Helm"), home.recollect("remember", ADDED)
    assert [b"Helm" in heard.connections[0], b"cache" in heard.connections[1]] == [True, True]
    assert (found.returncode, HELM in found.stdout.decode()) == (0, True)
    assert b"used the database directly" in found.stderr
    assert written.returncode == 1
    assert b"may already have been applied" in written.stderr
    assert texts(home) == [HELM]
