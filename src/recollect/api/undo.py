"""Undoing changes, and listing the recent ones."""

from dataclasses import dataclass

from recollect.api.operation import Operation, OperationContext, Request
from recollect.domain.changes import MEMORY_CHANGES, Change, ChangeId
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Memory, SessionId

MOST = 10_000
CHANGES_CHECKED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo(Request):
    deed: ChangeId | None = None  # null: the user's last change; refused if an agent changed something later
    session: str | None = None  # instead: all that was learnt from this session; the beginning of its id is enough

    def __post_init__(self) -> None:
        if self.deed is not None and self.session is not None:
            raise InvalidValue("Give either `deed` or `session`: a session undoes all that was learnt from it.")


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenBack:
    deed: Change  # the change that was undone
    by: ChangeId  # the undo itself
    removed: tuple[Memory, ...]  # no longer visible
    restored: tuple[Memory, ...]  # as they were before
    passed_over: Change | None  # a later change by a session or by age, which stays
    for_good: bool  # True: the removed memories cannot be brought back, there is no undo window


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentChanges(Request):
    limit: int = 20

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= MOST:
            raise InvalidValue(f"The limit is {self.limit}; it must be from 1 to {MOST:,}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    deeds: list[Change]  # the newest first


def undo(desk: OperationContext, asked: Undo) -> TakenBack:
    if asked.session is not None:
        undone = desk.engine.undo_learning(_find_session(desk, asked.session), at=desk.now, by=asked.by)
    else:
        undone = desk.engine.undo(asked.deed, at=desk.now, by=asked.by)
    is_last = asked.deed is None and asked.session is None
    return TakenBack(
        deed=undone.deed,
        passed_over=_later_change(desk, undone.deed) if is_last else None,
        by=undone.by,
        removed=undone.removed,
        restored=undone.restored,
        for_good=bool(undone.removed) and not desk.settings.forget.undo_hours,
    )


def _later_change(desk: OperationContext, undone: Change) -> Change | None:
    """The newest change of memories that is not undone, if it came after the undone one."""
    for change in desk.engine.changes(limit=CHANGES_CHECKED):
        if change.kind in MEMORY_CHANGES and change.memories and change.undone_by is None:
            return change if change.id > undone.id else None
    return None


def recent_changes(desk: OperationContext, asked: RecentChanges) -> Done:
    done = desk.engine.changes(limit=asked.limit)
    return Done(deeds=[change for change in done if change.memories or change.kind not in MEMORY_CHANGES])


def _find_session(desk: OperationContext, given: str) -> SessionId:
    found = desk.engine.log.find(given)
    if found is not None:
        return found.id
    several = [one.id for one in desk.engine.log.sessions(given, limit=6)]
    if several:
        raise InvalidValue(f"Several sessions begin with {given!r}: {', '.join(several)}.")
    raise InvalidValue(f"No session begins with {given!r}; `recollect undo --list` names those that were learnt from.")


UNDO = Operation("undo", "Undoes a change, or all that was learnt from a session.", Undo, TakenBack, undo, writes=True)
DEEDS = Operation("deeds", "Lists recent changes with the numbers to undo them.", RecentChanges, Done, recent_changes)
