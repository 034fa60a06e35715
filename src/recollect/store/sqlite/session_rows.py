"""Sessions, their turns and what they leave, as rows and back. See `rows` for what a hash is for."""

import json
import sqlite3
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from recollect.domain.learning import Origin
from recollect.domain.memory import MessageId, ProjectId, Role, SessionId
from recollect.domain.session import Note, NoteCode, Recap, Session, Summary, Turn, own_origin
from recollect.store.sqlite.rows import (
    RECAP_WORDS,
    TURN_WORDS,
    from_ms,
    from_ms_or_none,
    is_sound,
    listed,
    ms_or_none,
    row_hash,
    stored_list,
    to_ms,
)


def turn_row(turn: Turn) -> dict[str, object]:
    row: dict[str, object] = {
        "session": turn.session,
        "message": turn.message,
        "project": turn.project,
        "role": turn.role.value,
        "text": turn.text,
        "at_ms": to_ms(turn.at),
        "origin": "" if turn.origin in (None, own_origin(turn.role)) else str(turn.origin),
    }
    row["hash"] = row_hash(row, TURN_WORDS)
    return row


def turn_of(row: sqlite3.Row) -> Turn:
    return Turn(
        session=SessionId(row["session"]),
        message=MessageId(row["message"]),
        project=None if row["project"] is None else ProjectId(row["project"]),
        role=Role(row["role"]),
        text=row["text"],
        at=from_ms(row["at_ms"]),
        origin=Origin(row["origin"]) if row["origin"] else None,
    )


def session_of(row: sqlite3.Row) -> Session:
    return Session(
        id=SessionId(row["id"]),
        host=row["host"],
        project=None if row["project"] is None else ProjectId(row["project"]),
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
        "notes": stored_list([note.code.value, note.text] for note in recap.notes),
        "summary": json.dumps({"form": recap.form, **recap.summary.parts}, ensure_ascii=False),
    }
    row["hash"] = row_hash(row, RECAP_WORDS)
    return row


def recap_of(row: Mapping[str, Any] | sqlite3.Row) -> Recap | None:
    """None: it is not what was written."""
    return _recap_of(*(row[name] for name in (*RECAP_WORDS, "hash")))


@lru_cache(maxsize=2048)  # a prompt looks through all sessions of its project
def _recap_of(*values: Any) -> Recap | None:
    row = dict(zip((*RECAP_WORDS, "hash"), values, strict=True))
    if not is_sound(row, RECAP_WORDS):
        return None
    summary = json.loads(row["summary"])
    return Recap(
        session=SessionId(row["session"]),
        project=ProjectId(row["project"]),
        at=from_ms(row["at_ms"]),
        notes=tuple(Note(code=NoteCode(code), text=text) for code, text in listed(row["notes"])),
        summary=Summary.of(summary),
        form=summary.get("form", 1),
    )
