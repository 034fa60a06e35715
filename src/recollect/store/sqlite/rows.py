"""Values to rows and back. Every row with a user's or agent's words has a hash, so that damage on the disk is noticed."""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from recollect.domain.errors import InvalidValue, StoreDamaged
from recollect.domain.injection import Injection, LogEntry, Moment, Placement, QuietReason
from recollect.domain.learning import Origin
from recollect.domain.memory import (
    NEVER_USED,
    Anchor,
    Draft,
    Kind,
    Memory,
    MemoryId,
    Mention,
    MessageId,
    ProjectId,
    Role,
    Scope,
    Sensitivity,
    SessionId,
    Source,
    Tier,
    Usage,
)
from recollect.domain.session import Note, NoteCode, Recap, Session, Summary, Turn, default_origin
from recollect.privacy.visibility import reach_of
from recollect.store.sqlite import reasons

FULLY_DURABLE = 1.0  # the durability of a memory that needed no estimate
START_BLOCK = MessageId("")  # the name of the start block in the log, where others have a message
LAST_CHARACTER = "\U0010ffff"  # no id contains it: it is not printable
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)

# The columns that a hash covers: all content. Usage counters and derived columns may change without it.
MEMORY_HASHED = (
    *("id", "text", "kind", "scope", "title", "aliases", "sensitivity", "importance", "confidence", "created_ms"),
    *("valid_from_ms", "valid_to_ms", "superseded_by", "seen", "role", "host", "session", "message", "agent"),
    *("evidence", "anchors", "forgotten_ms"),
)
TURN_HASHED = ("session", "message", "project", "role", "text", "at_ms")
RECAP_HASHED = ("session", "project", "at_ms", "notes", "summary")
INJECTION_HASHED = ("session", "message", "context", "placement", "block", "tokens", "ids", "considered", "at_ms")
# Columns that were added later. The hash covers them only where they differ from the default, so that older rows keep
# their hash.
_ADDED_LATER = ("mentions", "flag", "conflicts", "call", "corrected", "tier", "durability", "origin", "rules")
_DEFAULTS = (None, "", "[]", Tier.CONFIRMED.value, FULLY_DURABLE)
_BEFORE_THESE_COLUMNS = {
    **dict.fromkeys(("agent", "last_shown_ms", "last_used_ms", "forgotten_ms", "flag", "rules")),
    **dict.fromkeys(("evidence", "anchors", "mentions", "conflicts"), "[]"),
    **dict.fromkeys(("shown", "used", "unused", "feedback"), 0),
    "tier": Tier.CONFIRMED.value,
    "durability": FULLY_DURABLE,
}


class DamagedRow(StoreDamaged):
    """The row does not match its hash, or cannot be read."""


def to_ms(moment: datetime) -> int:
    return (moment - _EPOCH) // _MS


def from_ms(ms: int) -> datetime:
    try:
        return _EPOCH + ms * _MS
    except (OverflowError, TypeError) as error:
        raise DamagedRow(f"A time in the database is damaged ({ms!r}). `recollect doctor` shows where.") from error


def ms_or_none(moment: datetime | None) -> int | None:
    return None if moment is None else to_ms(moment)


def from_ms_or_none(ms: int | None) -> datetime | None:
    return None if ms is None else from_ms(ms)


def row_hash(row: Mapping[str, Any] | sqlite3.Row, columns: Iterable[str]) -> str:
    values = [row[name] for name in columns]
    names = row.keys()  # a row of SQLite has no `in`, and builds a new list on every call
    values += [row[name] for name in _ADDED_LATER if name in names and row[name] not in _DEFAULTS]
    return blake2b(repr(values).encode("utf-8", "backslashreplace"), digest_size=8).hexdigest()


def is_sound(row: Mapping[str, Any] | sqlite3.Row, columns: Iterable[str]) -> bool:
    """Check the hash. A running process from the version before hashes writes an empty one, which passes."""
    return row["hash"] in ("", row_hash(row, columns))


