"""One project becomes part of another: its memories, its sessions, and everything that it is known as."""

from dataclasses import replace
from datetime import datetime

from recollect.domain.errors import InvalidValue
from recollect.domain.history import Deed, DeedId, DeedKind
from recollect.domain.memory import Draft, Memory, MemoryId, ProjectId, Scope, SessionId
from recollect.engine.ports import Store


def join(store: Store, source: ProjectId, into: ProjectId, *, at: datetime, by: str) -> DeedId:
    """Everything of `source` belongs to `into` from now on. What both know is known once."""
    if source == into:
        raise InvalidValue(f"{source} is this project already.")
    with store.writing():
        memories, sessions = store.memories_in(source), store.sessions_in(source)
        aliases = sorted({*store.aliases_of(source), source})
        if not memories and not sessions and aliases == [source]:
            raise InvalidValue(f"Nothing is known of a project {source!r}; `recollect project list` shows all.")
        detail = {"source": source, "into": into, "sessions": list(sessions), "aliases": aliases}
        deed = store.begin_deed(DeedKind.JOIN, at, by, detail)
        for memory_id in memories:
            _move(store, memory_id, into, deed, at)
        _move_the_rest(store, sessions, aliases, source, into, at)
    return deed


def turn_around(store: Store, deed: Deed, at: datetime) -> None:
    """What a join moved beside the memories goes back; undone once more, it goes forth again."""
    joined, backwards = deed, True
    while joined.kind is DeedKind.UNDO:
        original = store.deed(DeedId(int(joined.detail["undoes"])))
        assert original is not None  # deeds are never deleted
        joined, backwards = original, not backwards
    if joined.kind is not DeedKind.JOIN:
        return
    sessions = [SessionId(session) for session in joined.detail["sessions"]]
    aliases = [ProjectId(alias) for alias in joined.detail["aliases"]]
    source, into = ProjectId(joined.detail["source"]), ProjectId(joined.detail["into"])
    if backwards:
        source, into = into, source
    _move_the_rest(store, sessions, aliases, source, into, at)


def _move_the_rest(
    store: Store,
    sessions: list[SessionId],
    aliases: list[ProjectId],
    source: ProjectId,
    into: ProjectId,
    at: datetime,
) -> None:
    store.move_sessions(sessions, into)
    store.drop_aliases(source, aliases)
    store.note_aliases(into, aliases, at)


def _move(store: Store, memory_id: MemoryId, into: ProjectId, deed: DeedId, at: datetime) -> None:
    memory = store.get(memory_id)
    if memory is None:
        return
    moved = replace(memory, scope=Scope.project(into))
    twin = store.find_same(_as_draft(moved)) if moved.is_live else None
    if twin is not None:
        store.note_change(deed, twin.id, twin)
        store.update(replace(twin, seen=twin.seen + memory.seen))
        moved = replace(moved, valid_to=at, superseded_by=twin.id)
    store.note_change(deed, memory.id, memory)
    store.update(moved)


def _as_draft(memory: Memory) -> Draft:
    return Draft(text=memory.text, kind=memory.kind, scope=memory.scope, at=memory.created_at, source=memory.source)
