"""Memories that wait for the user's decision, and deciding them."""

from dataclasses import dataclass
from enum import StrEnum

from recollect.api.operation import Operation, OperationContext, Request
from recollect.api.request_scope import viewer_of
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Memory, Tier, Viewer
from recollect.domain.review import Case, Review
from recollect.privacy.visibility import is_of_another_project, may_see

MOST = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class ToReview(Request):
    everywhere: bool = False  # in all projects, not only the folder's
    candidates_only: bool = False  # without confirmed memories
    limit: int | None = None  # None: all

    def __post_init__(self) -> None:
        if self.limit is not None and not 1 <= self.limit <= MOST:
            raise InvalidValue(f"The limit is {self.limit}; it must be from 1 to {MOST:,}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    cases: list[Case]  # contradicting and flagged memories, the newest first
    candidates: list[Memory]  # the most likely to matter first
    here: int  # how many wait here, whatever the limit
    elsewhere: int


class Decision(StrEnum):
    ACCEPT = "accept"  # it is valid, and what it contradicts is not any more
    KEEP = "keep"  # both are valid
    REJECT = "reject"  # it is not valid


@dataclass(frozen=True, slots=True, kw_only=True)
class Decide(Request):
    decision: Decision
    ids: tuple[str, ...]  # or the beginnings of ids

    def __post_init__(self) -> None:
        if not self.ids:
            raise InvalidValue("`ids` is missing: name the memories.")


def find_waiting(desk: OperationContext, asked: ToReview) -> Waits:
    cases = desk.engine.cases()
    if asked.candidates_only:
        cases = [case for case in cases if case.memory.tier is Tier.CANDIDATE]
    known = {case.memory.id for case in cases}
    candidates = [memory for memory in desk.engine.candidates() if memory.id not in known]
    in_all = len(cases) + len(candidates)
    if not asked.everywhere:
        viewer = viewer_of(desk.engine, asked.folder, None, None)
        cases = [case for case in cases if belongs(case.memory, viewer)]
        candidates = [memory for memory in candidates if belongs(memory, viewer)]
    here = len(cases) + len(candidates)
    limit = here if asked.limit is None else asked.limit
    shown = candidates[: max(0, limit - len(cases))]
    return Waits(cases=cases[:limit], candidates=shown, here=here, elsewhere=in_all - here)


def belongs(memory: Memory, viewer: Viewer) -> bool:
    """This project may not decide on what another project shares with it."""
    return may_see(memory, viewer) and not is_of_another_project(memory, viewer)


def decide(desk: OperationContext, asked: Decide) -> Review:
    found = [desk.engine.find(given).id for given in asked.ids]
    match asked.decision:
        case Decision.ACCEPT:
            return desk.engine.accept(found, at=desk.now, by=asked.by)
        case Decision.KEEP:
            return desk.engine.keep(found, at=desk.now, by=asked.by)
        case Decision.REJECT:
            return desk.engine.reject(found, at=desk.now, by=asked.by)


REVIEW = Operation("review", "Lists what waits for the user's decision.", ToReview, Waits, find_waiting)
DECIDE = Operation("decide", "Decides what waits; `undo` reverts it.", Decide, Review, decide, writes=True)