def content_key(value: Draft | Memory) -> str:
    words = " ".join(value.text.casefold().split())
    return blake2b(f"{value.scope}\n{value.kind}\n{words}".encode(), digest_size=16).hexdigest()


def memory_row(memory: Memory) -> dict[str, object]:
    reach = reach_of(memory)
    row: dict[str, object] = {
        "id": str(memory.id),
        "text": memory.text,
        "kind": memory.kind.value,
        "scope": str(memory.scope),
        "title": memory.title,
        "aliases": dump_list(memory.aliases),
        "sensitivity": memory.sensitivity.value,
        "importance": float(memory.importance),
        "confidence": float(memory.confidence),
        "created_ms": to_ms(memory.created_at),
        "valid_from_ms": to_ms(memory.valid_from),
        "valid_to_ms": ms_or_none(memory.valid_to),
        "superseded_by": memory.superseded_by,
        "seen": memory.seen,
        "role": memory.source.role.value,
        "host": memory.source.host,
        "session": memory.source.session,
        "message": memory.source.message,
        "agent": memory.source.agent,
        "evidence": dump_list(memory.evidence),
        "anchors": dump_list([[anchor.path, anchor.hash] for anchor in memory.anchors]),
        "mentions": dump_list(_mention_row(mention) for mention in memory.mentions),
        "flag": memory.flag,
        "conflicts": dump_list(memory.conflicts),
        "tier": memory.tier.value,
        "durability": float(memory.durability),
        "rules": memory.rules,
        "forgotten_ms": ms_or_none(memory.forgotten_at),
        "shown": memory.use.shown,
        "used": memory.use.used,
        "unused": memory.use.unused,
        "feedback": memory.use.feedback,
        "last_shown_ms": ms_or_none(memory.use.last_shown_at),
        "last_used_ms": ms_or_none(memory.use.last_used_at),
        "reach": None if reach is None else reach.value,
        "content_key": content_key(memory),
    }
    row["hash"] = row_hash(row, MEMORY_HASHED)
    return row


def memory_of(row: Mapping[str, Any] | sqlite3.Row) -> Memory:
    """Return the memory of a row. Refuses a damaged row, so that it is never shown."""
    if isinstance(row, sqlite3.Row):
        return _memory_from_cache(tuple(row), tuple(row.keys()))
    return _sound_memory(row)


@lru_cache(maxsize=384)
def _memory_from_cache(values: tuple[Any, ...], names: tuple[str, ...]) -> Memory:
    """A session reads the same few rows again and again. A memory is immutable, so the same bytes give the same one."""
    return _sound_memory(dict(zip(names, values, strict=True)))


def _sound_memory(row: Mapping[str, Any]) -> Memory:
    if "rules" not in row:  # the history keeps rows as an older version wrote them
        row = {**_BEFORE_THESE_COLUMNS, **row}
    if not is_sound(row, MEMORY_HASHED):
        raise DamagedRow(
            f"The memory {row['id']!r} is damaged on the disk (checksum mismatch). "
            "`recollect doctor --repair` restores it from a backup if there is one."
        )
    return _parse_memory(row)


def current_row(row: Mapping[str, Any]) -> dict[str, object]:
    """Return the row as this version writes it, also from a backup that lacks some columns. Refuses a damaged row."""
    memory = memory_of(row) if "hash" in row else _parse_memory({**_BEFORE_THESE_COLUMNS, **row})
    return {"n": row["n"], **memory_row(memory)}


