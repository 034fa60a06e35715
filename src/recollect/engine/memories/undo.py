"""Undo a change: every memory returns to its state before. An undo is a change too, and can be undone."""

from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from recollect.api.undo import Done, RecentChanges, TakenBack, Undo
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
from recollect.engine.admission import redact_text
from recollect.engine.context import Context
from recollect.engine.memories import join_projects
from recollect.engine.memories.lookup import MIN_PREFIX_CHARS
from recollect.engine.moments.why import InjectionLog
from recollect.engine.ports import KeepsHistory, Store
from recollect.engine.redaction import redact_change, redact_undone
from recollect.text.block import visible
from recollect.text.sentences import shorten

RECENT_CHANGES = 100  # searched for the last one of a person or an agent: many by learning may be newer
ABOUT_CHARS = 60
CHANGES_CHECKED = 20  # searched for a later change to mention


def undo(ctx: Context, asked: Undo) -> TakenBack:
    """Undo a given change, all that was learnt from a session, or the last change of a person."""
    with ctx.store.transaction():
        undone = _choose(ctx, asked)
        undoing, memories = _revert(ctx.store, undone, at=ctx.now, by=asked.by)
    is_last = asked.deed is None and asked.session is None
    removed = tuple(memory for memory in memories if memory.forgotten_at is not None)
    taken_back = TakenBack(
        deed=undone,
        by=undoing,
        removed=removed,
        restored=tuple(memory for memory in memories if memory.forgotten_at is None),
        passed_over=_later_change(ctx, undone) if is_last else None,
        for_good=bool(removed) and not ctx.settings.forget.undo_hours,
    )
    return redact_undone(taken_back)


def list_changes(ctx: Context, asked: RecentChanges) -> Done:
    return Done(deeds=[*map(redact_change, ctx.store.recent_changes(limit=asked.limit))])


def _choose(ctx: Context, asked: Undo) -> Change:
    if asked.session is not None:
        return _find_learning(ctx, _find_session(ctx, asked.session))
    return _last(ctx.store) if asked.deed is None else _find(ctx.store, asked.deed)


def _find_learning(ctx: Context, session: SessionId) -> Change:
    change = ctx.store.learning_change(session)
    if change is None:
        raise InvalidValue(f"There is nothing to undo: no memory is left that was learnt from session {session!r}.")
    return _find(ctx.store, change.id)


def _revert(store: Store, undone: Change, *, at: datetime, by: str) -> tuple[ChangeId, list[Memory]]:
    """Return the undo itself and the memories as they are now. Refuse if one was changed since."""
    changes = store.memory_changes_in(undone.id)
    if not changes and undone.kind in MEMORY_CHANGES:
        raise InvalidValue(f"Nothing is left of change {undone.id}: its memories were deleted for good.")
    later = store.find_changed_since(undone.id, [change.memory for change in changes])
    if undone.kind is ChangeAction.DEMOTE:  # it covers hundreds of memories: skip those that changed since
        changes = [change for change in changes if change.memory not in later]
    elif later:
        names = ", ".join(later[:5])
        raise InvalidValue(f"Change {undone.id} cannot be undone: {names} changed since. Undo the later changes first.")
    detail: dict[str, Any] = {"undoes": undone.id}  # an undo of this undo follows it
    if "also" in undone.detail:
        detail["also"], _ = _revert(store, _find(store, ChangeId(undone.detail["also"])), at=at, by=by)
    if undone.name_edit is not None:
        detail["named"] = asdict(replace(undone.name_edit, is_written=not undone.name_edit.is_written))
    undoing = store.begin_change(ChangeAction.UNDO, at, by, detail)
    memories = [_restore(store, change, undoing, at) for change in reversed(changes)]
    join_projects.revert_project_change(store, undone, at)
    store.note_undone(undone.id, undoing)
    if undone.kind is ChangeAction.UNDO:
        store.note_undone(ChangeId(int(undone.detail["undoes"])), None)
    return undoing, [memory for memory in memories if memory is not None]


def _last(store: Store) -> Change:
    """Return the last change of a person. Raises InvalidValue if an agent changed something later: then the user must
    name the change."""
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


def _find(history: KeepsHistory, number: ChangeId) -> Change:
    change = history.find_change(number)
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


def _later_change(ctx: Context, undone: Change) -> Change | None:
    """Return the newest change of memories that is not undone, if it came after the undone one."""
    for change in ctx.store.recent_changes(limit=CHANGES_CHECKED):
        if change.kind in MEMORY_CHANGES and change.undone_by is None:
            return change if change.id > undone.id else None
    return None


def _find_session(ctx: Context, given: str) -> SessionId:
    found = InjectionLog(ctx.store).find(given)
    if found is not None:
        return found.id
    if len(given) < MIN_PREFIX_CHARS:
        raise InvalidValue(
            f"There is no session {given!r}; give at least {MIN_PREFIX_CHARS} characters of its id. "
            "`recollect undo --list` names those that were learnt from."
        )
    raise InvalidValue(f"No session begins with {given!r}; `recollect undo --list` names those that were learnt from.")
