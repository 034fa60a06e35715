"""A memory as a JSON object and back: one form for `pipe`, `import`, `export` and `--json`."""

from collections.abc import Callable
from dataclasses import MISSING
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Any, assert_never

from recollect.domain.codec import FieldType, Shape, field_types, json_encoder
from recollect.domain.errors import PayloadError
from recollect.domain.freshness import NOT_CHECKED, FileState, Freshness, SeenFile
from recollect.domain.memory import (
    FIELD_ORDER,
    UNIVERSAL,
    Draft,
    Kind,
    Memory,
    Mention,
    ProjectId,
    Role,
    Scope,
    Source,
    parse_kind,
)
from recollect.text import json_fields as read
from recollect.text.json_fields import Fields

Reader = Callable[[Fields], Any]
# A forgotten memory is in no file. The time at which it was forgotten is for the daemon and its clients only.
RECORD_FIELDS = [one.name for one in field_types(Memory, FIELD_ORDER) if one.name != "forgotten_at"]
DRAFT_FIELDS = (*RECORD_FIELDS, "project", "time")
_PARTS = [part for part in field_types(Draft) if part.shape is Shape.RECORD]
_PART_FIELDS = {part.name: {one.name for one in field_types(part.kind)} for part in _PARTS}
LEAST = {"seen": 1, "rules": 1, "feedback": -int(read.MAX_NUMBER)}  # of other whole numbers it is 0

record_of = json_encoder(Memory, RECORD_FIELDS)  # every field: a file of records is a complete backup


def record_with_freshness(memory: Memory, freshness: Freshness | None) -> dict[str, Any]:
    """Add the state of the memory's files. freshness=None: the files could not be checked."""
    seen = freshness or NOT_CHECKED
    files = seen.files or tuple(SeenFile(anchor.path, FileState.UNKNOWN) for anchor in memory.anchors)
    record = record_of(memory)
    anchors = [{**anchor, **_state(file)} for anchor, file in zip(record["anchors"], files, strict=True)]
    return {**record, "anchors": anchors, "stale": seen.is_stale}


def _state(file: SeenFile) -> dict[str, str]:
    moved = {} if file.moved_to is None else {"moved_to": file.moved_to}
    return {"state": file.state.value, **moved}


def draft_of(record: Fields, *, now: datetime, project: ProjectId | None, source: Source) -> Draft:
    """`project` and `source` are the defaults for records that do not name them."""
    _refuse_misspelt(record)
    return Draft(
        **_read_draft(record),
        kind=_kind(record),
        scope=_scope(record, project),
        at=read.time_or_none(record, "created_at") or read.time_or_none(record, "time") or now,
        source=_source(read.section(record, "source"), source),
        mentions=_mentions(record, source),
    )


def unknown_fields(record: Fields) -> list[str]:
    """Return the names of unknown fields, also of its parts: `colour`, `source.branch`."""
    found = [name for name in record if name not in DRAFT_FIELDS]
    for part, known in _PART_FIELDS.items():
        entries = record.get(part)
        for entry in entries if isinstance(entries, list) else [entries]:
            if isinstance(entry, dict) and not entry.keys() <= known:
                found += [f"{part}.{name}" for name in entry if name not in known]
    return list(dict.fromkeys(found))


def _scope(record: Fields, default: ProjectId | None) -> Scope:
    scope = read.optional_text(record, "scope")
    if scope:
        return Scope.parse(scope)
    project = read.optional_text(record, "project") or default
    return Scope.project(ProjectId(project)) if project else UNIVERSAL


def _refuse_misspelt(record: Fields) -> None:
    """A misspelt `sensitivity` would silently make a restricted memory visible."""
    unknown = unknown_fields(record)
    if not unknown:
        return
    from difflib import get_close_matches  # only for errors: start-up stays quick

    for name in unknown:
        part, _, own = name.rpartition(".")
        near = get_close_matches(own, _PART_FIELDS.get(part, DRAFT_FIELDS), n=1, cutoff=0.8)
        if near:
            raise PayloadError(f"There is no field {name!r}; did you mean {near[0]!r}?")


def _kind(record: Fields) -> Kind:
    return parse_kind(read.optional_text(record, "kind") or Kind.DECISION)


def _source(given: Fields, default: Source) -> Source:
    return Source(**_read_source(given), role=_role(given, default)) if given else default


