"""Old sessions, whatever host wrote them: records in, events out, in their order. Pure, and never a whole file at once.

A host's reader says what one record means. What they share is here: sessions that begin and end, tools that answer
later, the last reply of a turn. What a reader cannot use is told by its line, and the rest is read on.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from typing import Any, Protocol, TypeVar

from recollect.domain.errors import InvalidValue, PayloadError
from recollect.domain.event import Event, Prompt, Reply, SessionEnded, SessionStarted, ToolFailed, ToolSucceeded
from recollect.domain.learning import Origin
from recollect.domain.memory import MessageId, SessionId
from recollect.domain.session import MAX_TURN_CHARS
from recollect.domain.transcript import TranscriptRecord
from recollect.privacy.exclude import without_fences

MAX_OUTPUT_CHARS = 100_000  # of what a tool said: both ends of more
MAX_OPEN_CALLS = 1000  # tools that were called and have not answered
_UNKEEPABLE = re.compile("[\x00\ud800-\udfff]")
_HASH_CHARS = 16

R = TypeVar("R", contravariant=True)


Bad = Callable[[int, str], None]  # told of a line that cannot be used, and why


class ReadsRecords(Protocol[R]):
    def read(self, value: R) -> Sequence[Event]:
        """What one record says; raises InvalidValue or PayloadError where it says nothing that can be used."""
        ...

    def rest(self) -> Sequence[Event]:
        """What the last records began and no other one ended."""
        ...


def events(reader: ReadsRecords[Any], records: Iterable[TranscriptRecord], bad: Bad) -> Iterator[Event]:
    """All of them, with the end of each session behind its last event."""
    endings, last = _Endings(), 0
    for record in records:
        last = record.line
        yield from endings.through(_heard(partial(reader.read, record.value), last, bad))
    yield from endings.through(_heard(reader.rest, last, bad))
    yield from endings.all()


def _heard(read: Callable[[], Sequence[Event]], line: int, bad: Bad) -> Sequence[Event]:
    try:
        return read()
    except (InvalidValue, PayloadError) as error:
        bad(line, str(error))
    except (TypeError, ValueError, AttributeError, KeyError, RecursionError) as error:
        bad(line, f"It has not the form of such a record ({type(error).__name__}).")
    return ()


class _Endings:
    """Holds each session's last reply back until it is known whether its turn went on."""

    def __init__(self) -> None:
        self._last: dict[SessionId, Event] = {}
        self._held: dict[SessionId, Reply] = {}

    def through(self, heard: Sequence[Event]) -> Iterator[Event]:
        for event in heard:
            held = self._held.pop(event.session, None)
            if held is not None:
                yield replace(held, final=held.final or _begins_a_turn(event))
            self._last[event.session] = event
            if isinstance(event, Reply):
                self._held[event.session] = event
            else:
                yield event

    def all(self) -> Iterator[Event]:
        for session, last in self._last.items():
            held = self._held.pop(session, None)
            if held is not None:
                yield replace(held, final=True)
            yield SessionEnded(
                session=session,
                at=last.at,
                host=last.host,
                folder=last.folder,
                agent=last.agent,
                parent=last.parent,
            )


def _begins_a_turn(event: Event) -> bool:
    return isinstance(event, Prompt) and event.origin is not Origin.NOTIFICATION  # which may come in the midst of one


class Scribe:
    """What a reader knows of the sessions that it has met, and of the time."""

    def __init__(self, host: str, otherwise: datetime) -> None:
        self.host = host
        self.now = otherwise  # of the record before, for one that has no time
        self._begun: dict[SessionId, dict[str, Any]] = {}
        self._calls: dict[str, tuple[str, dict[str, Any]]] = {}

    def time(self, told: object) -> datetime:
        """ISO 8601, or milliseconds since 1970; what is neither is as late as what came before it."""
        self.now = moment(told) or self.now
        return self.now

    def knows(self, session: SessionId) -> bool:
        return session in self._begun

    def begin(self, session: SessionId, at: datetime, *, task: str | None = None, **about: Any) -> list[Event]:
        """Nothing where it has begun already."""
        if session in self._begun:
            return []
        self._begun[session] = {"host": self.host, **about}
        return [SessionStarted(session=session, at=at, task=task, **self._begun[session])]

    def about(self, session: SessionId, at: datetime, **more: Any) -> dict[str, Any]:
        """What all events of a session have."""
        return {"session": session, "at": at, **self._begun.get(session, {"host": self.host}), **more}

    def call(self, call: str, tool: str, given: object) -> None:
        self._calls[call] = (tool, dict(given) if isinstance(given, Mapping) else {"input": given})
        while len(self._calls) > MAX_OPEN_CALLS:
            self._calls.pop(next(iter(self._calls)))

    def answer(self, call: str, output: str, *, failed: bool, about: dict[str, Any]) -> list[Event]:
        """Of a tool that was called; nothing where nobody knows which one."""
        known = self._calls.pop(call, None)
        if known is None:
            return []
        return [done(*known, output, failed=failed, call=call, about=about)]


def done(
    tool: str, given: dict[str, Any], output: str, *, failed: bool, call: str | None, about: dict[str, Any]
) -> Event:
    said = ends_of(said_in(output))
    if failed:
        return ToolFailed(tool=tool, input=given, error=said, call=call, **about)
    return ToolSucceeded(tool=tool, input=given, output=said, call=call, **about)


def moment(told: object) -> datetime | None:
    """None: it is no time."""
    try:
        if isinstance(told, int | float) and not isinstance(told, bool) and told > 0:
            return datetime.fromtimestamp(told / 1000, UTC)
        if isinstance(told, str) and told:
            at = datetime.fromisoformat(told.strip())
            return at.astimezone(UTC) if at.tzinfo is not None else at.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return None


def said_in(text: object) -> str:
    """A text as it can be kept, without the blocks that we put there ourselves."""
    if not isinstance(text, str):
        return ""
    return without_fences(_UNKEEPABLE.sub("", text)[:MAX_TURN_CHARS])


def ends_of(output: str) -> str:
    """A long one begins with what was done and ends with how it went."""
    if len(output) <= MAX_OUTPUT_CHARS:
        return output
    half = MAX_OUTPUT_CHARS // 2
    return f"{output[:half]}\n...\n{output[-half:]}"


def texts_in(content: object, *kinds: str) -> str:
    """The text of a message: as it is, or from its blocks of these kinds."""
    if isinstance(content, str):
        return content
    if not isinstance(content, Sequence):
        return ""
    found = [
        block["text"]
        for block in content
        if isinstance(block, Mapping) and block.get("type") in kinds and isinstance(block.get("text"), str)
    ]
    return "\n".join(found)


def name_of(record: Mapping[str, Any], name: str) -> str | None:
    value = record.get(name)
    return value if isinstance(value, str) and value.strip() else None


def named_by_content(position: int, role: str, text: str) -> MessageId:
    """Of a message to which the host gave no name: the same as long as what came before it stays."""
    digest = sha256(text.encode("utf-8", "replace")).hexdigest()[:_HASH_CHARS]
    return MessageId(f"{role}-{position}-{digest}")
