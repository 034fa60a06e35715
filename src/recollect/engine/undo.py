"""Taking back what was done: every memory as it was before. An undo is a deed too, and can be undone."""

from dataclasses import dataclass, replace
from datetime import datetime

from recollect.domain.errors import InvalidValue
from recollect.domain.history import Change, Deed, DeedId, DeedKind
from recollect.domain.memory import Memory
from recollect.engine import joining
from recollect.engine.ports import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """What an undo did."""

    deed: Deed  # what was taken back
    by: DeedId  # the undo itself
    removed: tuple[Memory, ...]  # seen no more
    restored: tuple[Memory, ...]  # as they were before


def undo(store: Store, deed_id: DeedId | None, *, at: datetime, by: str) -> Undone:
    """The last deed that still holds, or a given one, if nothing was built on it since."""
    with store.writing():
        deed = store.undoable() if deed_id is None else store.deed(deed_id)
        if deed is None:
            raise InvalidValue(
                "There is nothing to undo." if deed_id is None else f"There is no deed {deed_id}; see `undo --list`."
            )
        if deed.undone_by is not None:
            raise InvalidValue(f"Deed {deed.id} was undone already, by deed {deed.undone_by}; `undo {deed.undone_by}`.")
        changes = store.changes_in(deed.id)
        built_on = store.changed_since(deed.id, [change.memory for change in changes])
        if built_on:
            raise InvalidValue(
                f"Deed {deed.id} cannot be undone: {', '.join(built_on[:5])} changed since. Undo the later deeds first."
            )
        undoing = store.begin_deed(DeedKind.UNDO, at, by, {"undoes": deed.id})
        states = [_take_back(store, change, undoing, at) for change in reversed(changes)]
        joining.turn_around(store, deed, at)
        store.note_undone(deed.id, undoing)
        if deed.kind is DeedKind.UNDO:
            store.note_undone(DeedId(int(deed.detail["undoes"])), None)
    gone = tuple(memory for memory in states if memory is not None and memory.forgotten_at is not None)
    back = tuple(memory for memory in states if memory is not None and memory.forgotten_at is None)
    return Undone(deed=deed, by=undoing, removed=gone, restored=back)


def _take_back(store: Store, change: Change, undoing: DeedId, at: datetime) -> Memory | None:
    now = store.get(change.memory)
    if now is None:  # purged meanwhile: forgotten means gone
        return None
    before = replace(now, forgotten_at=at) if change.before is None else replace(change.before, use=now.use)
    store.note_change(undoing, now.id, now)
    store.update(before)
    return before
