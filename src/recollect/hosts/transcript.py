"""Old sessions of any host: records in, events out, in their order. Pure, and never a whole file at once.

A host's reader knows what one record means. Shared here: sessions that begin and end, tools that answer later, the last
reply of a turn. A record that cannot be used is reported by its line, and the rest is still read.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from typing import Any, Protocol

from recollect.domain.errors import InvalidValue, PayloadError
from recollect.domain.event import Event, Prompt, Reply, SessionEnded, SessionStarted, ToolFailed, ToolSucceeded
from recollect.domain.learning import Origin
from recollect.domain.memory import MessageId, SessionId
from recollect.domain.session import MAX_TURN_CHARS
from recollect.domain.transcript import TranscriptRecord
from recollect.privacy.exclude import without_fences

MAX_OUTPUT_CHARS = 100_000  # of a tool's output; a longer one keeps both ends
MAX_OPEN_CALLS = 1000  # tools that were called and have not answered
_NOT_STORABLE = re.compile("[\x00\ud800-\udfff]")
_HASH_CHARS = 16

ReportBadLine = Callable[[int, str], None]  # gets the line that cannot be used, and the reason


class ReadsRecords(Protocol):
    def read(self, value: Any) -> Sequence[Event]:
        """Return the events of one record; raise InvalidValue or PayloadError if it cannot be used."""

    def finish(self) -> Sequence[Event]:
        """Return the events that the last records began and no record ended."""


def read_events(reader: ReadsRecords, records: Iterable[TranscriptRecord], report: ReportBadLine) -> Iterator[Event]:
    """Yield all events; each session ends after its last event."""
    endings, line = _SessionEndings(), 0
    for record in records:
        line = record.line
        yield from endings.add(_read_or_report(partial(reader.read, record.value), line, report))
    yield from endings.add(_read_or_report(reader.finish, line, report))
    yield from endings.end_all()


def _read_or_report(read: Callable[[], Sequence[Event]], line: int, report: ReportBadLine) -> Sequence[Event]:
    try:
        return read()
    except (InvalidValue, PayloadError) as error:
        report(line, str(error))
    except (TypeError, ValueError, AttributeError, KeyError, RecursionError) as error:
        report(line, f"The record has an unexpected form ({type(error).__name__}).")
    return ()


class _SessionEndings:
    """Delays each session's last reply until the next event shows whether its turn went on."""

    def __init__(self) -> None:
        self._last: dict[SessionId, Event] = {}
        self._delayed: dict[SessionId, Reply] = {}

    def add(self, events: Sequence[Event]) -> Iterator[Event]:
        for event in events:
            delayed = self._delayed.pop(event.session, None)
            if delayed is not None:
                # A notification may arrive in the middle of a turn.
                begins_turn = isinstance(event, Prompt) and event.origin is not Origin.NOTIFICATION
                yield replace(delayed, final=delayed.final or begins_turn)
            self._last[event.session] = event
            if isinstance(event, Reply):
                self._delayed[event.session] = event
            else:
                yield event

    def end_all(self) -> Iterator[Event]:
        for session, last in self._last.items():
            delayed = self._delayed.pop(session, None)
            if delayed is not None:
                yield replace(delayed, final=True)
            yield SessionEnded(
                session=session, at=last.at, host=last.host, folder=last.folder, agent=last.agent, parent=last.parent
            )


class SessionTracker:
    """The sessions, open tool calls and time that a reader has seen so far."""

    def __init__(self, host: str, default_time: datetime) -> None:
        self.host = host
        self.now = default_time  # of the record before, for a record without a time
        self._sessions: dict[SessionId, dict[str, Any]] = {}
        self._calls: dict[str, tuple[str, dict[str, Any]]] = {}

    def update_time(self, value: object) -> datetime:
        """Return the time of a record; without a valid time, that of the record before."""
        self.now = parse_time(value) or self.now
        return self.now

    def has_session(self, session: SessionId) -> bool:
        return session in self._sessions

    def begin(self, session: SessionId, at: datetime, **fields: Any) -> list[Event]:
        """Return the start of a new session; nothing if it has already begun."""
        if session in self._sessions:
            return []
        self._sessions[session] = {"host": self.host, **fields}
        return [SessionStarted(session=session, at=at, **self._sessions[session])]

    def event_fields(self, session: SessionId, at: datetime, **more: Any) -> dict[str, Any]:
        return {"session": session, "at": at, **self._sessions.get(session, {"host": self.host}), **more}

    def add_call(self, call: str, tool: str, arguments: object) -> None:
        self._calls[call] = (tool, dict(arguments) if isinstance(arguments, Mapping) else {"input": arguments})
        while len(self._calls) > MAX_OPEN_CALLS:
            self._calls.pop(next(iter(self._calls)))

    def finish_call(self, call: str, output: str, *, failed: bool, fields: dict[str, Any]) -> list[Event]:
        """Return the event of a tool that has answered; nothing if its call is unknown."""
        known = self._calls.pop(call, None)
        if known is None:
            return []
        return [tool_event(*known, output, failed=failed, call=call, fields=fields)]


def tool_event(
    tool: str, arguments: dict[str, Any], output: str, *, failed: bool, call: str | None, fields: dict[str, Any]
) -> Event:
    text = _keep_ends(clean_text(output))
    if failed:
        return ToolFailed(tool=tool, input=arguments, error=text, call=call, **fields)
    return ToolSucceeded(tool=tool, input=arguments, output=text, call=call, **fields)


def parse_time(value: object) -> datetime | None:
    """Read ISO 8601 or milliseconds since 1970; None: not a time."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            return datetime.fromtimestamp(value / 1000, UTC)
        if isinstance(value, str) and value:
            at = datetime.fromisoformat(value.strip())
            return at.astimezone(UTC) if at.tzinfo is not None else at.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return None


def clean_text(text: object) -> str:
    """Return the text as it can be stored, without the blocks that Recollect injected."""
    if not isinstance(text, str):
        return ""
    return without_fences(_NOT_STORABLE.sub("", text)[:MAX_TURN_CHARS])


def _keep_ends(output: str) -> str:
    """A long output begins with what was done and ends with the result."""
    if len(output) <= MAX_OUTPUT_CHARS:
        return output
    half = MAX_OUTPUT_CHARS // 2
    return f"{output[:half]}\n...\n{output[-half:]}"


def blocks_of(content: object, kind: str) -> list[Mapping[str, Any]]:
    if not isinstance(content, list):
        return []
    return [block for block in content if isinstance(block, Mapping) and block.get("type") == kind]


def join_texts(content: object, *kinds: str) -> str:
    """Return the text of a message: a plain text, or the text of its blocks of these kinds."""
    if isinstance(content, str):
        return content
    if not isinstance(content, Sequence):
        return ""
    blocks = [block for block in content if isinstance(block, Mapping) and block.get("type") in kinds]
    return "\n".join(block["text"] for block in blocks if isinstance(block.get("text"), str))


def name_field(record: Mapping[str, Any], name: str) -> str | None:
    value = record.get(name)
    return value if isinstance(value, str) and value.strip() else None


def id_from_content(position: int, role: str, text: str) -> MessageId:
    """Name a message that has no id; the id stays the same as long as the messages before it do."""
    digest = sha256(text.encode("utf-8", "replace")).hexdigest()[:_HASH_CHARS]
    return MessageId(f"{role}-{position}-{digest}")
