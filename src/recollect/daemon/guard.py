"""Who may ask, and how much: decided by the head of a request, before a byte of its body is read.

The unix socket lets in its user alone; over TCP a token says the same. No web page may ask, on either way in: not from
another site (Origin), and not by a name that was made to point here (Host).
"""

import hmac
import json
import logging
from dataclasses import dataclass
from http import HTTPStatus
from typing import NamedTuple

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.client import MAX_BODY_BYTES
from recollect.daemon.protocol import MAX_HEADER_BYTES, is_stream
from recollect.domain.errors import RequestTooLarge

log = logging.getLogger("recollect.daemon")

OWN_SITES = (b"same-origin", b"none")  # of Sec-Fetch-Site; another port of this machine is "same-site"


@dataclass(frozen=True, slots=True, kw_only=True)
class TcpAccess:
    """The way in over 127.0.0.1."""

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
    f"The header of a request may have {MAX_HEADER_BYTES} bytes.",
)
TOO_LARGE = Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, RequestTooLarge.code, str(RequestTooLarge(MAX_BODY_BYTES)))
WRONG_HOST = Refusal(
    HTTPStatus.MISDIRECTED_REQUEST, "wrong_host", "This daemon answers to 127.0.0.1 and localhost, with its port."
)
FOREIGN = Refusal(HTTPStatus.FORBIDDEN, "foreign_origin", "Requests from web pages are refused.")
NO_TOKEN = Refusal(
    HTTPStatus.UNAUTHORIZED,
    "unauthorised",
    "Send `Authorization: Bearer` with the token of the daemon; `recollect status` says where it lies.",
)


class Guard:
    """Around everything that answers, mounted parts too."""

    def __init__(self, app: ASGIApp, door: TcpAccess | None, *, max_body_bytes: int = MAX_BODY_BYTES) -> None:
        self._app = app
        self._door = door
        self._max_body_bytes = max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await _refuse(refusal, send)
        elif is_stream(scope["path"]):
            await self._app(scope, receive, send)
        else:
            counted = _CountedBody(receive, send, self._max_body_bytes)
            await self._app(scope, counted.receive, counted.send)

    def _refusal(self, scope: Scope) -> Refusal | None:
        if header_bytes(scope) > MAX_HEADER_BYTES:  # it came at once: h11 only bounds one that comes in parts
            return LONG_HEADER
        headers = _Headers(scope)
        server = scope.get("server")
        by_tcp = server is None or server[1] is not None  # who cannot be told is a stranger
        hosts = self._door.hosts if by_tcp and self._door else ()
        origin = headers.single(b"origin")
        if by_tcp and not {headers.single(b"host"), *_authority(scope["path"])} <= {*hosts}:
            return WRONG_HOST
        if origin is not None and origin not in [b"http://" + host for host in hosts]:
            return FOREIGN
        if headers.single(b"sec-fetch-site") not in (None, *OWN_SITES):
            return FOREIGN
        if by_tcp and not self._has_token(headers.single(b"authorization")):
            return NO_TOKEN
        length = headers.single(b"content-length")
        is_large = length and int(length[:20]) > self._max_body_bytes  # that it is a number was checked by h11
        if is_large and not is_stream(scope["path"]):
            return TOO_LARGE
        return None

    def _has_token(self, given: bytes | None) -> bool:
        scheme, _, token = (given or b"").partition(b" ")
        return (
            self._door is not None
            and scheme.lower() == b"bearer"
            and hmac.compare_digest(token.strip(), self._door.token.encode())
        )


def header_bytes(scope: Scope) -> int:
    """About what was sent."""
    named = sum(len(name) + len(value) + len(b": \r\n") for name, value in scope["headers"])
    return named + len(scope.get("raw_path") or b"") + len(scope.get("query_string") or b"")


def _authority(path: str) -> list[bytes]:
    """The name in `POST http://localhost:7733/v1/...`; it counts as much as the header."""
    return [path.removeprefix("http://").partition("/")[0].encode()] if path.startswith("http://") else []


class _Headers:
    def __init__(self, scope: Scope) -> None:
        self._all: list[tuple[bytes, bytes]] = scope["headers"]

    def single(self, name: bytes) -> bytes | None:
        """None: it was not sent. Sent twice it is worth nothing: nobody could say which one counts."""
        values = [value for key, value in self._all if key == name]
        return values[0] if len(values) == 1 else b"" if values else None


class _CountedBody:
    """A body whose length nobody told is counted while it comes. Past the limit we answer, and its reader is alone."""

    def __init__(self, receive: Receive, send: Send, most: int) -> None:
        self._receive = receive
        self._send = send
        self._left = most
        self._refused = False

    async def receive(self) -> Message:
        message = await self._receive() if not self._refused else {"type": "http.disconnect"}
        self._left -= len(message.get("body", b""))
        if self._left >= 0 or self._refused:
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
        (b"connection", b"close"),  # what else is on its way is not read
    ]
    if refusal is NO_TOKEN:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": refusal.status.value, "headers": headers})
    await send({"type": "http.response.body", "body": body})
