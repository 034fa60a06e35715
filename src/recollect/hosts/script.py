"""Scripts, and agents that only have command hooks: an event as `pipe` takes it, a block back. Pure.

A JSON object in, a frozen event out; an error names the field. Fields that the event type does not have are ignored: a
caller may forward everything that a host sends.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar

from recollect.domain import event as events
from recollect.domain.codec import field_types
from recollect.domain.errors import InvalidValue, PayloadError
from recollect.domain.injection import Injection
from recollect.domain.learning import Origin
from recollect.domain.memory import MemoryId, MessageId, ProjectId, SessionId
from recollect.domain.session import Note, Summary
from recollect.privacy.secrets import redact
from recollect.text import json_fields as read
from recollect.text.block import visible
from recollect.text.filters import read_filters
from recollect.text.json_fields import Fields

Value = TypeVar("Value")
Choice = TypeVar("Choice", bound=StrEnum)
NAME = "script"
MAX_WINDOW_TOKENS = 1_000_000_000


def is_waited_for(payload: Mapping[str, Any]) -> bool:
    return payload.get("type") in ("prompt", "session_started")


def normalise(payload: Mapping[str, Any], now: datetime) -> events.Event:
    return replace(event_of(payload, now, host=NAME), offered=True)


def render(injection: Injection) -> dict[str, Any]:
    """With nothing to show this is an empty object, and the hook prints nothing at all."""
    reply: dict[str, Any] = {}
    if injection.block:
        reply = {"block": injection.block, "tokens": injection.tokens, "ids": list(injection.ids)}
        reply["placement"] = injection.placement
    if injection.notice:
        reply["notice"] = injection.notice  # for the user
    if not injection.kept:
        reply["kept"] = False  # the disk is full: the event waits in memory
    return reply


def event_of(fields: Fields, now: datetime, *, host: str = "pipe") -> events.Event:
    """The field `time` sets the time of the event; the default is `now`."""
    kind = fields.get("type")
    if kind is None:
        raise PayloadError(f"An event has a `type`; known are {', '.join(TYPES)}.")
    if not isinstance(kind, str) or kind not in TYPES:
        raise PayloadError(f"There is no event type {kind!r}; known are {', '.join(TYPES)}.")
    project, parent = _optional(fields, "project", ProjectId), _optional(fields, "parent", SessionId)
    return TYPES[kind](
        fields,
        {
            "session": SessionId(read.text(fields, "session")),
            "at": read.time_or_none(fields, "time") or now,
            "host": host,
            "folder": read.optional_text(fields, "folder"),
            "project": project,
            "language": read.optional_text(fields, "language"),
            "agent": read.optional_text(fields, "agent"),
            "parent": parent,
            "window_tokens": _tokens(fields, "window_tokens"),
            "headless": read.flag(fields, "headless", False),
        },
    )


def _session_start(fields: Fields, about: dict[str, Any]) -> events.Event:
    return events.SessionStarted(
        source=parse_choice(fields, "source", events.StartSource, events.StartSource.STARTUP),
        task=read.optional_text(fields, "task"),
        copied=_copies(fields),
        recalls=read.flag(fields, "recalls", True),
        captures=read.flag(fields, "captures", True),
        **about,
    )


def _prompt(fields: Fields, about: dict[str, Any]) -> events.Event:
    return events.Prompt(
        message=MessageId(read.text(fields, "message")),
        text=read.any_text(fields, "text"),
        live=_live(fields),
        origin=parse_choice(fields, "origin", Origin, Origin.USER),
        files=read.texts(fields, "files"),
        **about,
    )


def _reply(fields: Fields, about: dict[str, Any]) -> events.Event:
    final = read.flag(fields, "final", False)
    return events.Reply(
        message=MessageId(read.text(fields, "message")), text=read.any_text(fields, "text"), final=final, **about
    )


def _tool_success(fields: Fields, about: dict[str, Any]) -> events.Event:
    output = read.any_text(fields, "output") if "output" in fields else ""
    return events.ToolSucceeded(
        tool=read.text(fields, "tool"),
        input=read.section(fields, "input"),
        output=output,
        call=read.optional_text(fields, "call"),
        **about,
    )


def _tool_failure(fields: Fields, about: dict[str, Any]) -> events.Event:
    message = _optional(fields, "message", MessageId)
    return events.ToolFailed(
        tool=read.text(fields, "tool"),
        input=read.section(fields, "input"),
        error=read.any_text(fields, "error"),
        message=message,
        call=read.optional_text(fields, "call"),
        live=_live(fields),
        **about,
    )


def _session_end(fields: Fields, about: dict[str, Any]) -> events.Event:
    return events.SessionEnded(notes=_notes(fields), summary=_summary(read.section(fields, "summary")), **about)


def _question(fields: Fields, about: dict[str, Any]) -> events.Event:
    return events.Asked(
        query=read.optional_text(fields, "query") or "",
        id=_optional(fields, "id", MemoryId),
        filters=read_filters({name: value for name, value in fields.items() if value != ""}),  # as an unset variable
        budget_tokens=_tokens(fields, "budget_tokens"),
        live=_live(fields),
        **about,
    )


TYPES: Mapping[str, Callable[[Fields, dict[str, Any]], events.Event]] = {
    "session_started": _session_start,
    "prompt": _prompt,
    "reply": _reply,
    "tool_succeeded": _tool_success,
    "tool_failed": _tool_failure,
    "compacting": lambda _, about: events.Compacting(**about),
    "compacted": lambda fields, about: events.Compacted(summary=read.optional_text(fields, "summary") or "", **about),
    "session_ended": _session_end,
    "session_deleted": lambda _, about: events.SessionDeleted(**about),
    "asked": _question,
}


def parse_choice(fields: Fields, name: str, choices: type[Choice], default: Choice) -> Choice:
    value = read.optional_text(fields, name) or default
    if value not in list(choices):
        raise PayloadError(f"There is no {name} {value!r}; `{name}` is one of {', '.join(choices)}.")
    return choices(value)


def _copies(fields: Fields) -> dict[MessageId, MessageId]:
    copies = read.section(fields, "copied")
    if not all(isinstance(copy, str) and copy for copy in copies.values()):
        raise PayloadError("`copied` is an object that maps each message id of the parent to its id in the fork.")
    return {MessageId(original): MessageId(copy) for original, copy in copies.items()}


def _live(fields: Fields) -> events.Carriers:
    names = fields.get("live")
    if names is None:
        return None
    if not isinstance(names, list) or not all(name is None or (isinstance(name, str) and name) for name in names):
        raise PayloadError("`live` is a list of message ids; null in it is the start block.")
    return tuple(None if name is None else MessageId(name) for name in names)


def _one_line(text: str) -> str:
    """Redact first: some secrets are recognised by their line breaks."""
    return visible(redact(text).text)


def _notes(fields: Fields) -> tuple[Note, ...]:
    try:
        return tuple(Note.parse(_one_line(line)) for line in read.texts(fields, "notes"))
    except InvalidValue as error:
        raise PayloadError(f"`notes`: {error}") from None


def _summary(fields: Fields) -> Summary:
    try:
        parts: dict[str, Any] = {}
        for part in field_types(Summary):
            if part.is_list:
                parts[part.name] = tuple(map(_one_line, read.texts(fields, part.name)))
            elif part.kind is str:
                parts[part.name] = _one_line(read.optional_text(fields, part.name) or "")
        return Summary(**parts)
    except (PayloadError, InvalidValue) as error:
        raise PayloadError(f"`summary`: {error}") from None


def _tokens(fields: Fields, name: str) -> int | None:
    return None if fields.get(name) is None else read.whole_number(fields, name, 1, least=1, most=MAX_WINDOW_TOKENS)


def _optional(fields: Fields, name: str, make: Callable[[str], Value]) -> Value | None:
    text = read.optional_text(fields, name)
    return make(text) if text else None