def _parse_memory(row: Mapping[str, Any] | sqlite3.Row) -> Memory:
    try:
        return Memory(
            id=MemoryId(row["id"]),
            text=row["text"],
            kind=Kind(row["kind"]),
            scope=_scope_of(row["scope"]),
            title=row["title"],
            aliases=tuple(parse_list(row["aliases"])),
            sensitivity=Sensitivity(row["sensitivity"]),
            importance=row["importance"],
            confidence=row["confidence"],
            created_at=from_ms(row["created_ms"]),
            valid_from=from_ms(row["valid_from_ms"]),
            valid_to=from_ms_or_none(row["valid_to_ms"]),
            superseded_by=row["superseded_by"],
            seen=row["seen"],
            source=_source_of(row["role"], row["host"], row["session"], row["message"], row["agent"]),
            evidence=tuple(parse_list(row["evidence"])),
            anchors=tuple(Anchor(path, known_hash) for path, known_hash in parse_list(row["anchors"])),
            mentions=tuple(map(_mention_of, parse_list(row["mentions"]))),
            flag=row["flag"],
            conflicts=tuple(parse_list(row["conflicts"])),
            tier=Tier(row["tier"]),
            durability=row["durability"],
            rules=row["rules"],
            use=_use_of(row),
            forgotten_at=from_ms_or_none(row["forgotten_ms"]),
        )
    except (InvalidValue, ValueError) as error:  # written like that by a less strict version
        raise DamagedRow(f"The memory {row['id']!r} cannot be read: {error}") from error


_scope_of = lru_cache(maxsize=1024)(Scope.parse)  # the same few values, in every row of every answer


@lru_cache(maxsize=1024)
def _source_of(
    role: str, host: str | None, session: SessionId | None, message: MessageId | None, agent: str | None
) -> Source:
    return Source(role=Role(role), host=host, session=session, message=message, agent=agent)


def _mention_row(mention: Mention) -> list[object]:
    source = mention.source
    return [to_ms(mention.at), source.role.value, source.host, source.session, source.message, source.agent]


def _mention_of(stored: list[Any]) -> Mention:
    at_ms, *source = stored
    return Mention(source=_source_of(*source), at=from_ms(at_ms))


def _use_of(row: Mapping[str, Any] | sqlite3.Row) -> Usage:
    if not any(row[counter] for counter in ("shown", "used", "unused", "feedback")):
        return NEVER_USED
    try:
        return Usage(
            shown=row["shown"],
            used=row["used"],
            unused=row["unused"],
            feedback=row["feedback"],
            last_shown_at=from_ms_or_none(row["last_shown_ms"]),
            last_used_at=from_ms_or_none(row["last_used_ms"]),
        )
    except (InvalidValue, DamagedRow, TypeError):  # no hash covers counters; the memory is worth more than they are
        return NEVER_USED


def dump_list(values: Iterable[object]) -> str:
    items = list(values)
    return json.dumps(items, ensure_ascii=False) if items else "[]"


def parse_list(stored: str) -> list[Any]:
    return [] if stored == "[]" else list(json.loads(stored))  # almost always empty, and read for every hit


def memories_of(rows: Iterable[sqlite3.Row]) -> list[Memory]:
    """Skip damaged rows: an empty answer is better than a wrong one. `doctor` lists them."""
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


def session_of(row: sqlite3.Row) -> Session:
    return Session(
        id=SessionId(row["id"]),
        host=row["host"],
        project=row["project"],
        language=row["language"],
        started_at=from_ms(row["started_ms"]),
        context=row["context"],
        parent=row["parent"],
        forked=bool(row["forked"]),
        recalls=bool(row["recalls"]),
        captures=bool(row["captures"]),
        ended_at=from_ms_or_none(row["ended_ms"]),
    )


def session_row(session: Session) -> dict[str, object]:
    return {
        "id": session.id,
        "host": session.host,
        "project": session.project,
        "language": session.language,
        "started_ms": to_ms(session.started_at),
        "context": session.context,
        "parent": session.parent,
        "forked": session.forked,
        "recalls": session.recalls,
        "captures": session.captures,
        "ended_ms": ms_or_none(session.ended_at),
    }


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
    return _parse_recap(*(row[name] for name in (*RECAP_HASHED, "hash")))


@lru_cache(maxsize=2048)  # every prompt reads the recaps of all sessions of its project
def _parse_recap(*values: Any) -> Recap | None:
    row = dict(zip((*RECAP_HASHED, "hash"), values, strict=True))
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
