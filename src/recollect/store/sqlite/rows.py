"""Values to rows and back. Every row with a user's or agent's words has a hash, so that damage on the disk is noticed."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import lru_cache
from hashlib import blake2b
from operator import attrgetter, itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar, assert_never

from recollect.domain.codec import FieldType, Shape, field_types
from recollect.domain.errors import InvalidValue, StoreDamaged
from recollect.domain.injection import Injection, LogEntry, Moment, Placement, QuietReason
from recollect.domain.learning import Origin
from recollect.domain.memory import (
    FIELD_ORDER,
    NEVER_USED,
    Anchor,
    Draft,
    Memory,
    Mention,
    MessageId,
    ProjectId,
    Role,
    SessionId,
    Source,
    Usage,
)
from recollect.domain.session import Note, NoteCode, Recap, Session, Summary, Turn, default_origin
from recollect.privacy.visibility import reach_of
from recollect.store.sqlite import reasons

START_BLOCK = MessageId("")  # the name of the start block in the log, where others have a message
LAST_CHARACTER = "\U0010ffff"  # no id contains it: it is not printable
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)

# The defaults of the columns in `Hashed.unnamed`, for ever: in these columns a value that equals any of them is not
# hashed.
_OLD_DEFAULTS = (None, "", "[]", "confirmed", 1.0)


class Hashed(NamedTuple):
    """The columns that the hash of a row covers: all content. Counters and derived columns may change without it.
    Columns that were added later are covered only where they differ from their default: older rows keep their hash."""

    original: tuple[str, ...]  # of the first version, in its order, which never changes
    unnamed: tuple[str, ...] = ()  # a closed list: hashed by value only
    later: Mapping[str, object] = MappingProxyType({})  # all others, hashed by name and value, with their defaults


TURN_HASHED = Hashed(("session", "message", "project", "role", "text", "at_ms"), ("origin",))
RECAP_HASHED = Hashed(("session", "project", "at_ms", "notes", "summary"))
INJECTION_HASHED = Hashed(
    ("session", "message", "context", "placement", "block", "tokens", "ids", "considered", "at_ms"),
    ("call", "corrected"),
)


class DamagedRow(StoreDamaged):
    """The row does not match its hash, or cannot be read."""


WRONG_FORM = (InvalidValue, DamagedRow, ValueError, TypeError, AttributeError)  # raised for a value of a wrong form


def to_ms(moment: datetime) -> int:
    return (moment - _EPOCH) // _MS


def from_ms(ms: int) -> datetime:
    try:
        return _EPOCH + ms * _MS
    except (OverflowError, TypeError) as error:
        raise DamagedRow(f"A time in the database is damaged ({ms!r}). `recollect doctor` shows where.") from error


def row_hash(row: Mapping[str, Any] | sqlite3.Row, hashed: Hashed) -> str:
    values = list(map(row.__getitem__, hashed.original))
    names = row.keys()  # a row of SQLite has no `in`, and builds a new list on every call
    for name in hashed.unnamed:
        if name in names and row[name] not in _OLD_DEFAULTS:
            values.append(row[name])  # noqa: PERF401
    for name, default in hashed.later.items():
        if name in names and repr(row[name]) != repr(default):  # 1, 1.0 and True are equal
            values.append((name, row[name]))
    return blake2b(repr(values).encode("utf-8", "backslashreplace"), digest_size=8).hexdigest()


def is_sound(row: Mapping[str, Any] | sqlite3.Row, hashed: Hashed) -> bool:
    """Check the hash. An empty one passes: an older version that still runs writes none."""
    return row["hash"] in ("", row_hash(row, hashed))


_to_json = json.JSONEncoder(ensure_ascii=False).encode  # `json.dumps` would build an encoder for every list


def dump_list(values: Iterable[object]) -> str:
    items = list(values)
    return _to_json(items) if items else "[]"


def parse_list(stored: str) -> list[Any]:
    return [] if stored == "[]" else list(json.loads(stored))


def content_key(value: Draft | Memory) -> str:
    words = " ".join(value.text.casefold().split())
    return blake2b(f"{value.scope}\n{value.kind}\n{words}".encode(), digest_size=16).hexdigest()


Convert = Callable[[Any], Any] | None  # None: the value stays as it is
Read = Callable[[Any], tuple[Any, ...]]
Value = TypeVar("Value")


class Column(NamedTuple):
    """A column. Its name and form follow from the name and type of the field."""

    name: str
    part: str | None  # the field of the record that has this one, if it is flattened: `source` or `use`
    field: str
    is_optional: bool
    encode: Convert  # never called with None, which is NULL, or with (), which is "[]"
    decode: Convert
    default: object  # MISSING: the first version had the column


def _columns_of(record: type, part: str | None = None) -> Iterator[Column]:
    for one in field_types(record, FIELD_ORDER):
        if one.kind in (Source, Usage):
            yield from _columns_of(one.kind, one.name)
            continue
        encode, decode = _list_forms(one) if one.is_list else _forms(one)
        name = f"{one.name.removesuffix('_at')}_ms" if one.shape is Shape.TIME and not one.is_list else one.name
        default = one.default if one.default in (None, MISSING) or encode is None else encode(one.default)
        yield Column(name, part, one.name, one.is_optional, encode, decode, default)


def _forms(of: FieldType) -> tuple[Convert, Convert]:
    """Return how one value is written and read, in a column or in a list."""
    match of.shape:
        case Shape.TEXT | Shape.WHOLE_NUMBER:
            return None, None
        case Shape.NUMBER:
            return _positive_zero, None
        case Shape.FLAG:
            return int, bool
        case Shape.TIME:
            return to_ms, from_ms
        case Shape.CHOICE:
            return str, _Members({member.value: member for member in of.kind}).__getitem__
        case Shape.PARSED:
            return str, lru_cache(maxsize=1024)(of.kind.parse)  # the same few scopes, in every row of every answer
        case Shape.RECORD if of.is_list:
            return _item_forms(of.kind)
        case Shape.RECORD | Shape.OBJECT:
            raise TypeError(f"The field {of.name!r} has no form in a row.")
        case _ as never:
            assert_never(never)


def _positive_zero(value: float) -> float:
    """Turn -0.0 into 0.0, as SQLite does: the hash must be that of the value which is read back."""
    return float(value) + 0.0


class _Members(dict[str, Enum]):
    """The members of an enum by value: several times faster than a call of the enum."""

    def __missing__(self, value: str) -> Enum:
        raise ValueError(f"{value!r} is not known")


def _list_forms(of: FieldType) -> tuple[Convert, Convert]:
    encode, decode = _forms(of)

    def parse(stored: str) -> tuple[Any, ...]:
        if stored == "[]":  # as almost always
            return ()
        return tuple(json.loads(stored) if decode is None else map(decode, json.loads(stored)))

    return dump_list if encode is None else lambda values: dump_list(map(encode, values)), parse


# A record in a list is a list of these columns, in an order that never changes. An object with its later columns follows
# if one of them differs from its default: `["src/a.py", "ab12", {"line": 3}]`.
_FIRST_IN_LIST: dict[type, tuple[str, ...]] = {
    Anchor: ("path", "hash"),
    Mention: ("at_ms", "role", "host", "session", "message", "agent"),
}


def _item_forms(record: type) -> tuple[Callable[[Any], list[Any]], Callable[[Any], Any]]:
    """Return how a record in a list is written and read."""
    first = _FIRST_IN_LIST[record]
    columns = {column.name: column for column in _columns_of(record)}
    later = {name: column.default for name, column in columns.items() if name not in first}
    ordered = [columns[name] for name in (*first, *later)]
    encoders, values_of = _encoders(ordered)
    decoders, _ = _decoders(ordered)
    defaults = list(_default_row(ordered).values())

    writers = [(place, write) for place, (_, write) in enumerate(encoders) if write is not None]

    def encode(value: Any) -> list[Any]:
        item = list(values_of(value))
        for place, write in writers:
            if item[place] is not None:
                item[place] = write(item[place])
        if not later:
            return item
        added = {name: part for name, part in zip(later, item[len(first) :], strict=True) if part != later[name]}
        return [*item[: len(first)], added] if added else item[: len(first)]

    def decode(item: object) -> Any:
        if not isinstance(item, list):
            raise ValueError(f"an entry of the list is no {record.__name__}")
        if len(item) > len(first):
            added = item[len(first)]
            item = [*item[: len(first)], *(added.get(name, default) for name, default in later.items())]
        elif len(item) < len(defaults):
            item = [*item, *defaults[len(item) :]]
        return record(**_decode(decoders, item))

    return encode, decode


def _encoders(columns: Sequence[Column]) -> tuple[list[tuple[str, Convert]], Read]:
    """Return the encoder of each column, and a function that reads their values from a record."""
    paths = (one.field if one.part is None else f"{one.part}.{one.field}" for one in columns)
    return [(one.name, one.encode) for one in columns], attrgetter(*paths)


def _decoders(columns: Sequence[Column]) -> tuple[list[tuple[str, Convert, bool]], Read]:
    """Return the decoder of each field, whether it may be None, and a function that reads their values from a row."""
    return [(one.field, one.decode, one.is_optional) for one in columns], itemgetter(*(one.name for one in columns))


def _default_row(columns: Sequence[Column]) -> dict[str, Any]:
    """Return the values of columns that a row lacks. Required ones get None, which `_decode` refuses."""
    return {one.name: None if one.default is MISSING else one.default for one in columns}


def _encode(encoders: Iterable[tuple[str, Convert]], values: Iterable[Any]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for (name, encode), value in zip(encoders, values, strict=True):
        if encode is None or value is None:
            row[name] = value
        else:  # a list is almost always empty
            row[name] = "[]" if value == () else encode(value)
    return row


def _decode(decoders: Iterable[tuple[str, Convert, bool]], values: Iterable[Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for (name, decode, is_optional), value in zip(decoders, values, strict=True):
        if value is None:
            if not is_optional:
                raise ValueError(f"`{name}` is missing")
            fields[name] = None
        else:
            fields[name] = value if decode is None else decode(value)
    return fields


def row_codec(record: type[Value]) -> tuple[Callable[[Value], dict[str, Any]], Callable[[Any], Value]]:
    """Return how a record is written to a row and read from it."""
    columns = list(_columns_of(record))
    encoders, values_of = _encoders(columns)
    decoders, read_values = _decoders(columns)
    return (
        lambda value: _encode(encoders, values_of(value)),
        lambda row: record(**_decode(decoders, read_values(row))),
    )


_COLUMNS = sorted(_columns_of(Memory), key=lambda column: column.part == "use")  # counters last
_ENCODERS, _memory_values = _encoders(_COLUMNS)
_OWN, _read_own = _decoders([column for column in _COLUMNS if column.part is None])
_SOURCE, _read_source = _decoders([column for column in _COLUMNS if column.part == "source"])
_USE, _read_use = _decoders([column for column in _COLUMNS if column.part == "use"])
_read_counters = itemgetter(*(name for name, decode, _ in _USE if decode is None))
_DEFAULT_ROW = _default_row(_COLUMNS)

_ORIGINAL_HASHED = (
    *("id", "text", "kind", "scope", "title", "aliases", "sensitivity", "importance", "confidence", "created_ms"),
    *("valid_from_ms", "valid_to_ms", "superseded_by", "seen", "role", "host", "session", "message", "agent"),
    *("evidence", "anchors", "forgotten_ms"),
)
_UNNAMED_HASHED = ("mentions", "flag", "conflicts", "tier", "durability", "rules")
parse_mention: Callable[[list[Any]], Mention] = _item_forms(Mention)[1]
MEMORY_HASHED = Hashed(
    _ORIGINAL_HASHED,
    _UNNAMED_HASHED,
    {
        column.name: column.default
        for column in _COLUMNS
        if column.part != "use" and column.name not in (*_ORIGINAL_HASHED, *_UNNAMED_HASHED)
    },
)


def memory_row(memory: Memory) -> dict[str, object]:
    row = _encode(_ENCODERS, _memory_values(memory))
    reach = reach_of(memory)
    row["reach"] = None if reach is None else reach.value
    row["content_key"] = content_key(memory)
    row["hash"] = row_hash(row, MEMORY_HASHED)
    return row


def memory_of(row: Mapping[str, Any] | sqlite3.Row) -> Memory:
    """Return the memory of a row. Refuses a damaged row, so that it is never shown."""
    if isinstance(row, sqlite3.Row):
        return _memory_from_cache(tuple(row), tuple(row.keys()))
    return _sound_memory(row)


@lru_cache(maxsize=384)
def _memory_from_cache(values: tuple[Any, ...], names: tuple[str, ...]) -> Memory:
    """Cached: a session reads the same rows often, and a memory is immutable."""
    return _sound_memory(dict(zip(names, values, strict=True)))


def _sound_memory(row: Mapping[str, Any]) -> Memory:
    if not is_sound(row, MEMORY_HASHED):
        raise DamagedRow(
            f"The memory {row['id']!r} is damaged on the disk (checksum mismatch). "
            "`recollect doctor --repair` restores it from a backup if there is one."
        )
    return _parse_memory(row)


def current_row(row: Mapping[str, Any]) -> dict[str, object]:
    """Return the row as this version writes it, also from a backup that lacks some columns. Refuses a damaged row."""
    memory = memory_of(row) if "hash" in row else _parse_memory(row)
    return {"n": row["n"], **memory_row(memory)}


def _parse_memory(row: Mapping[str, Any]) -> Memory:
    try:
        fields = _decode(_OWN, _read_own(row))
        fields["source"] = _source_of(_read_source(row))
        fields["use"] = _use_of(row)
        return Memory(**fields)
    except KeyError as error:
        if set(row) >= _DEFAULT_ROW.keys():
            raise DamagedRow(f"The memory {row['id']!r} cannot be read: {error}") from error
        return _parse_memory({**_DEFAULT_ROW, **row})  # the history keeps rows as an older version wrote them
    except WRONG_FORM as error:  # damaged, or written by a less strict version
        raise DamagedRow(f"The memory {row['id']!r} cannot be read: {error}") from error


@lru_cache(maxsize=1024)
def _source_of(values: tuple[Any, ...]) -> Source:
    return Source(**_decode(_SOURCE, values))


def _use_of(row: Mapping[str, Any]) -> Usage:
    if not any(_read_counters(row)):
        return NEVER_USED
    try:
        return Usage(**_decode(_USE, _read_use(row)))
    except (
        InvalidValue,
        DamagedRow,
        TypeError,
        ValueError,
    ):  # no hash covers counters; the memory is worth more than they are
        return NEVER_USED


def memories_of(rows: Iterable[sqlite3.Row]) -> list[Memory]:
    """Return memories without the damaged rows: an empty answer is better than a wrong one. `doctor` lists them."""
    memories = []
    for row in rows:
        with suppress(DamagedRow):
            memories.append(memory_of(row))
    return memories


def log_row(sent: LogEntry) -> dict[str, object]:
    row: dict[str, object] = {
        "session": sent.session,
        "message": sent.message or START_BLOCK,
        "context": sent.context,
        "placement": sent.injection.placement.value,
        "block": sent.injection.block,
        "tokens": sent.injection.tokens,
        "ids": json.dumps(sent.injection.ids),
        "considered": sent.injection.considered,
        "at_ms": to_ms(sent.at),
        "took_ms": sent.took_ms,
        "confirmed": sent.confirmed,
        "call": sent.call,
        "point": sent.point.value,
        "budget": sent.injection.budget_tokens,
        "corrected": dump_list(sent.injection.corrected),
        "quiet": sent.injection.quiet,
        "reasons": reasons.dump(sent.injection.choices, sent.injection.quoted),
    }
    row["hash"] = row_hash(row, INJECTION_HASHED)
    return row


def log_entry(row: sqlite3.Row) -> LogEntry | None:
    """Return None for a damaged row: it counts as missing from the log."""
    if not is_sound(row, INJECTION_HASHED):
        return None
    try:
        choices, quoted = reasons.load(row["reasons"])
        return LogEntry(
            session=SessionId(row["session"]),
            context=row["context"],
            message=MessageId(row["message"]) if row["message"] != START_BLOCK else None,
            injection=Injection(
                placement=Placement(row["placement"]),
                block=row["block"],
                tokens=row["tokens"],
                ids=tuple(json.loads(row["ids"])),
                considered=row["considered"],
                budget_tokens=row["budget"],
                corrected=tuple(parse_list(row["corrected"])),
                quiet=None if row["quiet"] is None else QuietReason(row["quiet"]),
                choices=choices,
                quoted=quoted,
            ),
            at=from_ms(row["at_ms"]),
            took_ms=row["took_ms"],
            call=row["call"],
            point=Moment(row["point"]),
            confirmed=bool(row["confirmed"]),
        )
    except (ValueError, TypeError):  # in columns that no hash covers
        return None


def turn_row(turn: Turn) -> dict[str, object]:
    row: dict[str, object] = {
        "session": turn.session,
        "message": turn.message,
        "project": turn.project,
        "role": turn.role.value,
        "text": turn.text,
        "at_ms": to_ms(turn.at),
        "origin": "" if turn.origin in (None, default_origin(turn.role)) else str(turn.origin),
    }
    row["hash"] = row_hash(row, TURN_HASHED)
    return row


def turn_of(row: sqlite3.Row) -> Turn:
    return Turn(
        session=SessionId(row["session"]),
        message=MessageId(row["message"]),
        project=row["project"],
        role=Role(row["role"]),
        text=row["text"],
        at=from_ms(row["at_ms"]),
        origin=Origin(row["origin"]) if row["origin"] else None,
    )


session_row, _parse_session = row_codec(Session)


def session_of(row: sqlite3.Row) -> Session:
    try:
        return _parse_session(row)
    except WRONG_FORM as error:
        raise DamagedRow(f"The session {row['id']!r} cannot be read: {error}") from error


def recap_row(recap: Recap) -> dict[str, object]:
    row: dict[str, object] = {
        "session": recap.session,
        "project": recap.project,
        "at_ms": to_ms(recap.at),
        "notes": dump_list([note.code.value, note.text] for note in recap.notes),
        "summary": json.dumps({"form": recap.form, **recap.summary.parts}, ensure_ascii=False),
    }
    row["hash"] = row_hash(row, RECAP_HASHED)
    return row


def recap_of(row: Mapping[str, Any] | sqlite3.Row) -> Recap | None:
    """Return None for a damaged row."""
    return _parse_recap(*(row[name] for name in (*RECAP_HASHED.original, "hash")))


@lru_cache(maxsize=2048)  # every prompt reads the recaps of all sessions of its project
def _parse_recap(*values: Any) -> Recap | None:
    row = dict(zip((*RECAP_HASHED.original, "hash"), values, strict=True))
    if not is_sound(row, RECAP_HASHED):
        return None
    summary = json.loads(row["summary"])
    return Recap(
        session=SessionId(row["session"]),
        project=ProjectId(row["project"]),
        at=from_ms(row["at_ms"]),
        notes=tuple(Note(code=NoteCode(code), text=text) for code, text in parse_list(row["notes"])),
        summary=Summary.from_parts(summary),
        form=summary.get("form", 1),
    )
