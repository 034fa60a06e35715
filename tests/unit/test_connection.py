import socket
from collections.abc import Iterator
from contextlib import closing

import pytest

from recollect import __version__
from recollect.connection import CLIENT_HEADER, DaemonConnection, HttpAnswer, client_header

OURS = f"Recollect-Version: {__version__}\r\n"


@pytest.fixture
def sockets() -> Iterator[tuple[DaemonConnection, socket.socket]]:
    """A connection, and the daemon's end of it."""
    ours, theirs = socket.socketpair()
    ours.settimeout(5)
    with closing(DaemonConnection(ours, "localhost", "secret")) as connection, theirs:
        yield connection, theirs


def test_two_answers_on_one_connection_are_read_each_to_its_length(
    sockets: tuple[DaemonConnection, socket.socket],
) -> None:
    connection, daemon = sockets
    daemon.sendall(b"HTTP/1.1 200 OK\r\nrecollect-version: 7\r\ncontent-length: 4\r\n\r\n{\n\n}HTTP/1.1 404 Not")
    assert connection.exchange("GET", "/v1/hello") == HttpAnswer(200, "7", b"{\n\n}")
    daemon.sendall(b" Found\r\nContent-Length: 0\r\n\r\n")
    assert connection.exchange("POST", "/v1/stop", b"{}") == HttpAnswer(404, None, b"")
    heard = daemon.recv(10_000)
    assert heard.startswith(b"GET /v1/hello HTTP/1.1\r\nHost: localhost\r\n")
    assert heard.count(b"Authorization: Bearer secret\r\n") == 2
    assert heard.endswith(b"Content-Length: 2\r\n\r\n{}")


def test_an_answer_without_a_length_ends_with_the_connection(sockets: tuple[DaemonConnection, socket.socket]) -> None:
    connection, daemon = sockets
    daemon.sendall(b"HTTP/1.0 400 Bad Request\r\n\r\nInvalid ")
    daemon.sendall(b"request")
    daemon.shutdown(socket.SHUT_WR)
    assert connection.exchange("GET", "/") == HttpAnswer(400, None, b"Invalid request")


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhalf",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: " + 5_000 * b"9" + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"HTTP/1.1 tea\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
    ],
)
def test_half_an_answer_or_none_is_an_error(sockets: tuple[DaemonConnection, socket.socket], answer: bytes) -> None:
    connection, daemon = sockets
    daemon.sendall(answer)
    daemon.shutdown(socket.SHUT_WR)
    with pytest.raises(ConnectionError, match=r"^its? "):
        connection.exchange("GET", "/v1/hello")


def test_a_daemon_that_is_gone_before_it_reads_may_have_said_why(
    sockets: tuple[DaemonConnection, socket.socket],
) -> None:
    connection, daemon = sockets
    daemon.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\n{}")
    daemon.close()
    assert connection.exchange("POST", "/v1/recall", b"x" * 1_000_000).status == 413


@pytest.mark.parametrize(
    ("answer", "accepted"),
    [
        (f"HTTP/1.1 100 Continue\r\n{OURS}\r\n", True),
        ("HTTP/1.1 100 Continue\r\nRecollect-Version: 0.0.1\r\n\r\n", False),
        ("HTTP/1.1 100 Continue\r\n\r\n", False),  # a daemon that compares nothing
        (f"HTTP/1.1 412 Precondition Failed\r\n{OURS}\r\n", False),
        ("HTTP/1.1 404 Not Found\r\nRecollect-Version: 0.0.1\r\n\r\n", False),
    ],
)
def test_the_body_is_sent_to_a_daemon_that_has_compared_versions_only(
    sockets: tuple[DaemonConnection, socket.socket], answer: str, accepted: bool
) -> None:
    connection, daemon = sockets
    daemon.sendall(answer.encode())
    assert connection.offer("/v1/recall", 2, client_header("0f")) is accepted
    heard = daemon.recv(10_000)
    assert f"{CLIENT_HEADER}: {__version__} 0f\r\n".encode() in heard
    assert heard.endswith(b"Expect: 100-continue\r\n\r\n")


def test_an_error_of_our_own_daemon_before_the_body_is_no_consent(
    sockets: tuple[DaemonConnection, socket.socket],
) -> None:
    connection, daemon = sockets
    daemon.sendall(f"HTTP/1.1 401 Unauthorized\r\n{OURS}\r\n".encode())
    with pytest.raises(ConnectionError, match="status 401"):
        connection.offer("/v1/recall", 2, client_header("0f"))
