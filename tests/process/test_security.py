"""Who may talk to the daemon, and how much of it one of them can take. One daemon for all of it."""

import http.client
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from recollect import __version__
from recollect.connection import VERSION_HEADER
from recollect.domain.errors import DaemonError
from tests.process.conftest import Home
from tests.process.test_daemon import wait_until_running
from tests.requirements import covers

SAID = "the-words-of-a-user"
# The bounds of the real one, made short.
DAEMON = """
from recollect.paths import find_paths
from recollect.daemon.lifecycle import serve
from recollect.daemon.lock import make_private_folder, take_lock
from recollect.daemon.protocol import ConnectionLimits
places = find_paths()
make_private_folder(places.runtime)
with take_lock(places):
    serve(places, ConnectionLimits(header_s=0.4, body_s=0.4, connections=12))
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    path = tmp_path_factory.mktemp("home")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    env = {"HOME": str(path), "PATH": os.environ["PATH"], "TMPDIR": str(path), "RECOLLECT_DAEMON__PORT": port}
    home = Home(path, env)
    daemon = subprocess.Popen([sys.executable, "-c", DAEMON], env=env, cwd=path)
    wait_until_running(home.client)
    yield home
    os.kill(daemon.pid, signal.SIGTERM)
    assert daemon.wait(timeout=10) == 0


def by_socket(home: Home) -> socket.socket:
    raw = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    raw.settimeout(10)
    raw.connect(str(home.places.socket))
    return raw


def by_tcp(home: Home) -> socket.socket:
    return socket.create_connection(("127.0.0.1", int(home.env["RECOLLECT_DAEMON__PORT"])), timeout=10)


def token(home: Home) -> dict[str, str]:
    return {"Authorization": f"Bearer {home.places.tcp.read_text().split()[1]}"}


def answer(raw: socket.socket, headers: dict[str, str], body: bytes = b"{}") -> tuple[int, str]:
    """Status and code."""
    port = raw.getpeername()[1] if raw.family == socket.AF_INET else None
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.sock = raw
    try:
        with suppress(BrokenPipeError, ConnectionResetError):  # refused before its body was sent: there is an answer
            connection.request("POST", "/v1/replay", body, headers)
        said = connection.getresponse()
        assert said.headers[VERSION_HEADER] == __version__
        return said.status, json.loads(said.read())["error"]["code"]
    finally:
        connection.close()


def until_closed(raw: socket.socket) -> bytes:
    """All that the daemon says until it hangs up."""
    said = b""
    with suppress(ConnectionResetError):
        while some := raw.recv(10_000):
            said += some
    return said


@covers("PRI-6")
def test_the_token_opens_tcp_and_nothing_else_does(home: Home) -> None:
    body = json.dumps({"said": SAID}).encode()
    assert answer(by_tcp(home), {}, body) == (401, "unauthorised")
    assert answer(by_tcp(home), {"Authorization": f"Bearer {SAID}"}, body) == (401, "unauthorised")
    assert answer(by_tcp(home), token(home), body) == (400, "bad_request")
    assert answer(by_socket(home), {}, body) == (400, "bad_request")
    where = home.json("status")
    assert (where["tcp"], where["token"]) == (f"127.0.0.1:{home.env['RECOLLECT_DAEMON__PORT']}", str(home.places.token))
    log = home.places.log.read_text()
    assert "unauthorised" in log
    assert SAID not in log
    assert token(home)["Authorization"].split()[1] not in log


def test_every_line_of_the_log_can_be_parsed_and_has_no_words_of_anybody(home: Home) -> None:
    answer(by_socket(home), {}, b"{" + SAID.encode())
    lines = [json.loads(line) for line in home.places.log.read_text().splitlines()]
    assert all(line.keys() >= {"at", "level", "where", "says"} for line in lines)
    assert SAID not in str(lines)


@covers("PRI-6")
def test_web_pages_and_names_that_point_here_are_refused(home: Home) -> None:
    assert answer(by_tcp(home), token(home) | {"Host": "evil.example"}) == (421, "wrong_host")
    foreign = {"Origin": "https://evil.example"}
    assert answer(by_tcp(home), token(home) | foreign) == (403, "foreign_origin")
    assert answer(by_socket(home), foreign) == (403, "foreign_origin")
    assert answer(by_socket(home), {"Sec-Fetch-Site": "cross-site"}) == (403, "foreign_origin")


@covers("PRI-6")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_another_user_cannot_connect(home: Home) -> None:
    """Even where the folders above would let them through."""
    modes = {folder: stat.S_IMODE(folder.stat().st_mode) for folder in home.places.socket.parents}
    closed = {folder: mode for folder, mode in modes.items() if not mode & 0o001}
    probe = "import socket, sys; print(socket.socket(socket.AF_UNIX).connect_ex(sys.argv[1]))"
    other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3", "-c", probe]

    def refused() -> bytes:
        return subprocess.run([*other, home.places.socket], capture_output=True, timeout=30, check=True).stdout

    assert refused() == b"13\n"  # EACCES: the folder
    try:
        for folder, mode in closed.items():
            folder.chmod(mode | 0o001)
        assert refused() == b"13\n"  # EACCES: the socket itself
    finally:
        for folder, mode in closed.items():
            folder.chmod(mode)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"POST /v1/replay HTTP/1.1\r\nHost: x\r\nContent-Length: 4000001\r\n\r\n", b"413"),
        (
            b"POST /v1/replay HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3d0901\r\n" + b"x" * 4_000_001,
            b"413",
        ),
        (b"GET /v1/status HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 40_000, b"431"),
        (b"GET /v1/status HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 40_000 + b"\r\n\r\n", b"431"),
        (b"GET /v1/status?" + b"x" * 40_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", b"431"),
    ],
    ids=["told", "counted", "header", "whole header", "address"],
)
def test_what_is_too_large_is_refused_at_once(home: Home, sent: bytes, status: bytes) -> None:
    with by_socket(home) as raw:
        raw.sendall(sent)
        assert until_closed(raw).split()[1] == status
    assert home.client.get("/v1/status")["memories"] == 0


def test_a_client_that_sends_too_much_is_told_so(home: Home) -> None:
    with pytest.raises(DaemonError, match="larger than 4,000,000 bytes"):
        home.post("/v1/replay", {"session": "x" * 9_000_000})


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"POST /v1/rep",
        b"POST /v1/replay HTTP/1.1\r\nHost: x\r\n",
        b"POST /v1/replay HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{",
        b"POST /v1/replay HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
)
def test_who_does_not_go_on_is_hung_up_on(home: Home, begun: bytes) -> None:
    with by_socket(home) as raw:
        raw.sendall(begun)
        assert until_closed(raw) == b""


def test_who_trickles_is_hung_up_on_also_in_a_second_request(home: Home) -> None:
    with by_socket(home) as raw:
        raw.sendall(b"GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\nGET /")
        assert raw.recv(10_000).startswith(b"HTTP/1.1 200 ")
        raw.settimeout(0.05)
        give_up = time.monotonic() + 30
        with suppress(BrokenPipeError, ConnectionResetError):
            while time.monotonic() < give_up:
                raw.sendall(b"x")
                with suppress(TimeoutError):
                    raw.recv(10_000)
        assert time.monotonic() < give_up


def test_connections_beyond_the_bound_are_refused_and_leave_room_for_the_socket(home: Home) -> None:
    held = [by_tcp(home) for _ in range(30)]
    try:
        assert {until_closed(raw) for raw in held} == {b""}  # most at once, the others when their time is over
        assert home.client.get("/v1/status")["memories"] == 0
    finally:
        for raw in held:
            raw.close()
    assert "too many connections" in home.places.log.read_text()


def test_the_log_is_for_its_user_alone_also_after_it_was_turned_over(tmp_path: Path) -> None:
    script = """
