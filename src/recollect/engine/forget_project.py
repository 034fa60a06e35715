"""Forget a whole project: its memories, and what its sessions said, left and were told.

Its memories are out of sight like all that are forgotten. Its sessions wait under an id that nobody works in, so undo
brings all of it back. When the undo window ends, both are deleted for good.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from recollect.domain.errors import InvalidValue
from recollect.domain.history import Change, DeedId, DeedKind
from recollect.domain.memory import MemoryId, ProjectId, SessionId
from recollect.domain.stored import hidden_as, hidden_at_ms
from recollect.engine.ports import Store

AT_ONCE = 20  # sessions or memories in one transaction: somebody else may be waiting to write

One = TypeVar("One")


def hide(store: Store, project: ProjectId, *, at: datetime, by: str) -> DeedId:
    """Out of sight; `undo` brings it back until `expire` finds its time over."""
    with store.writing():
        memories, sessions = store.memories_in(project), store.sessions_in(project)
        aliases = sorted(store.aliases_of(project))
        is_hidden = any(deed.detail["project"] == project for deed in store.forgotten_projects())
        if not memories and not sessions and not aliases and not is_hidden:
            raise InvalidValue(f"Nothing is known of a project {project!r}; `recollect data` shows all.")
        detail = {"project": project, "sessions": sessions, "aliases": aliases, "memories": len(memories)}
        deed = store.begin_deed(DeedKind.FORGET_PROJECT, at, by, detail)
        for memory in filter(None, map(store.get, memories)):
            if memory.forgotten_at is None:
                store.note_change(deed, memory.id, memory)
                store.update(replace(memory, forgotten_at=at))
        store.drop_aliases(project, aliases)
    for some in _batches(sessions):
        store.move_sessions(some, hidden_as(at, deed))
    return deed


def turn_around(store: Store, deed: Change, at: datetime, *, backwards: bool) -> None:
    """An undo brings the sessions and names back; undone once more, they go again."""
    project, sessions, aliases = deed.detail["project"], deed.detail["sessions"], deed.detail["aliases"]
    if backwards:
        hidden = {session for _, session in store.hidden_sessions()}
        store.move_sessions([session for session in sessions if session in hidden], project)
        store.note_aliases(project, aliases, at)
    else:
        present = frozenset(store.sessions_in(project))
        store.move_sessions([session for session in sessions if session in present], hidden_as(at, deed.id))
        store.drop_aliases(project, aliases)


def expire(store: Store, moment: datetime) -> list[str]:
    """Deletes for good what was hidden then or earlier; what the memories said."""
    hidden = store.hidden_sessions()
    said: list[str] = []
    for deed in store.forgotten_projects():
        ours = [(name, session) for name, session in hidden if name.endswith(f":{deed.id}")]
        hidden_ms = max([hidden_at_ms(name) for name, _ in ours] or [int(deed.at.timestamp() * 1000)])
        if hidden_ms <= moment.timestamp() * 1000:
            said += delete(store, deed, [session for _, session in ours])
    return said


def delete_now(store: Store, project: ProjectId) -> list[str]:
    """Deletes for good what is hidden of a project, whenever that was, and what was forgotten of it by itself."""
    hidden = store.hidden_sessions()
    said: list[str] = []
    for deed in store.forgotten_projects():
        if deed.detail["project"] == project:
            said += delete(store, deed, [session for name, session in hidden if name.endswith(f":{deed.id}")])
    for gone in _batches(_forgotten(store, store.memories_in(project))):
        said += store.purge(gone)
    return said


def delete(store: Store, deed: Change, sessions: Sequence[SessionId]) -> list[str]:
    """Sessions first: what they quote of the memories goes with them. Ended in between, the next `tidy` goes on."""
    for some in _batches(sessions):
        store.delete_sessions(some)
    said: list[str] = []
    changed = [change.memory for change in store.changes_in(deed.id)]
    for gone in _batches(_forgotten(store, changed)):
        said += store.purge(gone)
    store.erase_project(deed.detail["project"])
    return said


def _forgotten(store: Store, memories: Sequence[MemoryId]) -> list[MemoryId]:
    """Not what somebody brought back by itself."""
    found = filter(None, map(store.get, memories))
    return [memory.id for memory in found if memory.forgotten_at is not None]


def _batches(all_of_them: Sequence[One]) -> list[Sequence[One]]:
    return [all_of_them[at : at + AT_ONCE] for at in range(0, len(all_of_them), AT_ONCE)]
