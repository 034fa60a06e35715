"""Values to rows and back."""

import json
import sqlite3
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from hashlib import blake2b

from recollect.domain.injection import Injection, Placement, Sent, Session
from recollect.domain.memory import (
    Draft,
    Kind,
    Memory,
    MemoryId,
    MessageId,
    ProjectId,
    Role,
    Scope,
    Sensitivity,
    SessionId,
    Source,
)

STABLE = MessageId("")  # the log's name for "not a message: the stable block"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)


def to_ms(moment: datetime) -> int:
    return (moment - _EPOCH) // _MS


def from_ms(ms: int) -> datetime:
    return _EPOCH + ms * _MS


def content_key(value: Draft | Memory) -> str:
    said = " ".join(value.text.casefold().split())
    return blake2b(f"{value.scope}\n{value.kind}\n{said}".encode(), digest_size=16).hexdigest()


def memory_row(memory: Memory) -> Mapping[str, object]:
    return {
        "id": memory.id,
        "text": memory.text,
        "kind": memory.kind,
        "scope": str(memory.scope),
        "title": memory.title,
        "aliases": json.dumps(memory.aliases, ensure_ascii=False),
        "sensitivity": memory.sensitivity,
        "importance": memory.importance,
        "confidence": memory.confidence,
        "created_ms": to_ms(memory.created_at),
        "valid_from_ms": to_ms(memory.valid_from),
        "valid_to_ms": None if memory.valid_to is None else to_ms(memory.valid_to),
        "superseded_by": memory.superseded_by,
        "seen": memory.seen,
        "role": memory.source.role,
        "host": memory.source.host,
        "session": memory.source.session,
        "message": memory.source.message,
        "content_key": content_key(memory),
    }


def memory_of(row: sqlite3.Row) -> Memory:
    return Memory(
        id=MemoryId(row["id"]),
        text=row["text"],
        kind=Kind(row["kind"]),
        scope=Scope.parse(row["scope"]),
        title=row["title"],
        aliases=tuple(json.loads(row["aliases"])),
        sensitivity=Sensitivity(row["sensitivity"]),
        importance=row["importance"],
        confidence=row["confidence"],
        created_at=from_ms(row["created_ms"]),
        valid_from=from_ms(row["valid_from_ms"]),
        valid_to=None if row["valid_to_ms"] is None else from_ms(row["valid_to_ms"]),
        superseded_by=row["superseded_by"],
        seen=row["seen"],
        source=Source(role=Role(row["role"]), host=row["host"], session=row["session"], message=row["message"]),
    )


def session_of(row: sqlite3.Row) -> Session:
    return Session(
        id=SessionId(row["id"]),
        host=row["host"],
        project=None if row["project"] is None else ProjectId(row["project"]),
        language=row["language"],
        started_at=from_ms(row["started_ms"]),
        context=row["context"],
    )


def sent_row(sent: Sent) -> Mapping[str, object]:
    return {
        "session": sent.session,
        "message": sent.message or STABLE,
        "context": sent.context,
        "placement": sent.injection.placement,
        "block": sent.injection.block,
        "tokens": sent.injection.tokens,
        "ids": json.dumps(sent.injection.ids),
        "considered": sent.injection.considered,
        "at_ms": to_ms(sent.at),
        "took_ms": sent.took_ms,
        "confirmed": sent.confirmed,
    }


def sent_of(row: sqlite3.Row) -> Sent:
    return Sent(
        session=SessionId(row["session"]),
        context=row["context"],
        message=MessageId(row["message"]) if row["message"] != STABLE else None,
        injection=Injection(
            placement=Placement(row["placement"]),
            block=row["block"],
            tokens=row["tokens"],
            ids=tuple(json.loads(row["ids"])),
            considered=row["considered"],
        ),
        at=from_ms(row["at_ms"]),
        took_ms=row["took_ms"],
        confirmed=bool(row["confirmed"]),
    )
