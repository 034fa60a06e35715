"""Undoing changes, and listing the recent ones."""

from dataclasses import dataclass

from recollect.api.operation import Operation, Request, check_limit
from recollect.domain.changes import Change, ChangeId
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Memory

MOST = 10_000
MOST_CHANGES = 2**53  # more than there will ever be; a database cannot count much further


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo(Request):
    deed: ChangeId | None = None  # null: the user's last change; refused if an agent changed something later
    session: str | None = None  # instead: all that was learnt from this session; the beginning of its id is enough

    def __post_init__(self) -> None:
        if self.deed is not None and self.session is not None:
            raise InvalidValue("Give either `deed` or `session`: a session undoes all that was learnt from it.")
        if self.deed is not None and not 0 < self.deed <= MOST_CHANGES:
            raise InvalidValue(f"There is no change {self.deed}; `recollect undo --list` lists them.")


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
        check_limit(self.limit, MOST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    deeds: list[Change]  # the newest first


UNDO = Operation("undo", "Undoes a change, or all that was learnt from a session.", Undo, TakenBack, writes=True)
DEEDS = Operation("deeds", "Lists recent changes with the numbers to undo them.", RecentChanges, Done)
