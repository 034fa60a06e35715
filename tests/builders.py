"""Builders that state only what matters to a test."""

from datetime import UTC, datetime, timedelta
from typing import Any

from recollect.domain.event import (
    Asked,
    Compacted,
    Compacting,
    Prompt,
    Reply,
    SessionDeleted,
    SessionEnded,
    SessionStarted,
    ToolFailed,
)
from recollect.domain.memory import (
    Draft,
    Kind,
    Memory,
    MemoryId,
    MessageId,
    ProjectId,
    Role,
    Scope,
    SessionId,
    Source,
)
from recollect.domain.session import Note, Turn

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
PROJECT = ProjectId("git:example.org/shop/api")
OTHER_PROJECT = ProjectId("git:example.org/shop/web")
IN_PROJECT = Scope.project(PROJECT)
SAID_BY_USER = Source(role=Role.USER)


def a_memory(
    text: str = "Auth uses JWT.", *, days_old: float = 0, scope: str | Scope = IN_PROJECT, **fields: Any
) -> Memory:
    at = NOW - timedelta(days=days_old)
    known: dict[str, Any] = {
        "id": MemoryId("m1"),
        "kind": Kind.DECISION,
        "created_at": at,
        "valid_from": at,
        "source": SAID_BY_USER,
    }
    return Memory(text=text, scope=_scope(scope), **(known | fields))


def a_draft(
    text: str = "Auth uses JWT.", *, days_old: float = 0, scope: str | Scope = IN_PROJECT, **fields: Any
) -> Draft:
    known: dict[str, Any] = {"kind": Kind.DECISION, "at": NOW - timedelta(days=days_old), "source": SAID_BY_USER}
    return Draft(text=text, scope=_scope(scope), **(known | fields))


def a_turn(text: str, *, session: str = "s1", message: str = "m1", **fields: Any) -> Turn:
    known: dict[str, Any] = {"project": PROJECT, "role": Role.USER, "at": NOW}
    return Turn(session=SessionId(session), message=MessageId(message), text=text, **(known | fields))


def a_start(session: str = "s1", **fields: Any) -> SessionStarted:
    known: dict[str, Any] = {"at": NOW, "project": PROJECT}
    return SessionStarted(session=SessionId(session), **(known | fields))


def a_prompt(text: str, *, session: str = "s1", message: str = "m1", **fields: Any) -> Prompt:
    known: dict[str, Any] = {"at": NOW, "project": PROJECT}
    return Prompt(session=SessionId(session), message=MessageId(message), text=text, **(known | fields))


def a_reply(text: str, *, session: str = "s1", **fields: Any) -> Reply:
    known: dict[str, Any] = {"at": NOW, "message": MessageId("r1")}
    return Reply(session=SessionId(session), text=text, **(known | fields))


def a_failure(error: str, *, session: str = "s1", message: str | None = "t1", **fields: Any) -> ToolFailed:
    known: dict[str, Any] = {"at": NOW, "project": PROJECT, "tool": "bash", "call": None}
    carrier = None if message is None else MessageId(message)
    return ToolFailed(session=SessionId(session), error=error, message=carrier, **(known | fields))


def a_question(query: str = "", *, session: str = "s1", memory: MemoryId | None = None, **fields: Any) -> Asked:
    known: dict[str, Any] = {"at": NOW, "project": PROJECT}
    return Asked(session=SessionId(session), query=query, id=memory, **(known | fields))


def compacting(session: str = "s1", **fields: Any) -> Compacting:
    known: dict[str, Any] = {"at": NOW, "project": PROJECT}
    return Compacting(session=SessionId(session), **(known | fields))


def compacted(session: str = "s1", **fields: Any) -> Compacted:
    known: dict[str, Any] = {"at": NOW, "project": PROJECT}
    return Compacted(session=SessionId(session), **(known | fields))


def an_end(session: str = "s1", *notes: str, **fields: Any) -> SessionEnded:
    known: dict[str, Any] = {"at": NOW, "project": PROJECT, "notes": tuple(map(Note.parse, notes))}
    return SessionEnded(session=SessionId(session), **(known | fields))


def a_deletion(session: str = "s1", **fields: Any) -> SessionDeleted:
    known: dict[str, Any] = {"at": NOW, "project": PROJECT}
    return SessionDeleted(session=SessionId(session), **(known | fields))


def _scope(scope: str | Scope) -> Scope:
    return Scope.parse(scope) if isinstance(scope, str) else scope
