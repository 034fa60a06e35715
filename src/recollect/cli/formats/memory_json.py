"""A memory as a JSON object and back: one form for `pipe`, `import`, `export` and `--json`."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

from recollect.domain.errors import PayloadError
from recollect.domain.freshness import NOT_CHECKED, FileState, Freshness, SeenFile
from recollect.domain.memory import (
    KINDS_ELSEWHERE,
    UNIVERSAL,
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
    parse_kind,
)
from recollect.text import json_fields as read
from recollect.text.json_fields import Fields

DRAFT_FIELDS = (
    *("id", "text", "kind", "scope", "project", "time", "created_at", "valid_from", "valid_to", "title", "aliases"),
    *("sensitivity", "importance", "confidence", "superseded_by", "seen", "source", "evidence", "anchors", "use"),
    *("mentions", "flag", "conflicts", "tier", "durability", "rules"),
)


def record_of(memory: Memory) -> dict[str, Any]:
    """Return every field: a file of records is a complete backup."""
    return {
        "id": memory.id,
        "text": memory.text,
        "kind": memory.kind.value,
        "scope": str(memory.scope),
        "title": memory.title,
        "aliases": list(memory.aliases),
        "sensitivity": memory.sensitivity.value,
        "importance": memory.importance,
        "confidence": memory.confidence,
        "created_at": memory.created_at.isoformat(),
        "valid_from": memory.valid_from.isoformat(),
        "valid_to": _iso(memory.valid_to),
        "superseded_by": memory.superseded_by,
        "seen": memory.seen,
        "source": asdict(memory.source),
        "evidence": list(memory.evidence),
        "anchors": list(map(asdict, memory.anchors)),
        "use": {
            "shown": memory.use.shown,
            "used": memory.use.used,
            "unused": memory.use.unused,
            "feedback": memory.use.feedback,
            "last_shown_at": _iso(memory.use.last_shown_at),
            "last_used_at": _iso(memory.use.last_used_at),
        },
        "mentions": [{**asdict(said.source), "at": said.at.isoformat()} for said in memory.mentions],
        "flag": memory.flag,
        "conflicts": list(memory.conflicts),
        "tier": memory.tier.value,
        "durability": memory.durability,
        "rules": memory.rules,
    }


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
    given_id, successor = read.optional_text(record, "id"), read.optional_text(record, "superseded_by")
    return Draft(
        id=MemoryId(given_id) if given_id else None,
        text=read.text(record, "text"),
        kind=_kind(record),
        scope=_scope(record, project),
        at=read.time_or_none(record, "created_at") or read.time_or_none(record, "time") or now,
        source=_source(read.section(record, "source"), source),
        title=read.optional_text(record, "title"),
        aliases=read.texts(record, "aliases"),
        sensitivity=_sensitivity(record),
        importance=read.number(record, "importance", 1.0),
        confidence=read.number(record, "confidence", 1.0),
        valid_from=read.time_or_none(record, "valid_from"),
        valid_to=read.time_or_none(record, "valid_to"),
        superseded_by=MemoryId(successor) if successor else None,
        evidence=read.texts(record, "evidence"),
        anchors=_anchors(record),
        seen=read.whole_number(record, "seen", 1, least=1),
        use=_use(record),
        mentions=_mentions(record, source),
        flag=read.optional_text(record, "flag"),
        conflicts=tuple(map(MemoryId, read.texts(record, "conflicts"))),
        tier=_tier(record),
        durability=read.number(record, "durability", 1.0),
        rules=None if record.get("rules") is None else read.whole_number(record, "rules", 1, least=1),
    )


def unknown_fields(record: Fields) -> list[str]:
    return [name for name in record if name not in DRAFT_FIELDS]


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
        near = get_close_matches(name, DRAFT_FIELDS, n=1, cutoff=0.8)
        if near:
            raise PayloadError(f"There is no field {name!r}; did you mean {near[0]!r}?")


def _kind(record: Fields) -> Kind:
    given = read.optional_text(record, "kind") or Kind.DECISION
    return KINDS_ELSEWHERE.get(given) or parse_kind(given)


def _source(given: Fields, default: Source) -> Source:
    if not given:
        return default
    role = read.optional_text(given, "role") or default.role
    if role not in list(Role):
        raise PayloadError(f"There is no role {role!r}; use one of {', '.join(Role)}.")
    session, message = read.optional_text(given, "session"), read.optional_text(given, "message")
    return Source(
        role=Role(role),
        host=read.optional_text(given, "host"),
        session=SessionId(session) if session else None,
        message=MessageId(message) if message else None,
        agent=read.optional_text(given, "agent"),
    )


def _mentions(record: Fields, default: Source) -> tuple[Mention, ...]:
    found = []
    for mention in _objects(record, "mentions", "`at`, `role` and the other fields of a source"):
        at = read.time_or_none(mention, "at")
        if at is None:
            raise PayloadError("An entry of `mentions` has no `at`.")
        found.append(Mention(source=_source(mention, default), at=at))
    return tuple(found)


def _anchors(record: Fields) -> tuple[Anchor, ...]:
    given = _objects(record, "anchors", "`path` and `hash`")
    return tuple(Anchor(read.text(anchor, "path"), read.optional_text(anchor, "hash")) for anchor in given)


def _objects(record: Fields, name: str, having: str) -> list[dict[str, Any]]:
    given = record.get(name)
    if given is None:
        return []
    if not isinstance(given, list) or not all(isinstance(entry, dict) for entry in given):
        raise PayloadError(f"`{name}` must be a list of objects with {having}.")
    return given


def _use(record: Fields) -> Usage:
    given = read.section(record, "use")
    return Usage(
        shown=read.whole_number(given, "shown", 0),
        used=read.whole_number(given, "used", 0),
        unused=read.whole_number(given, "unused", 0),
        feedback=read.whole_number(given, "feedback", 0, least=-int(read.MAX_NUMBER)),
        last_shown_at=read.time_or_none(given, "last_shown_at"),
        last_used_at=read.time_or_none(given, "last_used_at"),
    )


def _sensitivity(record: Fields) -> Sensitivity:
    value = read.optional_text(record, "sensitivity") or Sensitivity.PROJECT
    if value not in list(Sensitivity):
        raise PayloadError(f"There is no sensitivity {value!r}; use one of {', '.join(Sensitivity)}.")
    return Sensitivity(value)


def _tier(record: Fields) -> Tier:
    value = read.optional_text(record, "tier") or Tier.CONFIRMED
    if value not in list(Tier):
        raise PayloadError(f"There is no tier {value!r}; use {' or '.join(Tier)}.")
    return Tier(value)


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
