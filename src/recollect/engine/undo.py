"""Taking back what was done: every memory as it was before. An undo is a deed too, and can be undone."""

from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from recollect.domain.errors import InvalidValue
from recollect.domain.history import AGENTS, OF_MEMORIES, OF_UPGRADES, Change, DeedId, DeedKind, MemoryChange
from recollect.domain.memory import Memory, SessionId
from recollect.engine import joining
from recollect.engine.admission import redacted
from recollect.engine.ports import Store
from recollect.text.block import visible
from recollect.text.sentences import shortened

LOOKED_BACK = 100  # deeds
ABOUT_CHARS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """What an undo did."""

    deed: Change  # what was taken back
    by: DeedId  # the undo itself
    removed: tuple[Memory, ...]  # seen no more
    restored: tuple[Memory, ...]  # as they were before


def undo(store: Store, deed_id: DeedId | None, *, at: datetime, by: str) -> Undone:
    """The last deed of a person that still holds, or a given one, if nothing was built on it since. Where an agent
    did something later, whoever says "the last" may mean that: then it takes a number."""
    with store.writing():
        deed = _last(store) if deed_id is None else _given(store, deed_id)
        changes = store.changes_in(deed.id)
        if not changes and deed.kind in OF_MEMORIES:
            raise InvalidValue(f"Nothing is left of deed {deed.id}: what it changed is gone for good.")
        built_on = store.changed_since(deed.id, [change.memory for change in changes])
        if deed.kind is DeedKind.DEMOTE:  # of hundreds, one that was said again since keeps none of the others
            changes = [change for change in changes if change.memory not in built_on]
        elif built_on:
            raise InvalidValue(
                f"Deed {deed.id} cannot be undone: {', '.join(built_on[:5])} changed since. Undo the later deeds first."
            )
        also = None if "also" not in deed.detail else undo(store, DeedId(deed.detail["also"]), at=at, by=by)
        undoing = store.begin_deed(DeedKind.UNDO, at, by, _detail(deed, also))
        states = [_take_back(store, change, undoing, at) for change in reversed(changes)]
        joining.turn_around(store, deed, at)
        store.note_undone(deed.id, undoing)
        if deed.kind is DeedKind.UNDO:
            store.note_undone(DeedId(int(deed.detail["undoes"])), None)
    gone = tuple(memory for memory in states if memory is not None and memory.forgotten_at is not None)
    back = tuple(memory for memory in states if memory is not None and memory.forgotten_at is None)
    return Undone(deed=deed, by=undoing, removed=gone, restored=back)


def _detail(deed: Change, also: Undone | None) -> dict[str, Any]:
    """What was done beside the memories is told by the undo, too, turned around, so that this can be undone."""
    named = deed.named
    return {
        "undoes": deed.id,
        **({} if also is None else {"also": also.by}),
        **({} if named is None else {"named": asdict(replace(named, is_written=not named.is_written))}),
    }


def learnt_in(store: Store, session: SessionId) -> DeedId:
    """The deed under which all that a session taught stands."""
    deed = store.learning_deed(session)
    if deed is None:
        raise InvalidValue(f"Nothing that the session {session!r} taught is left to take back.")
    return deed.id


def _last(store: Store) -> Change:
    deed = store.undoable()
    newest = next((one for one in store.deeds(limit=LOOKED_BACK) if _is_of_a_person(one)), None)
    if newest is not None and newest.kind is DeedKind.PURGE:
        before = f" Before it came deed {deed.id}: `recollect undo {deed.id}`." if deed else ""
        raise InvalidValue(f"The last deed forgot for good, which cannot be undone.{before}")
    if deed is None:
        raise InvalidValue(
            "There is nothing to undo of what you did. `recollect undo --list` also shows what agents did and sessions "
            "taught; a number from there takes that back."
        )
    agents = next((one for one in store.deeds(limit=LOOKED_BACK) if _is_of_an_agent(one)), None)
    if agents is not None and agents.id > deed.id:
        raise InvalidValue(
            f"The last deed is an agent's: {_told(agents)}. `recollect undo {agents.id}` takes that back, "
            f"`recollect undo {deed.id}` your own last deed: {_told(deed)}."
        )
    return deed


def _told(deed: Change) -> str:
    about = "" if deed.about is None else f", “{shortened(visible(redacted(deed.about)), chars=ABOUT_CHARS)}”"
    return f"{deed.kind} of {deed.memories} {'memory' if deed.memories == 1 else 'memories'}{about}"


def _is_of_an_agent(deed: Change) -> bool:
    return deed.by in AGENTS and deed.kind in OF_MEMORIES and deed.memories > 0 and deed.undone_by is None


def _is_of_a_person(deed: Change) -> bool:
    is_of_a_session = "session" in deed.detail  # what it taught, or what went when it was deleted
    return deed.by not in AGENTS and deed.kind not in (DeedKind.FADE, *OF_UPGRADES) and not is_of_a_session


def _given(store: Store, deed_id: DeedId) -> Change:
    deed = store.deed(deed_id)
    if deed is None:
        raise InvalidValue(f"There is no deed {deed_id}; `recollect undo --list` shows them.")
    if deed.kind is DeedKind.PURGE:
        raise InvalidValue(f"Deed {deed.id} forgot for good, which cannot be undone.")
    if deed.undone_by is not None:
        raise InvalidValue(f"Deed {deed.id} was undone already; `recollect undo {deed.undone_by}` does it again.")
    return deed


def _take_back(store: Store, change: MemoryChange, undoing: DeedId, at: datetime) -> Memory | None:
    now = store.get(change.memory)
    if now is None:  # purged meanwhile: forgotten means gone
        return None
    before = replace(change.before or now, use=now.use)
    if change.before is None or before.forgotten_at is not None:
        before = replace(before, forgotten_at=at)  # its undo window begins anew: an undo can be undone
    elif now.forgotten_at is not None and store.find_same(joining.as_draft(before)) is not None:
        return None  # it was said again since then: it is there already
    store.note_change(undoing, now.id, now)
    store.update(before)
    return before
