"""One connection of the stdio bridge to a daemon: one long request, in chunks, and its answer.

Standard library only. It does not interpret messages: it sends lines, and calls its owner with each line that arrives and
at the end.
"""

from __future__ import annotations

import threading

TYPE_CHECKING = False  # importing `typing` takes as long as `json` and `threading` together
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Callable, Iterator
    from typing import Any

CHUNK_BYTES = 65_536
BEGIN_S = 10.0  # the daemon loads its MCP library first
SEND_S = 30.0  # a hung daemon does not read a long line


class AnswerReader:
    """Reads an HTTP answer: a head, then chunks."""

    def __init__(self, connection: socket) -> None:
        self._connection = connection
        self._received = bytearray()
        self.waits_forever = False

    def head(self) -> bytes:
        return self._until(b"\r\n\r\n")

    def chunks(self) -> Iterator[bytes]:
        """ValueError: these are not HTTP chunks."""
        while size := int(self._until(b"\r\n").partition(b";")[0], 16):
            while len(self._received) < size + 2:
                self._more()
            yield bytes(self._received[:size])
            del self._received[: size + 2]

    def _until(self, end: bytes) -> bytes:
        while (at := self._received.find(end)) < 0:
            self._more()
        found = bytes(self._received[:at])
        del self._received[: at + len(end)]
        return found

    def _more(self) -> None:
        try:
            piece = self._connection.recv(CHUNK_BYTES)
        except TimeoutError:
            if self.waits_forever:
                return
            raise
        if not piece:
            raise ConnectionResetError
        self._received.extend(piece)


class Talk:
    """One connection to a daemon, with the requests that wait for its answer."""

    def __init__(self, connection: socket, hear: Callable[[Talk, bytes], None]) -> None:
        self._connection = connection
        self._hear = hear
        self.waiting: dict[str, Any] = {}  # unanswered ids, by their JSON: 1 is not "1"
        self.asked_at: dict[str, float] = {}  # when, by the same key
        self.repeated_id: str | None = None  # of the handshake that we repeat; the client does not know it
        self.is_over = False
        self.hangs = False
        self._answers = AnswerReader(connection)
        self._thread = threading.Thread(target=self._listen, name="answers", daemon=True)

    def begin(self, head: bytes) -> bytes:
        """Send the head and return the head of the answer. No message is sent before that: the daemon may be ending."""
        self._connection.settimeout(BEGIN_S)
        self._connection.sendall(head)
        answered = self._answers.head()
        self._connection.settimeout(SEND_S)  # for sending; an answer may take any time
        self._answers.waits_forever = True
        if answered.startswith(b"HTTP/1.1 200 "):
            self._thread.start()
        return answered

    def say(self, line: bytes) -> None:
        """OSError: the line was not sent completely, so the daemon ignores it."""
        self._connection.sendall(b"%x\r\n%b\r\n" % (len(line), line))

    def close(self, within_s: float) -> None:
        self._answers.waits_forever = False
        self._connection.settimeout(within_s)  # the daemon may have stopped reading
        try:
            self._connection.sendall(b"0\r\n\r\n")
        except OSError:
            return
        self._thread.join(within_s)

    def give_up(self) -> None:
        self.hangs = True
        try:  # noqa: SIM105  # importing contextlib costs more than all of this
            self._connection.shutdown(2)  # both ways, which wakes up the thread
        except OSError:
            pass

    def _listen(self) -> None:
        waiting = b""
        try:
            for chunk in self._answers.chunks():
                *lines, waiting = (waiting + chunk).split(b"\n")
                for line in filter(None, lines):
                    self._hear(self, line + b"\n")
        except (OSError, ValueError):  # killed, or not our daemon
            pass
        finally:
            self._hear(self, b"")
