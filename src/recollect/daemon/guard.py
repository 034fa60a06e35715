"""Decides who may ask, and how much, by the headers of a request, before its body is read.

The unix socket is open to its user only; over TCP the token proves the same. No web page may ask: not from another site
(Origin), and not by a name that was made to point here (Host).
"""

import hmac
import json
import logging
from dataclasses import dataclass
from http import HTTPStatus
from typing import NamedTuple

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.connection import MAX_BODY_BYTES
from recollect.daemon.protocol import MAX_HEADER_BYTES, STREAMS
from recollect.domain.errors import RequestTooLarge

log = logging.getLogger("recollect.daemon")

OWN_SITES = (b"same-origin", b"none")  # of Sec-Fetch-Site; another port of this machine is "same-site"


@dataclass(frozen=True, slots=True, kw_only=True)
class TcpAccess:
    port: int
    token: str

    @property
    def hosts(self) -> tuple[bytes, ...]:
        return tuple(f"{name}:{self.port}".encode() for name in ("127.0.0.1", "localhost"))


class Refusal(NamedTuple):
    status: HTTPStatus
    code: str
    message: str


LONG_HEADER = Refusal(
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
    "header_too_large",
    f"The header of a request may have at most {MAX_HEADER_BYTES} bytes.",
)
TOO_LARGE = Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, RequestTooLarge.code, str(RequestTooLarge(MAX_BODY_BYTES)))
WRONG_HOST = Refusal(
    HTTPStatus.MISDIRECTED_REQUEST,
    "wrong_host",
    "The Host header must be 127.0.0.1 or localhost, with the daemon's port.",
)
FOREIGN = Refusal(HTTPStatus.FORBIDDEN, "foreign_origin", "Requests from web pages are refused.")
NO_TOKEN = Refusal(
    HTTPStatus.UNAUTHORIZED,
    "unauthorised",
    "Send `Authorization: Bearer` with the token of the daemon; `recollect status` shows its file.",
)


class Guard:
    def __init__(self, app: ASGIApp, tcp_access: TcpAccess | None, *, max_body_bytes: int = MAX_BODY_BYTES) -> None:
        self._app = app
        self._tcp_access = tcp_access
        self._max_body_bytes = max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await _refuse(refusal, send)
        elif scope["path"] in STREAMS:
            await self._app(scope, receive, send)
        else:
            counted = _CountedBody(receive, send, self._max_body_bytes)
            await self._app(scope, counted.receive, counted.send)

    def _refusal(self, scope: Scope) -> Refusal | None:
        if header_bytes(scope) > MAX_HEADER_BYTES:  # it came in one piece: h11 only limits one that comes in parts
            return LONG_HEADER
        server = scope.get("server")
        by_tcp = server is None or server[1] is not None  # an unknown connection counts as TCP
        hosts: tuple[bytes, ...] = ()
        if by_tcp and self._tcp_access is not None:
            hosts = self._tcp_access.hosts
        if by_tcp and not _has_right_host(scope, hosts):
            return WRONG_HOST
        if _is_from_web_page(scope, hosts):
            return FOREIGN
        if by_tcp and not self._has_token(_single_header(scope, b"authorization")):
            return NO_TOKEN
        length = _single_header(scope, b"content-length")
        is_large = length and int(length[:20]) > self._max_body_bytes  # h11 has checked that it is a number
        if is_large and scope["path"] not in STREAMS:
            return TOO_LARGE
        return None

    def _has_token(self, given: bytes | None) -> bool:
        if self._tcp_access is None:
            return False
        scheme, _, token = (given or b"").partition(b" ")
        is_right = hmac.compare_digest(token.strip(), self._tcp_access.token.encode())
        return scheme.lower() == b"bearer" and is_right


def _has_right_host(scope: Scope, hosts: tuple[bytes, ...]) -> bool:
    """Check the header, and the host in `POST http://localhost:7733/v1/...`, which counts as much."""
    path: str = scope["path"]
    if path.startswith("http://") and path.removeprefix("http://").partition("/")[0].encode() not in hosts:
        return False
    return _single_header(scope, b"host") in hosts


def _is_from_web_page(scope: Scope, hosts: tuple[bytes, ...]) -> bool:
    origin = _single_header(scope, b"origin")
    if origin is not None and origin not in [b"http://" + host for host in hosts]:
        return True
    return _single_header(scope, b"sec-fetch-site") not in (None, *OWN_SITES)


def header_bytes(scope: Scope) -> int:
    fields = sum(len(name) + len(value) + len(b": \r\n") for name, value in scope["headers"])
    return fields + len(scope.get("raw_path") or b"") + len(scope.get("query_string") or b"")


def _single_header(scope: Scope, name: bytes) -> bytes | None:
    """Return the value of a header; None if it was not sent, empty if it was sent twice, which is ambiguous."""
    values: list[bytes] = [value for key, value in scope["headers"] if key == name]
    if not values:
        return None
    return values[0] if len(values) == 1 else b""


class _CountedBody:
    """Counts a body while it arrives. Beyond the limit we answer, and the app sees a disconnect."""

    def __init__(self, receive: Receive, send: Send, max_bytes: int) -> None:
        self._receive = receive
        self._send = send
        self._left = max_bytes
        self._refused = False

    async def receive(self) -> Message:
        if self._refused:
            return {"type": "http.disconnect"}
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left >= 0:
            return message
        self._refused = True
        await _refuse(TOO_LARGE, self._send)
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if not self._refused:
            await self._send(message)


async def _refuse(refusal: Refusal, send: Send) -> None:
    log.warning("%s", refusal.code, extra={"where": "guard"})
    body = json.dumps({"error": {"code": refusal.code, "message": refusal.message}}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),  # the rest of the request is not read
    ]
    if refusal is NO_TOKEN:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": refusal.status.value, "headers": headers})
    await send({"type": "http.response.body", "body": body})