def _role(given: Fields, default: Source) -> Role:
    role: Role = _choice(given, "role", Role, default.role)
    return role


def _mentions(record: Fields, default: Source) -> tuple[Mention, ...]:
    found = []
    for mention in _objects(record, "mentions", "`at`, `role` and the other fields of a source"):
        at = read.time_or_none(mention, "at")
        if at is None:
            raise PayloadError("An entry of `mentions` has no `at`.")
        found.append(Mention(**_read_mention(mention), role=_role(mention, default), at=at))
    return tuple(found)


def _objects(record: Fields, name: str, having: str) -> list[dict[str, Any]]:
    given = record.get(name)
    if given is None:
        return []
    if not isinstance(given, list) or not all(isinstance(entry, dict) for entry in given):
        raise PayloadError(f"`{name}` must be a list of objects with {having}.")
    return given


def _choice(record: Fields, name: str, choices: type[StrEnum], default: Any) -> Any:
    value = read.text(record, name) if default is MISSING else read.optional_text(record, name) or default
    if value not in list(choices):
        known = " or ".join(choices) if len(choices) == 2 else f"one of {', '.join(choices)}"
        raise PayloadError(f"There is no {name} {value!r}; use {known}.")
    return choices(value)


def record_reader(record: type, left_out: tuple[str, ...] = ()) -> Callable[[Fields], dict[str, Any]]:
    """Return a function from a JSON object to the arguments of the record."""
    types = [one for one in field_types(record, FIELD_ORDER) if one.name not in left_out]
    readers = [(one.name, _list_reader(one) if one.is_list else _reader(one)) for one in types]
    return lambda given: {name: read_field(given) for name, read_field in readers}


def _list_reader(of: FieldType) -> Reader:
    if of.shape is Shape.TEXT:
        return partial(read.texts, name=of.name)
    if of.shape is Shape.RECORD:
        arguments = record_reader(of.kind)
        *others, last = [f"`{one.name}`" for one in field_types(of.kind)]
        having = f"{', '.join(others)} and {last}"
        return lambda record: tuple(of.kind(**arguments(entry)) for entry in _objects(record, of.name, having))
    read_item = _reader(of._replace(is_list=False, default=MISSING))
    return lambda record: tuple(read_item({of.name: item}) for item in _items(record, of.name))


def _items(record: Fields, name: str) -> list[Any]:
    given = record.get(name)
    if given is not None and not isinstance(given, list):
        raise PayloadError(f"`{name}` must be a list.")
    return given or []


def _reader(of: FieldType) -> Reader:
    """Return the reader of a field, which raises an error that names it."""
    name, default = of.name, of.default
    read_value = _value_reader(of)

    def read_field(record: Fields) -> Any:
        if name not in record and default is not MISSING:
            return default
        if of.is_optional and record.get(name) is None:
            return None
        value = read_value(record)
        if value is None and not of.is_optional:
            value = default
        if value is MISSING:
            raise PayloadError(f"`{name}` is missing.")
        return value

    return read_field


def _value_reader(of: FieldType) -> Reader:
    name, default = of.name, of.default
    match of.shape:
        case Shape.TEXT:
            return partial(read.text if default is MISSING else read.optional_text, name=name)
        case Shape.NUMBER:
            return partial(read.number, name=name, default=default)
        case Shape.WHOLE_NUMBER:
            return partial(read.whole_number, name=name, default=default, least=LEAST.get(name, 0))
        case Shape.FLAG:
            return partial(read.flag, name=name, default=default)
        case Shape.TIME:
            return partial(read.time_or_none, name=name)
        case Shape.CHOICE:
            return partial(_choice, name=name, choices=of.kind, default=default)
        case Shape.PARSED:
            return lambda record: of.kind.parse(read.text(record, name))
        case Shape.RECORD:
            arguments = record_reader(of.kind)
            return lambda record: of.kind(**arguments(read.section(record, name)))
        case Shape.OBJECT:
            return partial(read.section, name=name)
        case _ as never:
            assert_never(never)


_read_source = record_reader(Source, ("role",))
_read_mention = record_reader(Mention, ("role", "at"))
_read_draft = record_reader(Draft, ("kind", "scope", "at", "source", "mentions"))  # these have rules of their own
