"""One project becomes part of another: its memories, its sessions, and everything that it is known as."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from recollect.domain.errors import InvalidValue
from recollect.domain.history import Change, DeedId, DeedKind
from recollect.domain.memory import Draft, Memory, MemoryId, ProjectId, Scope, SessionId
from recollect.engine import forget_project
from recollect.engine.ports import Store


def join(
    store: Store,
    source: ProjectId,
    into: ProjectId,
    *,
    at: datetime,
    by: str,
    besides: Mapping[str, Any] | None = None,
) -> DeedId:
    """Everything of `source` belongs to `into` from now on. What both know is known once. `besides`: what else is part
    of that deed."""
    if source == into:
        raise InvalidValue(f"{source} is this project already.")
    with store.writing():
        memories, sessions = store.memories_in(source), store.sessions_in(source)
        aliases = sorted(store.aliases_of(source))
        if not memories and not sessions and not aliases:
            raise InvalidValue(f"Nothing is known of a project {source!r}; `recollect project list` shows all.")
        gained = sorted({*aliases, source} - store.aliases_of(into))  # forks share some: those are no gain
        detail = {"source": source, "into": into, "sessions": sessions, "aliases": aliases, "gained": gained}
        detail |= besides or {}
        deed = store.begin_deed(DeedKind.JOIN, at, by, detail)
        for memory_id in memories:
            _move(store, memory_id, into, deed, at)
        _move_the_rest(store, detail, at)
    return deed


def turn_around(store: Store, deed: Change, at: datetime) -> None:
    """What a deed changed beside the memories goes back; undone once more, it goes forth again."""
    joined, backwards = deed, True
    while joined.kind is DeedKind.UNDO:
        original = store.deed(DeedId(int(joined.detail["undoes"])))
        assert original is not None  # deeds are never deleted
        joined, backwards = original, not backwards
    if joined.kind is DeedKind.FORGET_PROJECT:
        forget_project.turn_around(store, joined, at, backwards=backwards)
    if joined.kind is DeedKind.ACCEPT:
        project, aliases = joined.detail["project"], joined.detail["aliases"]
        if backwards:
            store.drop_aliases(project, aliases)
        else:
            store.note_aliases(project, aliases, at)
    if joined.kind is not DeedKind.JOIN:
        return
    if backwards:
        _move_the_rest_back(store, joined.detail, at)
    else:
        _move_the_rest(store, joined.detail, at)


def _move_the_rest(store: Store, detail: Mapping[str, Any], at: datetime) -> None:
    source, into = detail["source"], detail["into"]
    aliases = store.aliases_of(source).intersection(detail["aliases"])
    store.move_sessions(_still(detail["sessions"], store.sessions_in(source)), into)
    store.drop_aliases(source, aliases)
    store.note_aliases(into, {*aliases, source}, at)


def _move_the_rest_back(store: Store, detail: Mapping[str, Any], at: datetime) -> None:
    source, into = detail["source"], detail["into"]
    held = store.aliases_of(into)
    if source not in held:
        raise InvalidValue(f"{source} is no longer part of {into}: a later deed moved it on. Undo that one first.")
    store.move_sessions(_still(detail["sessions"], store.sessions_in(into)), source)
    store.drop_aliases(into, detail["gained"])
    store.note_aliases(source, held.intersection(detail["aliases"]), at)


def _still(sessions: Iterable[SessionId], present: Iterable[SessionId]) -> list[SessionId]:
    """What went elsewhere since then stays there."""
    there = frozenset(present)
    return [session for session in sessions if session in there]


def _move(store: Store, memory_id: MemoryId, into: ProjectId, deed: DeedId, at: datetime) -> None:
    memory = store.get(memory_id)
    if memory is None:
        return
    moved = replace(memory, scope=Scope.project(into))
    twin = store.find_same(as_draft(moved)) if moved.is_live else None
    if twin is not None:
        store.note_change(deed, twin.id, twin)
        store.update(replace(twin, seen=twin.seen + memory.seen))
        moved = replace(moved, valid_to=at, superseded_by=twin.id)
    store.note_change(deed, memory.id, memory)
    store.update(moved)


def as_draft(memory: Memory) -> Draft:
    return Draft(text=memory.text, kind=memory.kind, scope=memory.scope, at=memory.created_at, source=memory.source)
