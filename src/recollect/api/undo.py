"""Taking back what was done, and what that could be."""

from dataclasses import dataclass

from recollect.api.operation import Desk, Operation, Request
from recollect.domain.errors import InvalidValue
from recollect.domain.history import OF_MEMORIES, Change, DeedId
from recollect.domain.memory import Memory, SessionId

MOST = 10_000
LOOKED_BACK = 20  # deeds


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo(Request):
    deed: DeedId | None = None  # null: the last one of a person; refused where an agent did something later
    session: str | None = None  # instead: all that was learnt from it; the beginning of its id is enough

    def __post_init__(self) -> None:
        if self.deed is not None and self.session is not None:
            raise InvalidValue("A `session` takes back what that session taught; leave the `deed` out.")


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenBack:
    deed: Change  # what was taken back
    by: DeedId  # the undo itself
    removed: tuple[Memory, ...]  # seen no more
    restored: tuple[Memory, ...]  # as they were before
    passed_over: Change | None  # what a session taught, or time brought, after that deed; it stays
    for_good: bool  # what is seen no more cannot be brought back: there is no undo window


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentChanges(Request):
    limit: int = 20

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= MOST:
            raise InvalidValue(f"The limit is {self.limit}; it goes from 1 to {MOST:,}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    deeds: list[Change]  # the last one first


def undo(desk: Desk, asked: Undo) -> TakenBack:
    if asked.session is not None:
        undone = desk.engine.undo_learning(_session(desk, asked.session), at=desk.now, by=asked.by)
    else:
        undone = desk.engine.undo(asked.deed, at=desk.now, by=asked.by)
    is_last = asked.deed is None and asked.session is None
    return TakenBack(
        deed=undone.deed,
        passed_over=_later(desk, undone.deed) if is_last else None,
        by=undone.by,
        removed=undone.removed,
        restored=undone.restored,
        for_good=bool(undone.removed) and not desk.settings.forget.undo_hours,
    )


def _later(desk: Desk, taken_back: Change) -> Change | None:
    """The last one that still holds, if it came after what was taken back."""
    lasting = (deed for deed in desk.engine.deeds(limit=LOOKED_BACK) if deed.kind in OF_MEMORIES)
    last = next((deed for deed in lasting if deed.memories and deed.undone_by is None), None)
    return last if last is not None and last.id > taken_back.id else None


def deeds(desk: Desk, asked: RecentChanges) -> Done:
    done = desk.engine.deeds(limit=asked.limit)
    return Done(deeds=[deed for deed in done if deed.memories or deed.kind not in OF_MEMORIES])


def _session(desk: Desk, given: str) -> SessionId:
    found = desk.engine.log.find(given)
    if found is not None:
        return found.id
    several = [one.id for one in desk.engine.log.sessions(given, limit=6)]
    if several:
        raise InvalidValue(f"Several sessions begin with {given!r}: {', '.join(several)}.")
    raise InvalidValue(f"No session begins with {given!r}; `recollect undo --list` names those that taught something.")


UNDO = Operation("undo", "Takes back a deed, or all that a session taught.", Undo, TakenBack, undo, writes=True)
DEEDS = Operation("deeds", "What was done lately, with the numbers to take it back by.", RecentChanges, Done, deeds)
