"""Scripts, and agents with nothing but command hooks: an event as `pipe` takes it, a block back. Pure.

A JSON object in, a frozen event out, with an error that names the field. Fields that no event of its type has are left
alone: whoever forwards what a host says need not know which they are.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar

from recollect.domain.errors import InvalidValue, PayloadError
from recollect.domain.event import (
    Asked,
    Carriers,
    Compacted,
    Compacting,
    Event,
    Prompt,
    Reply,
    SessionDeleted,
    SessionEnded,
    SessionStarted,
    StartSource,
    ToolFailed,
    ToolSucceeded,
)
from recollect.domain.injection import Injection
from recollect.domain.learning import Origin
from recollect.domain.memory import Kind, MemoryId, MessageId, ProjectId, Scope, SessionId, parse_kind
from recollect.domain.session import Note, Summary
from recollect.privacy.secrets import redact
from recollect.text import json_fields as read
from recollect.text.block import visible
from recollect.text.json_fields import Fields

Value = TypeVar("Value")
NAME = "script"
MAX_WINDOW_TOKENS = 1_000_000_000
SUMMARY_TEXTS = ("asked", "later", "ended")
SUMMARY_LISTS = ("done", "decided", "files", "open")


def is_waited_for(payload: Mapping[str, Any]) -> bool:
    """Whether a person waits for the answer."""
    return payload.get("type") in ("prompt", "session_started")


def normalise(payload: Mapping[str, Any], now: datetime) -> Event:
    return replace(event_of(payload, now, host=NAME), offered=True)


def render(injection: Injection) -> dict[str, Any]:
    """Nothing to say is an empty object, of which the hook prints nothing at all."""
    besides: dict[str, Any] = {"notice": injection.notice} if injection.notice else {}  # for the person
    if not injection.kept:
        besides["kept"] = False  # it waits in memory for a disk that takes nothing
    if not injection.block:
        return besides
    return {
        "block": injection.block,
        "tokens": injection.tokens,
        "ids": list(injection.ids),
        "placement": injection.placement,
        **besides,
    }


def event_of(fields: Fields, now: datetime, *, host: str = "pipe") -> Event:
    """`time` sets the clock for it; else it is `now`."""
    kind = fields.get("type")
    if kind is None:
        raise PayloadError(f"An event has a `type`; known are {', '.join(TYPES)}.")
    if not isinstance(kind, str) or kind not in TYPES:
        raise PayloadError(f"There is no event type {kind!r}; known are {', '.join(TYPES)}.")
    project, parent = read.optional_text(fields, "project"), read.optional_text(fields, "parent")
    return TYPES[kind](
        fields,
        {
            "session": SessionId(read.text(fields, "session")),
            "at": read.time_or_none(fields, "time") or now,
            "host": host,
            "folder": read.optional_text(fields, "folder"),
            "project": ProjectId(project) if project else None,
            "language": read.optional_text(fields, "language"),
            "agent": read.optional_text(fields, "agent"),
            "parent": SessionId(parent) if parent else None,
            "window_tokens": _tokens(fields, "window_tokens"),
            "headless": read.flag(fields, "headless", False),
        },
    )


def _started(fields: Fields, about: dict[str, Any]) -> Event:
    return SessionStarted(
        source=_source(fields),
        task=read.optional_text(fields, "task"),
        copied=_copied(fields),
        recalls=read.flag(fields, "recalls", True),
        captures=read.flag(fields, "captures", True),
        **about,
    )


def _prompt(fields: Fields, about: dict[str, Any]) -> Event:
    return Prompt(
        message=MessageId(read.text(fields, "message")),
        text=read.any_text(fields, "text"),
        live=_live(fields),
        origin=_origin(fields),
        files=read.texts(fields, "files"),
        **about,
    )


def _reply(fields: Fields, about: dict[str, Any]) -> Event:
    final = read.flag(fields, "final", False)
    return Reply(
        message=MessageId(read.text(fields, "message")), text=read.any_text(fields, "text"), final=final, **about
    )


def _succeeded(fields: Fields, about: dict[str, Any]) -> Event:
    output = read.any_text(fields, "output") if "output" in fields else ""
    return ToolSucceeded(
        tool=read.text(fields, "tool"),
        input=read.section(fields, "input"),
        output=output,
        call=read.optional_text(fields, "call"),
        **about,
    )


def _failed(fields: Fields, about: dict[str, Any]) -> Event:
    message = read.optional_text(fields, "message")
    return ToolFailed(
        tool=read.text(fields, "tool"),
        input=read.section(fields, "input"),
        error=read.any_text(fields, "error"),
        message=MessageId(message) if message else None,
        call=read.optional_text(fields, "call"),
        live=_live(fields),
        **about,
    )


def _ended(fields: Fields, about: dict[str, Any]) -> Event:
    return SessionEnded(notes=_notes(fields), summary=_summary(read.section(fields, "summary")), **about)


def _asked(fields: Fields, about: dict[str, Any]) -> Event:
    wanted, scope = read.optional_text(fields, "id"), read.optional_text(fields, "scope")
    return Asked(
        query=read.optional_text(fields, "query") or "",
        id=MemoryId(wanted) if wanted else None,
        kinds=_kinds(fields),
        scope=_naming("scope", Scope.parse, scope) if scope else None,
        budget_tokens=_tokens(fields, "budget_tokens"),
        live=_live(fields),
        **about,
    )


TYPES: Mapping[str, Callable[[Fields, dict[str, Any]], Event]] = {
    "session_started": _started,
    "prompt": _prompt,
    "reply": _reply,
    "tool_succeeded": _succeeded,
    "tool_failed": _failed,
    "compacting": lambda _, about: Compacting(**about),
    "compacted": lambda fields, about: Compacted(summary=read.optional_text(fields, "summary") or "", **about),
    "session_ended": _ended,
    "session_deleted": lambda _, about: SessionDeleted(**about),
    "asked": _asked,
}


def _source(fields: Fields) -> StartSource:
    value = read.optional_text(fields, "source") or StartSource.STARTUP
    if value not in list(StartSource):
        raise PayloadError(f"There is no start source {value!r}; `source` is one of {', '.join(StartSource)}.")
    return StartSource(value)


def _origin(fields: Fields) -> Origin:
    value = read.optional_text(fields, "origin") or Origin.USER
    if value not in list(Origin):
        raise PayloadError(f"There is no origin {value!r}; `origin` is one of {', '.join(Origin)}.")
    return Origin(value)


def _copied(fields: Fields) -> dict[MessageId, MessageId]:
    given = read.section(fields, "copied")
    if not all(isinstance(own, str) and own for own in given.values()):
        raise PayloadError("`copied` is an object: the parent's message id, and the id that it has in the fork.")
    return {MessageId(parents): MessageId(own) for parents, own in given.items()}


def _live(fields: Fields) -> Carriers:
    """None: nobody knows."""
    given = fields.get("live")
    if given is None:
        return None
    if not isinstance(given, list) or not all(one is None or (isinstance(one, str) and one) for one in given):
        raise PayloadError("`live` is a list of message ids; null among them is the stable block.")
    return tuple(None if one is None else MessageId(one) for one in given)


def _kinds(fields: Fields) -> frozenset[Kind]:
    return frozenset(_naming("kinds", parse_kind, name) for name in read.texts(fields, "kinds"))


def _notes(fields: Fields) -> tuple[Note, ...]:
    return tuple(_naming("notes", Note.parse, _one_line(line)) for line in read.texts(fields, "notes"))


def _one_line(text: str) -> str:
    """Without its secrets, of which some are told by their lines."""
    return visible(redact(text).text)


def _summary(fields: Fields) -> Summary:
    try:
        lists = {name: tuple(map(_one_line, read.texts(fields, name))) for name in SUMMARY_LISTS}
        texts = {name: _one_line(read.optional_text(fields, name) or "") for name in SUMMARY_TEXTS}
        return Summary.from_parts({**texts, **lists})
    except (PayloadError, InvalidValue) as error:
        raise PayloadError(f"`summary`: {error}") from None


def _tokens(fields: Fields, name: str) -> int | None:
    return None if fields.get(name) is None else read.whole_number(fields, name, 1, least=1, most=MAX_WINDOW_TOKENS)


def _naming(name: str, reads: Callable[[str], Value], value: str) -> Value:
    try:
        return reads(value)
    except InvalidValue as error:
        raise PayloadError(f"`{name}`: {error}") from None
