"""Reads the requests of `pipe`: JSON in, domain values out, with an error that names the field."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Any

from recollect.domain.errors import PayloadError
from recollect.domain.event import (
    Compacted,
    Compacting,
    Event,
    Prompt,
    Reply,
    SessionEnded,
    SessionStarted,
    StartSource,
    ToolFailed,
    ToolSucceeded,
)
from recollect.domain.memory import (
    UNIVERSAL,
    Draft,
    Kind,
    MemoryId,
    MessageId,
    ProjectId,
    Role,
    Scope,
    Sensitivity,
    SessionId,
    Source,
    parse_kind,
)

Fields = Mapping[str, Any]
MAX_HITS = 1000
MAX_NUMBER = 1e6
DRAFT_FIELDS = (
    *("id", "text", "kind", "scope", "project", "time", "title", "aliases", "sensitivity", "importance"),
    *("confidence", "superseded_by"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    query: str
    limit: int
    project: ProjectId | None
    at: datetime


def drafts(request: Fields, now: datetime) -> list[Draft]:
    memories = request.get("memories")
    if not isinstance(memories, list) or not all(isinstance(memory, dict) for memory in memories):
        raise PayloadError("`memories` is a list of objects.")
    return [_draft(memory, request, now) for memory in memories]


def search(request: Fields, now: datetime) -> Search:
    place = request.get("in", "memories")
    if place not in ("memories", "all"):
        raise PayloadError(f"There is nothing to search in {place!r}; `in` is memories or all.")
    if request.get("filters"):
        raise PayloadError("`filters` are not known yet; leave them out.")
    limit = request.get("k", 10)
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MAX_HITS:
        raise PayloadError(f"`k` is a whole number from 1 to {MAX_HITS}.")
    return Search(query=_text(request, "query"), limit=limit, project=_project(request), at=_time(request, now))


def event(request: Fields, now: datetime) -> Event:
    fields = request.get("event")
    if not isinstance(fields, dict):
        raise PayloadError("`event` is an object.")
    about: dict[str, Any] = {
        "session": SessionId(_text(fields, "session")),
        "at": _time(fields, now),
        "project": _project(fields),
        "language": _optional(fields, "language"),
        "agent": _optional(fields, "agent"),
    }
    kind = fields.get("type")
    match kind:
        case "session_started":
            return SessionStarted(source=_start_source(fields), **about)
        case "prompt":
            return Prompt(message=MessageId(_text(fields, "message")), text=_said(fields, "text"), **about)
        case "reply":
            return Reply(message=MessageId(_text(fields, "message")), text=_said(fields, "text"), **about)
        case "tool_succeeded":
            output = _said(fields, "output") if "output" in fields else ""
            return ToolSucceeded(tool=_text(fields, "tool"), input=_input(fields), output=output, **about)
        case "tool_failed":
            return ToolFailed(tool=_text(fields, "tool"), input=_input(fields), error=_said(fields, "error"), **about)
        case "compacting":
            return Compacting(**about)
        case "compacted":
            return Compacted(**about)
        case "session_ended":
            return SessionEnded(**about)
        case _:
            raise PayloadError(f"There is no event type {kind!r}.")


def _draft(fields: Fields, request: Fields, now: datetime) -> Draft:
    for name in fields:
        # A misspelt `sensitivity` would silently open what was meant to be closed.
        near = get_close_matches(name, DRAFT_FIELDS, n=1, cutoff=0.8)
        if name not in DRAFT_FIELDS and near:
            raise PayloadError(f"There is no field {name!r}; did you mean {near[0]!r}?")
    project = _project(fields) or _project(request)
    scope = _optional(fields, "scope")
    given_id, successor = _optional(fields, "id"), _optional(fields, "superseded_by")
    return Draft(
        id=MemoryId(given_id) if given_id else None,
        text=_text(fields, "text"),
        kind=parse_kind(_optional(fields, "kind") or Kind.DECISION),
        scope=Scope.parse(scope) if scope else Scope.project(project) if project else UNIVERSAL,
        at=_time(fields, now),
        source=Source(role=Role.USER, host="pipe"),
        title=_optional(fields, "title"),
        aliases=_texts(fields, "aliases"),
        sensitivity=_sensitivity(fields),
        importance=_number(fields, "importance", 1.0),
        confidence=_number(fields, "confidence", 1.0),
        superseded_by=MemoryId(successor) if successor else None,
    )


def _text(fields: Fields, name: str) -> str:
    value = _said(fields, name)
    if not value.strip():
        raise PayloadError(f"`{name}` is empty.")
    return value


def _said(fields: Fields, name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise PayloadError(f"`{name}` is missing or not a text.")
    return value


def _optional(fields: Fields, name: str) -> str | None:
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise PayloadError(f"`{name}` is not a text.")
    return value or None


def _texts(fields: Fields, name: str) -> tuple[str, ...]:
    value = fields.get(name) or []
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise PayloadError(f"`{name}` is a list of texts.")
    return tuple(value)


def _number(fields: Fields, name: str, default: float) -> float:
    value = fields.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > MAX_NUMBER:
        raise PayloadError(f"`{name}` is a number.")
    return float(value)


def _input(fields: Fields) -> dict[str, Any]:
    value = fields.get("input") or {}
    if not isinstance(value, dict):
        raise PayloadError("`input` is an object.")
    return value


def _project(fields: Fields) -> ProjectId | None:
    value = _optional(fields, "project")
    return ProjectId(value) if value else None


def _sensitivity(fields: Fields) -> Sensitivity:
    value = _optional(fields, "sensitivity") or Sensitivity.PROJECT
    if value not in list(Sensitivity):
        raise PayloadError(f"There is no sensitivity {value!r}; known are {', '.join(Sensitivity)}.")
    return Sensitivity(value)


def _start_source(fields: Fields) -> StartSource:
    value = _optional(fields, "source") or StartSource.STARTUP
    if value not in list(StartSource):
        raise PayloadError(f"There is no start source {value!r}; known are {', '.join(StartSource)}.")
    return StartSource(value)


def _time(fields: Fields, now: datetime) -> datetime:
    """ISO 8601; a bare date is its beginning; without a time zone it is UTC."""
    value = fields.get("time")
    if value is None:
        return now
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise PayloadError(f"`time` is not an ISO 8601 date or time: {value!r}.") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
