"""Sends one question to one endpoint over HTTP. Limits total time and size; follows no redirects, uses no proxy.

A server that sends one byte now and then would never reach a time-out per read, so each read may take only the time that
is left of the total. Only the name lookup is not limited: it takes as long as the system's resolver.
"""

import email.utils
import http.client
import io
import json
import socket
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from recollect.extract.address import Address
from recollect.extract.answer import NoAnswer

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAX_ANSWER_BYTES = 1_000_000
_READ_BYTES = 65_536
_MAX_WAIT_S = 24 * 3600.0
_BUSY = (429, 503)

Headers = Mapping[str, str]


def ask(address: Address, path: str, headers: Headers, body: Mapping[str, Any], *, timeout_s: float) -> Any:
    """Return the answer as JSON. Raises NoAnswer."""
    deadline = _Deadline(timeout_s)
    try:
        with _connect(address, deadline) as stream:
            return _exchange(stream, address, path, headers, body)
    except TimeoutError:
        raise NoAnswer(f"it did not answer within {timeout_s:g} s", may_cost=True) from None
    except (OSError, http.client.HTTPException) as error:
        raise NoAnswer(f"the connection broke ({type(error).__name__})", may_cost=True) from None


def _exchange(stream: "_Stream", address: Address, path: str, headers: Headers, body: Mapping[str, Any]) -> Any:
    connection = http.client.HTTPConnection(address.host, address.port)
    connection.sock = stream  # has all the socket methods that http.client uses
    connection.request(
        "POST",
        address.path + path,
        body=json.dumps(body).encode(),
        headers={"Content-Type": "application/json", "Accept": "application/json", "Connection": "close", **headers},
    )
    response = connection.getresponse()
    if response.status != http.client.OK:
        raise _explain_status(response)
    content = bytearray()
    while part := response.read1(_READ_BYTES):
        content += part
        if len(content) > MAX_ANSWER_BYTES:
            raise NoAnswer(f"its answer is longer than {MAX_ANSWER_BYTES:,} bytes", may_cost=True)
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise NoAnswer("its answer is not JSON", may_cost=True) from None


def _explain_status(response: http.client.HTTPResponse) -> NoAnswer:
    status = response.status
    if 300 <= status < 400:
        why = f"it redirects (status {status}), which is not followed; set extractor.endpoint to the final address"
        return NoAnswer(why, may_cost=False)
    if status in (401, 403):
        return NoAnswer(f"it refused the key (status {status}); check extractor.key_env", may_cost=False)
    if status == 404:
        why = "it does not know the path or model (status 404); check extractor.endpoint and extractor.model"
        return NoAnswer(why, may_cost=False)
    wait_s = _parse_retry_after(response.headers.get("Retry-After", "")) if status in _BUSY else 0.0
    # A gateway that gave up (5xx) may have passed the question on; a server that refused it (4xx) has not worked on it.
    return NoAnswer(f"it answered with status {status}", may_cost=status >= 500, wait_s=wait_s)


def _parse_retry_after(retry_after: str) -> float:
    """Return seconds; the header contains seconds or a date."""
    text = retry_after.strip()
    if text.isascii() and text.isdigit():
        return min(float(text[:9]), _MAX_WAIT_S)
    try:
        until = email.utils.parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError, OverflowError):
        return 0.0
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return max(0.0, min((until - datetime.now(UTC)).total_seconds(), _MAX_WAIT_S))


class _Deadline:
    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._end = clock() + seconds

    def remaining_s(self) -> float:
        remaining = self._end - self._clock()
        if remaining <= 0:
            raise TimeoutError
        return remaining


def _connect(address: Address, deadline: _Deadline) -> "_Stream":
    try:
        targets = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise NoAnswer(f"the host {address.host} was not found", may_cost=False) from None
    failure = OSError()
    for family, kind, protocol, _, target in targets:
        connection = socket.socket(family, kind, protocol)
        try:
            connection.settimeout(deadline.remaining_s())
            connection.connect(target)
            return _Stream(_encrypt(connection, address, deadline), deadline)
        except OSError as error:  # includes time-outs and untrusted certificates
            connection.close()
            failure = error
    if isinstance(failure, TimeoutError):
        raise NoAnswer("it could not be reached in time", may_cost=False) from None
    raise NoAnswer(f"it cannot be reached ({type(failure).__name__})", may_cost=False) from None


def _encrypt(connection: socket.socket, address: Address, deadline: _Deadline) -> socket.socket:
    if not address.is_encrypted:
        return connection
    import ssl  # a model on this machine does not need it

    connection.settimeout(deadline.remaining_s())
    return ssl.create_default_context().wrap_socket(connection, server_hostname=address.host)


class _Stream:
    """The part of a socket that `http.client` uses, with a deadline."""

    def __init__(self, connection: socket.socket, deadline: _Deadline) -> None:
        self._connection = connection
        self._deadline = deadline

    def __enter__(self) -> "_Stream":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def sendall(self, data: bytes) -> None:
        self._connection.settimeout(self._deadline.remaining_s())
        self._connection.sendall(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Incoming(self._connection, self._deadline))

    def close(self) -> None:
        """Do nothing: http.client closes it before the answer is read; `ask` closes the socket at the end."""


class _Incoming(io.RawIOBase):
    def __init__(self, connection: socket.socket, deadline: _Deadline) -> None:
        self._connection = connection
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        self._connection.settimeout(self._deadline.remaining_s())
        return self._connection.recv_into(buffer)