import logging, os, sys, pathlib
from recollect.daemon import log
log.MAX_BYTES = 300
log.start_log(pathlib.Path(sys.argv[1]))
try:
    raise ValueError("what somebody said")
except ValueError:
    logging.getLogger("uvicorn.error").error("Exception in ASGI application", exc_info=True)
for n in range(9):
    logging.getLogger("recollect.daemon").warning("bad_request", extra={"where": "/v1/replay"})
for n in range(50):
    logging.getLogger("recollect.daemon").warning("unauthorised", extra={"where": "guard"})
    logging.getLogger("uvicorn.error").warning("Invalid HTTP request received.")
log.OUTSIDE_S = 0
logging.getLogger("recollect.daemon").warning("unauthorised", extra={"where": "guard"})
assert pathlib.Path(sys.argv[1]).read_text().endswith('"says": "unauthorised", "left_out": 49}\\n')
first, *others, http, stranger = [(one.where, one.code) for one in log.last_errors()]
assert (first, others) == (("uvicorn.error", "ValueError"), [("/v1/replay", "bad_request")] * 9)
assert (http[0], stranger) == ("uvicorn.error", ("guard", "unauthorised"))
"""
    subprocess.run([sys.executable, "-c", script, tmp_path / "daemon.log"], check=True, timeout=30)
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == ["daemon.log", "daemon.log.1", "daemon.log.2"]
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    assert "somebody" not in "".join(file.read_text() for file in files)
