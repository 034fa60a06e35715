"""Forget a whole project: its memories, and the turns, recaps and logs of its sessions. Memories are hidden like all
forgotten ones. Sessions are moved to an id that no folder has, so that undo can bring them back. When the undo window
ends, both are deleted for good."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from recollect.domain.changes import Change, ChangeAction, ChangeId
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import LATEST, ProjectId, SessionId
from recollect.domain.project import hidden_at_ms, hidden_project_id
from recollect.engine.ports import KeepsHistory, KeepsProjects, Store

DAMAGED = "damaged"  # the memories that could not be read, in the details of the change
BATCH_ITEMS = 20  # sessions or memories in one transaction: another process may be waiting to write

Item = TypeVar("Item")


def is_forgotten(store: KeepsHistory, project: ProjectId) -> bool:
    """Return True if the project was forgotten and can still be brought back."""
    return any(change.detail["project"] == project for change in store.find_forgotten_projects())


def hide(store: Store, project: ProjectId, *, at: datetime, by: str) -> ChangeId:
    """Hide a project. `undo` brings it back until `expire` finds the undo window over."""
    with store.transaction():
        memories, sessions = store.memory_ids_in(project), store.session_ids_in(project)
        aliases = sorted(store.aliases_of(project))
        if not memories and not sessions and not aliases and not is_forgotten(store, project):
            raise InvalidValue(f"There is no project {project!r}; `recollect data` lists all.")
        readable = store.find_readable(memories)
        damaged = sorted(set(memories) - {memory.id for memory in readable})
        detail = {"project": project, "sessions": sessions, "aliases": aliases, "memories": len(memories)}
        change = store.begin_change(ChangeAction.FORGET_PROJECT, at, by, detail | {DAMAGED: damaged})
        store.hide_damaged(damaged, at)
        for memory in readable:
            if memory.forgotten_at is None:
                store.note_memory_change(change, memory.id, memory)
                store.update(replace(memory, forgotten_at=at))
        store.drop_aliases(project, aliases)
    for some in _batches(sessions):
        store.move_sessions(some, hidden_project_id(at, change))
    return change


def revert_hiding(store: Store, change: Change, at: datetime, *, backwards: bool) -> None:
    """Bring the sessions and names back; if not `backwards`, hide them again (the undo is being undone)."""
    project, sessions, aliases = change.detail["project"], change.detail["sessions"], change.detail["aliases"]
    damaged, forgotten_at = change.detail.get(DAMAGED, ()), None if backwards else at
    for memory in store.find_readable(damaged):  # repaired since
        store.update(replace(memory, forgotten_at=forgotten_at))
    store.hide_damaged(damaged, forgotten_at)
    if backwards:
        store.move_sessions([session for _, session in _hidden_by(store, change)], project)  # and those begun since
        store.note_aliases(project, aliases, at)
    else:
        moved = still_there(sessions, store.session_ids_in(project))
        store.move_sessions(moved, hidden_project_id(at, change.id))
        store.drop_aliases(project, aliases)


def still_there(sessions: Iterable[SessionId], present: Iterable[SessionId]) -> list[SessionId]:
    """Leave out sessions that were moved elsewhere since."""
    there = frozenset(present)
    return [session for session in sessions if session in there]


def expire(store: Store, moment: datetime) -> None:
    """Delete for good what was hidden at this moment or earlier."""
    for change in store.find_forgotten_projects():
        ours = _hidden_by(store, change)
        hidden_ms = max([hidden_at_ms(name) for name, _ in ours] or [int(change.at.timestamp() * 1000)])
        if hidden_ms <= moment.timestamp() * 1000:
            _delete(store, change, [session for _, session in ours])


def delete_now(store: Store, project: ProjectId) -> list[str]:
    """Delete for good everything hidden of a project, and its memories that were forgotten one by one."""
    texts: list[str] = []
    for change in store.find_forgotten_projects():
        if change.detail["project"] == project:
            texts += _delete(store, change, [session for _, session in _hidden_by(store, change)])
    memories = store.memory_ids_in(project)
    stored_since = {memory.id for memory in store.find_readable(memories) if memory.forgotten_at is None}
    for some in _batches([memory for memory in memories if memory not in stored_since]):  # damaged ones, too
        texts += store.purge(some)
    return texts


def _hidden_by(projects: KeepsProjects, change: Change) -> list[tuple[ProjectId, SessionId]]:
    return [(name, session) for name, session in projects.hidden_sessions() if name.endswith(f":{change.id}")]


def _delete(store: Store, change: Change, sessions: Sequence[SessionId]) -> list[str]:
    """Delete sessions first, with their quotes of the memories. If it is interrupted, the next `tidy` goes on."""
    for some in _batches(sessions):
        store.delete_sessions(some)
    texts: list[str] = []
    forgotten = frozenset(store.find_forgotten_before(LATEST))  # without those that were brought back on their own
    changed = [one.memory for one in store.memory_changes_in(change.id)]
    for gone in _batches([memory for memory in changed if memory in forgotten]):
        texts += store.purge(gone)
    store.erase_project(change.detail["project"])
    return texts


def _batches(items: Sequence[Item]) -> list[Sequence[Item]]:
    return [items[at : at + BATCH_ITEMS] for at in range(0, len(items), BATCH_ITEMS)]
