"""Reads the requests of `pipe`: JSON in, domain values out, with an error that names the field."""

from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Any

from recollect.api.operation import check_limit
from recollect.api.recall import MOST
from recollect.cli.formats.memory_json import draft_of
from recollect.domain.errors import InvalidValue, PayloadError, describe_unknown
from recollect.domain.event import Event, Prompt, Reply, ToolSucceeded
from recollect.domain.memory import Draft, MessageId, ProjectId, Role, SessionId, Source, check_name
from recollect.domain.search import Filters, check_query
from recollect.domain.session import Turn
from recollect.text import json_fields as read
from recollect.text.filters import NAMES, read_filters
from recollect.text.json_fields import Fields

FILTERS = (*NAMES, "language")
SEARCH_FIELDS = ("op", "query", "k", "project", "in", "filters", "language", "folder", "time")
PLACES = ("memories", "archive", "all")
LOADED = "loaded"  # session of messages that name no session
HEARD = "heard"  # session of messages that are not stored
SPEAKERS = (Role.USER, Role.ASSISTANT, Role.TOOL)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    query: str
    limit: int | None  # None: the usual number, or all if the query asks for all of something
    project: ProjectId | None
    language: str | None
    place: str  # one of PLACES
    filters: Filters
    folder: str | None  # of the project's files
    at: datetime


def read_drafts(request: Fields, now: datetime) -> list[Draft]:
    project, source = _project(request), Source(role=Role.USER, host="pipe")
    return [draft_of(memory, now=now, project=project, source=source) for memory in _objects(request, "memories")]


def read_turns(request: Fields, now: datetime) -> list[Turn]:
    found = []
    for message in _objects(request, "messages"):
        role = _role(message, tuple(Role))
        found.append(
            Turn(
                session=SessionId(read.name_or_number(message, "session") or _session_of_project(request)),
                message=MessageId(read.text(message, "id")),
                project=_project(request),
                role=role,
                text=read.any_text(message, "text"),
                at=read.time_or_none(message, "time") or _now(request, now),
            )
        )
    return found


def read_events(request: Fields, now: datetime) -> list[Event]:
    project, default_time = _project(request), _now(request, now)
    found: list[Event] = []
    for message in _objects(request, "messages"):
        about: dict[str, Any] = {
            "session": SessionId(HEARD),
            "project": project,
            "at": read.time_or_none(message, "time") or default_time,
            "host": "pipe",
        }
        found.append(_event(message, about))
    return found


def _event(message: Fields, about: dict[str, Any]) -> Event:
    role = _role(message, SPEAKERS)
    id_, text = MessageId(read.text(message, "id")), read.any_text(message, "text")
    try:
        if role is Role.USER:
            return Prompt(message=id_, text=text, **about)
        if role is Role.ASSISTANT:
            return Reply(message=id_, text=text, **about)
        return ToolSucceeded(tool=read.optional_text(message, "tool") or "tool", output=text, **about)
    except InvalidValue as error:
        raise PayloadError(f"The message {id_!r} cannot be used. {error}") from None


def _role(message: Fields, allowed: tuple[Role, ...]) -> Role:
    role = read.optional_text(message, "role") or Role.USER
    if role not in allowed:
        raise PayloadError(f"There is no role {role!r} here; use one of {', '.join(allowed)}.")
    return Role(role)


def _session_of_project(request: Fields) -> str:
    """One session per project: the same message id in another project is another message."""
    project = str(_project(request) or "").encode("utf-8", "replace")
    return f"{LOADED}:{blake2b(project, digest_size=8).hexdigest()}"


def read_search(request: Fields, now: datetime) -> SearchRequest:
    for name in request:
        if name not in SEARCH_FIELDS:
            raise PayloadError(f"`search` has no field `{name}`; use {', '.join(SEARCH_FIELDS)}.")
    place = request.get("in", "memories")
    if place not in PLACES:
        raise PayloadError(f"`in` cannot be {place!r}; use one of {', '.join(PLACES)}.")
    given = read.section(request, "filters")
    for name in given:
        if name not in FILTERS:
            raise PayloadError(describe_unknown("filter", name, FILTERS))
    filters = read_filters(given)
    if place == "archive":
        filters.check_for_turns()
    limit, query = read.optional_number(request, "k"), read.any_text(request, "query")
    check_limit(limit, MOST)
    check_query(query)
    return SearchRequest(
        query=query,
        limit=limit,
        project=_project(request),
        language=(read.optional_text(given, "language") or "").lower() or filters.language,
        place="memories" if filters.are_about_memories else place,  # only memories can be the answer
        filters=filters,
        folder=read.optional_text(request, "folder"),
        at=_now(request, now),
    )


def _objects(request: Fields, name: str) -> list[dict[str, Any]]:
    value = request.get(name)
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise PayloadError(f"`{name}` must be a list of objects.")
    return value


def _project(fields: Fields) -> ProjectId | None:
    value = read.optional_text(fields, "project")
    if value:
        check_name(value, "project")
    return ProjectId(value) if value else None


def _now(fields: Fields, now: datetime) -> datetime:
    """`time` sets the clock for a request."""
    return read.time_or_none(fields, "time") or now
