"""OpenCode: turn its stored sessions into events. Pure.

An export, the database and the files of older versions have the same content: a session, its messages, their parts.
They arrive as records: first `{"session": ...}`, then `{"message": ..., "parts": [...]}` in their order.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from recollect.domain.errors import PayloadError
from recollect.domain.event import Compacted, Event, Prompt, Reply
from recollect.domain.learning import Origin
from recollect.domain.memory import MessageId, SessionId
from recollect.domain.transcript import TranscriptRecord
from recollect.hosts.opencode import NAME, is_typed, unquote_argument
from recollect.hosts.question_tool import with_answers_of_opencode
from recollect.hosts.transcript import ReportBadLine, SessionTracker, clean_text, name_field, read_events, tool_event


def parse(records: Iterable[TranscriptRecord], *, otherwise: datetime, bad: ReportBadLine) -> Iterator[Event]:
    return read_events(OpenCodeReader(otherwise), records, bad)


class OpenCodeReader:
    def __init__(self, default_time: datetime) -> None:
        self._tracker = SessionTracker(NAME, default_time)
        self._session: SessionId | None = None
        self._is_child = False

    def read(self, value: Mapping[str, Any]) -> Sequence[Event]:
        session = value.get("session")
        if isinstance(session, Mapping):
            return self._begin(session)
        message, parts = value.get("message"), value.get("parts")
        if not isinstance(message, Mapping) or not isinstance(parts, Sequence):
            raise PayloadError("The record is neither an OpenCode session nor one of its messages.")
        usable = [part for part in parts if isinstance(part, Mapping)]
        return self._user(message, usable) if message.get("role") == "user" else self._assistant(message, usable)

    def finish(self) -> Sequence[Event]:
        return ()

    def _begin(self, info: Mapping[str, Any]) -> Sequence[Event]:
        name, parent = name_field(info, "id"), name_field(info, "parentID")
        if name is None:
            raise PayloadError("The session has no id.")
        self._session, self._is_child = SessionId(name), parent is not None
        at = self._tracker.update_time(_time(info, "created"))
        fields = {"folder": name_field(info, "directory"), "agent": name_field(info, "agent")}
        return self._tracker.begin(self._session, at, parent=SessionId(parent) if parent else None, **fields)

    def _event_fields(self, message: Mapping[str, Any]) -> tuple[MessageId, dict[str, Any]]:
        session, name = self._session or name_field(message, "sessionID"), name_field(message, "id")
        if session is None or name is None:
            raise PayloadError("The message has no id, or no session.")
        at = self._tracker.update_time(_time(message, "created"))
        fields = self._tracker.event_fields(SessionId(session), at)
        agent = name_field(message, "agent") or name_field(message, "mode")
        if agent:
            fields["agent"] = agent
        return MessageId(name), fields

    def _user(self, message: Mapping[str, Any], parts: Sequence[Mapping[str, Any]]) -> list[Event]:
        name, fields = self._event_fields(message)
        text = _text(parts)
        if not text:
            return []
        origin = Origin.SUBAGENT if self._is_child else Origin.USER
        # The record does not say whether it was `opencode run`; a user does not type a whole message in quotes.
        return [Prompt(message=name, text=unquote_argument(text), origin=origin, **fields)]

    def _assistant(self, message: Mapping[str, Any], parts: Sequence[Mapping[str, Any]]) -> list[Event]:
        name, fields = self._event_fields(message)
        text = _text(parts)
        if message.get("summary") is True:
            return [Compacted(summary=text, **fields)]
        events: list[Event] = []
        if text:
            events.append(Reply(message=name, text=text, final=message.get("finish") == "stop", **fields))
        for part in parts:
            events += self._tool(part, name, fields)
        return events

    def _tool(self, part: Mapping[str, Any], message: MessageId, fields: dict[str, Any]) -> list[Event]:
        state = part.get("state")
        if part.get("type") != "tool" or not isinstance(state, Mapping):
            return []
        status = state.get("status")
        if status not in ("completed", "error"):  # it never ended
            return []
        fields = {**fields, "at": self._tracker.update_time(_time(state, "end"))}
        failed = status == "error" or _exit_code(state) != 0
        if failed:
            fields["message"] = message
        arguments = state.get("input")
        output = state.get("error" if status == "error" else "output")
        given = with_answers_of_opencode(
            dict(arguments) if isinstance(arguments, Mapping) else {}, state.get("metadata")
        )
        text, call = output if isinstance(output, str) else "", name_field(part, "callID")
        return [tool_event(str(part.get("tool")), given, text, failed=failed, call=call, fields=fields)]


def _text(parts: Sequence[Mapping[str, Any]]) -> str:
    texts = [clean_text(part["text"]).strip() for part in parts if is_typed(part)]
    return "\n".join(filter(None, texts))


def _time(info: Mapping[str, Any], name: str) -> object:
    times = info.get("time")
    return times.get(name) if isinstance(times, Mapping) else None


def _exit_code(state: Mapping[str, Any]) -> int:
    metadata = state.get("metadata")
    code = metadata.get("exit") if isinstance(metadata, Mapping) else None
    return code if isinstance(code, int) else 0
