"""Join one project into another: its memories, its sessions and all its aliases."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from recollect.domain.changes import Change, ChangeAction, ChangeId
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Draft, Memory, MemoryId, ProjectId, Scope
from recollect.engine.admission import refuse_secret
from recollect.engine.memories import forget_project
from recollect.engine.ports import Store


def join(
    store: Store,
    source: ProjectId,
    into: ProjectId,
    *,
    at: datetime,
    by: str,
    extra_detail: Mapping[str, Any] | None = None,
) -> ChangeId:
    """Move everything of `source` to `into`. A memory that both have stays once. `extra_detail`: recorded too."""
    refuse_secret("project", into)
    if source == into:
        raise InvalidValue(f"{source} is already this project.")
    with store.transaction():
        memories, sessions = store.memory_ids_in(source), store.session_ids_in(source)
        aliases = sorted(store.aliases_of(source))
        if not memories and not sessions and not aliases:
            raise InvalidValue(f"There is no project {source!r}; `recollect project list` lists all.")
        gained = sorted({*aliases, source} - store.aliases_of(into))  # forks share some: an undo must not drop those
        detail = {"source": source, "into": into, "sessions": sessions, "aliases": aliases, "gained": gained}
        detail |= extra_detail or {}
        change = store.begin_change(ChangeAction.JOIN, at, by, detail)
        for memory_id in memories:
            _move_memory(store, memory_id, into, change, at)
        _move_sessions(store, detail, at)
    return change


def revert_project_change(store: Store, change: Change, at: datetime) -> None:
    """Undo what a change did besides changing memories; for the undo of an undo, do it again."""
    original, backwards = change, True
    while original.kind is ChangeAction.UNDO:
        undone = store.find_change(ChangeId(int(original.detail["undoes"])))
        assert undone is not None  # changes are never deleted
        original, backwards = undone, not backwards
    if original.kind is ChangeAction.FORGET_PROJECT:
        forget_project.revert_hiding(store, original, at, backwards=backwards)
    elif original.kind is ChangeAction.ACCEPT:
        project, aliases = original.detail["project"], original.detail["aliases"]
        if backwards:
            store.drop_aliases(project, aliases)
        else:
            store.note_aliases(project, aliases, at)
    elif original.kind is ChangeAction.JOIN:
        if backwards:
            _move_sessions_back(store, original.detail, at)
        else:
            _move_sessions(store, original.detail, at)


def _move_sessions(store: Store, detail: Mapping[str, Any], at: datetime) -> None:
    source, into = detail["source"], detail["into"]
    aliases = store.aliases_of(source).intersection(detail["aliases"])
    store.move_sessions(forget_project.still_there(detail["sessions"], store.session_ids_in(source)), into)
    store.drop_aliases(source, aliases)
    store.note_aliases(into, {*aliases, source}, at)


def _move_sessions_back(store: Store, detail: Mapping[str, Any], at: datetime) -> None:
    source, into = detail["source"], detail["into"]
    aliases = store.aliases_of(into)
    if source not in aliases:
        raise InvalidValue(f"{source} is no longer part of {into}: a later change moved it. Undo that one first.")
    store.move_sessions(forget_project.still_there(detail["sessions"], store.session_ids_in(into)), source)
    store.drop_aliases(into, detail["gained"])
    store.note_aliases(source, aliases.intersection(detail["aliases"]), at)


def _move_memory(store: Store, memory_id: MemoryId, into: ProjectId, change: ChangeId, at: datetime) -> None:
    memory = store.get(memory_id)
    if memory is None:
        return
    moved = replace(memory, scope=Scope.project(into))
    twin = store.find_same(as_draft(moved)) if moved.is_live else None
    if twin is not None:
        store.note_memory_change(change, twin.id, twin)
        store.update(replace(twin, seen=twin.seen + memory.seen))
        moved = replace(moved, valid_to=at, superseded_by=twin.id)
    store.note_memory_change(change, memory.id, memory)
    store.update(moved)


def as_draft(memory: Memory) -> Draft:
    return Draft(text=memory.text, kind=memory.kind, scope=memory.scope, at=memory.created_at, source=memory.source)
