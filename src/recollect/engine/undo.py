"""Undo a change: every memory returns to its state before. An undo is a change too, and can be undone."""

from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from recollect.domain.changes import (
    AGENTS,
    MEMORY_CHANGES,
    UPGRADE_CHANGES,
    Change,
    ChangeAction,
    ChangeId,
    MemoryChange,
)
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Memory, SessionId
from recollect.engine import join_projects
from recollect.engine.admission import redact_text
from recollect.engine.ports import Store
from recollect.text.block import visible
from recollect.text.sentences import shorten

RECENT_CHANGES = 100  # searched for the last one of a person or an agent
ABOUT_CHARS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoResult:
    deed: Change  # the change that was undone
    by: ChangeId  # the undo itself
    removed: tuple[Memory, ...]  # hidden now
    restored: tuple[Memory, ...]  # as they were before


def undo(store: Store, change_id: ChangeId | None, *, at: datetime, by: str) -> UndoResult:
    """Undo a given change, or the last one of a person, if its memories did not change since. If an agent changed
    something later, "the last" is ambiguous: then the user must give a number."""
    with store.transaction():
        undone = _last(store) if change_id is None else _find(store, change_id)
        changes = store.memory_changes_in(undone.id)
        if not changes and undone.kind in MEMORY_CHANGES:
            raise InvalidValue(f"Nothing is left of change {undone.id}: its memories were deleted for good.")
        later = store.find_changed_since(undone.id, [change.memory for change in changes])
        if undone.kind is ChangeAction.DEMOTE:  # one of hundreds that was said again since must not block the others
            changes = [change for change in changes if change.memory not in later]
        elif later:
            names = ", ".join(later[:5])
            raise InvalidValue(
                f"Change {undone.id} cannot be undone: {names} changed since. Undo the later changes first."
            )
        detail: dict[str, Any] = {"undoes": undone.id}  # enough for an undo of this undo
        if "also" in undone.detail:
            detail["also"] = undo(store, ChangeId(undone.detail["also"]), at=at, by=by).by
        if undone.name_edit is not None:
            detail["named"] = asdict(replace(undone.name_edit, is_written=not undone.name_edit.is_written))
        undoing = store.begin_change(ChangeAction.UNDO, at, by, detail)
        restored, removed = [], []
        for change in reversed(changes):
            memory = _restore(store, change, undoing, at)
            if memory is not None and memory.forgotten_at is None:
                restored.append(memory)
            elif memory is not None:
                removed.append(memory)
        join_projects.turn_around(store, undone, at)
        store.note_undone(undone.id, undoing)
        if undone.kind is ChangeAction.UNDO:
            store.note_undone(ChangeId(int(undone.detail["undoes"])), None)
    return UndoResult(deed=undone, by=undoing, removed=tuple(removed), restored=tuple(restored))


def learning_change(store: Store, session: SessionId) -> ChangeId:
    """Return the change with everything learnt from a session."""
    change = store.learning_change(session)
    if change is None:
        raise InvalidValue(f"There is nothing to undo: no memory is left that was learnt from session {session!r}.")
    return change.id


def _last(store: Store) -> Change:
    last = store.last_undoable()
    recent = store.recent_changes(limit=RECENT_CHANGES)
    newest = next(filter(_is_by_person, recent), None)
    if newest is not None and newest.kind is ChangeAction.PURGE:
        before = f" Before it came change {last.id}: `recollect undo {last.id}`." if last else ""
        raise InvalidValue(f"The last change deleted memories for good, which cannot be undone.{before}")
    if last is None:
        raise InvalidValue(
            "There is nothing to undo of what you did. `recollect undo --list` also lists changes by agents and by "
            "learning; undo one of these by its number."
        )
    by_agent = next(filter(_is_by_agent, recent), None)
    if by_agent is not None and by_agent.id > last.id:
        raise InvalidValue(
            f"The last change is an agent's: {_describe(by_agent)}. `recollect undo {by_agent.id}` undoes it; "
            f"`recollect undo {last.id}` undoes your own last change: {_describe(last)}."
        )
    return last


def _describe(change: Change) -> str:
    text = f"{change.kind} of {change.memories} {'memory' if change.memories == 1 else 'memories'}"
    if change.about is not None:
        text += f", “{shorten(visible(redact_text(change.about)), chars=ABOUT_CHARS)}”"
    return text


def _is_by_agent(change: Change) -> bool:
    return change.by in AGENTS and change.kind in MEMORY_CHANGES and change.memories > 0 and change.undone_by is None


def _is_by_person(change: Change) -> bool:
    is_of_a_session = "session" in change.detail  # learnt from it, or deleted with it
    return change.by not in AGENTS and change.kind not in (ChangeAction.FADE, *UPGRADE_CHANGES) and not is_of_a_session


def _find(store: Store, number: ChangeId) -> Change:
    change = store.find_change(number)
    if change is None:
        raise InvalidValue(f"There is no change {number}; `recollect undo --list` lists them.")
    if change.kind is ChangeAction.PURGE:
        raise InvalidValue(f"Change {change.id} deleted memories for good, which cannot be undone.")
    if change.undone_by is not None:
        raise InvalidValue(
            f"Change {change.id} was undone already; `recollect undo {change.undone_by}` applies it again."
        )
    return change


def _restore(store: Store, change: MemoryChange, undoing: ChangeId, at: datetime) -> Memory | None:
    now = store.get(change.memory)
    if now is None:  # deleted for good meanwhile
        return None
    before = replace(change.before or now, use=now.use)
    if change.before is None or before.forgotten_at is not None:
        before = replace(before, forgotten_at=at)  # its undo window begins again: an undo can be undone
    elif now.forgotten_at is not None and store.find_same(join_projects.as_draft(before)) is not None:
        return None  # it was said again since: it is already there
    store.note_memory_change(undoing, now.id, now)
    store.update(before)
    return before
