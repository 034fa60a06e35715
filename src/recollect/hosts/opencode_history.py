"""OpenCode: what it keeps of its sessions becomes events. Pure.

An export, its database and the files of older versions hold the same: a session, its messages, their parts. They
arrive as records, `{"session": ...}` first and then `{"message": ..., "parts": [...]}` in their order.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from recollect.domain.errors import PayloadError
from recollect.domain.event import Compacted, Event, Prompt, Reply
from recollect.domain.learning import Origin
from recollect.domain.memory import MessageId, SessionId
from recollect.domain.transcript import TranscriptRecord
from recollect.hosts.opencode import NAME, unwrapped
from recollect.hosts.questions import with_answers_of_opencode
from recollect.hosts.transcript import Bad, Scribe, done, events, name_of, said_in


def parse(records: Iterable[TranscriptRecord], *, otherwise: datetime, bad: Bad) -> Iterator[Event]:
    """`otherwise`: the time of what has none."""
    return events(OpenCodeReader(otherwise), records, bad)


class OpenCodeReader:
    def __init__(self, otherwise: datetime) -> None:
        self._scribe = Scribe(NAME, otherwise)
        self._session: SessionId | None = None
        self._is_child = False

    def read(self, value: Mapping[str, Any]) -> Sequence[Event]:
        session = value.get("session")
        if isinstance(session, Mapping):
            return self._begin(session)
        message, parts = value.get("message"), value.get("parts")
        if not isinstance(message, Mapping) or not isinstance(parts, Sequence):
            raise PayloadError("It is neither a session of OpenCode nor one of its messages.")
        told = [part for part in parts if isinstance(part, Mapping)]
        return self._user(message, told) if message.get("role") == "user" else self._assistant(message, told)

    def rest(self) -> Sequence[Event]:
        return ()

    def _begin(self, info: Mapping[str, Any]) -> Sequence[Event]:
        name, parent = name_of(info, "id"), name_of(info, "parentID")
        if name is None:
            raise PayloadError("The session has no id.")
        self._session, self._is_child = SessionId(name), parent is not None
        at = self._scribe.time(_time(info, "created"))
        return self._scribe.begin(
            self._session,
            at,
            folder=name_of(info, "directory"),
            agent=name_of(info, "agent"),
            parent=None if parent is None else SessionId(parent),
        )

    def _about(self, message: Mapping[str, Any]) -> tuple[MessageId, dict[str, Any]]:
        session, name = self._session or name_of(message, "sessionID"), name_of(message, "id")
        if session is None or name is None:
            raise PayloadError("The message has no id, or is of no session.")
        at = self._scribe.time(_time(message, "created"))
        about = self._scribe.about(SessionId(session), at)
        agent = name_of(message, "agent") or name_of(message, "mode")
        return MessageId(name), about | ({"agent": agent} if agent else {})

    def _user(self, message: Mapping[str, Any], parts: Sequence[Mapping[str, Any]]) -> list[Event]:
        name, about = self._about(message)
        text = _text(parts)  # what the client adds by itself was typed by nobody
        if not text:
            return []
        origin = Origin.SUBAGENT if self._is_child else Origin.USER
        # Nothing tells whether it was `opencode run`; who types puts no whole message between quotes.
        return [Prompt(message=name, text=unwrapped(text), origin=origin, **about)]

    def _assistant(self, message: Mapping[str, Any], parts: Sequence[Mapping[str, Any]]) -> list[Event]:
        name, about = self._about(message)
        text = _text(parts)
        if message.get("summary") is True:
            return [Compacted(summary=text, **about)]
        found: list[Event] = []
        if text:
            found.append(Reply(message=name, text=text, final=message.get("finish") == "stop", **about))
        return [*found, *(event for part in parts for event in self._tool(part, name, about))]

    def _tool(self, part: Mapping[str, Any], message: MessageId, about: dict[str, Any]) -> Iterator[Event]:
        state = part.get("state")
        if part.get("type") != "tool" or not isinstance(state, Mapping):
            return
        status = state.get("status")
        if status not in ("completed", "error"):  # it never ended
            return
        at = self._scribe.time(_time(state, "end"))
        given = state.get("input")
        failed = status == "error" or _exit(state) != 0
        output = state.get("error") if status == "error" else state.get("output")
        yield done(
            str(part.get("tool")),
            with_answers_of_opencode(dict(given) if isinstance(given, Mapping) else {}, state.get("metadata")),
            output if isinstance(output, str) else "",
            failed=failed,
            call=name_of(part, "callID"),
            about=about | {"at": at} | ({"message": message} if failed else {}),
        )


def _text(parts: Sequence[Mapping[str, Any]]) -> str:
    texts = [
        said_in(part.get("text"))
        for part in parts
        if part.get("type") == "text" and not part.get("synthetic") and not part.get("ignored")
    ]
    return "\n".join(filter(None, (text.strip() for text in texts)))


def _time(info: Mapping[str, Any], name: str) -> object:
    times = info.get("time")
    return times.get(name) if isinstance(times, Mapping) else None


def _exit(state: Mapping[str, Any]) -> int:
    metadata = state.get("metadata")
    code = metadata.get("exit") if isinstance(metadata, Mapping) else None
    return code if isinstance(code, int) else 0
