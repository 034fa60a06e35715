"""HTTP with limits: how many connections there are, and how long a header and a body may take.

uvicorn limits the size of a header and the time between two requests. An MCP stream has no end: only its header is timed.
"""

import asyncio
import logging
import sys
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from recollect import __version__
from recollect.connection import VERSION_HEADER

log = logging.getLogger("recollect.daemon")

STREAMS = ("/v1/mcp",)  # their bodies may have any length and take any time
LONG_ANSWERS = (*STREAMS, "/mcp")
STREAM_END_S = 0.5  # for a stream's last answers when the daemon ends
MAX_HEADER_BYTES = 32_768  # a folder's name may have 4,096 bytes, percent-encoded as three each


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLimits:
    header_s: float = 5.0
    body_s: float = 10.0  # for four megabytes on this machine
    connections: int = 256  # at most half of them over TCP, where every user of this machine can open one


def make_protocol(bounds: ConnectionLimits) -> type[asyncio.Protocol]:
    """Return a protocol class: uvicorn gives its constructor no arguments of ours."""

    class Protocol(BoundedProtocol):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(bounds, *args, **kwargs)

    return Protocol


class _HttpConnection(h11.Connection):
    """Sends our version with `100 Continue` too: a command then knows that this daemon has compared their versions."""

    def send(self, event: h11.Event) -> bytes | None:  # type: ignore[override]  # h11 has one overload per event
        if isinstance(event, h11.InformationalResponse):
            version = [(VERSION_HEADER, __version__)]
            event = h11.InformationalResponse(status_code=event.status_code, headers=version, reason=event.reason)
        return super().send(event)


class BoundedProtocol(H11Protocol):
    def __init__(self, bounds: ConnectionLimits, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.conn = _HttpConnection(h11.SERVER, MAX_HEADER_BYTES)
        self._bounds = bounds
        self._timer: asyncio.TimerHandle | None = None
        self._awaited: tuple[object, object] | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        super().connection_made(transport)
        is_tcp = bool(self.client)
        places = self._bounds.connections // 2 if is_tcp else self._bounds.connections
        if len(self.connections) > places:
            log.warning("too many connections: one was refused", extra={"where": "connection"})
            transport.abort()
        else:
            self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def send_400_response(self, msg: str) -> None:
        """Answer with the status of h11's error, which is being handled; uvicorn would always say 400."""
        error = sys.exc_info()[1]
        status = getattr(error, "error_status_hint", 400)
        head = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
        for event in (
            h11.Response(status_code=status, headers=head, reason=HTTPStatus(status).phrase.encode()),
            h11.Data(data=msg.encode("ascii")),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._unset_timer()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        super().shutdown()
        is_long = self.cycle is not None and self.scope["path"].rstrip("/") in LONG_ANSWERS
        if is_long and not self.transport.is_closing():
            self.loop.call_later(STREAM_END_S, self.transport.close)

    def _watch(self) -> None:
        """Start a new timer whenever the client has to send something new: each header and each body has one."""
        awaited = (self.conn.their_state, self.cycle)
        if awaited == self._awaited:
            return
        self._unset_timer()
        self._awaited = awaited
        seconds = self._time_limit()
        if seconds is not None and not self.transport.is_closing():
            self._timer = self.loop.call_later(seconds, self._too_slow)

    def _time_limit(self) -> float | None:
        match self.conn.their_state:
            case h11.IDLE:
                return self._bounds.header_s
            case h11.SEND_BODY if self.scope["path"] not in STREAMS:
                return self._bounds.body_s
        return None

    def _too_slow(self) -> None:
        log.warning("a connection that did not send its request in time was closed", extra={"where": "connection"})
        self.transport.abort()

    def _unset_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
