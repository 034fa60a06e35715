"""What waits for a person's decision, and deciding it."""

from dataclasses import dataclass
from enum import StrEnum

from recollect.api.operation import Desk, Operation, Request
from recollect.api.places import viewer_of
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Memory, Tier, Viewer
from recollect.domain.review import Case, Review
from recollect.privacy.visibility import is_of_another_project, may_see

MOST = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class ToReview(Request):
    everywhere: bool = False  # of all projects, not only of the folder's
    candidates_only: bool = False  # only what sessions brought and nothing has proven
    limit: int | None = None  # None: all

    def __post_init__(self) -> None:
        if self.limit is not None and not 1 <= self.limit <= MOST:
            raise InvalidValue(f"The limit is {self.limit}; it goes from 1 to {MOST:,}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    cases: list[Case]  # what contradicts others, and what is flagged; the newest first
    candidates: list[Memory]  # the likeliest to matter first
    here: int  # so many wait here in all, whatever the limit
    elsewhere: int


class Decision(StrEnum):
    ACCEPT = "accept"  # it holds, and what it contradicts ends
    KEEP = "keep"  # both hold
    REJECT = "reject"  # it does not hold


@dataclass(frozen=True, slots=True, kw_only=True)
class Decide(Request):
    decision: Decision
    ids: tuple[str, ...]  # or their beginnings

    def __post_init__(self) -> None:
        if not self.ids:
            raise InvalidValue("The `ids` are missing: say what is decided.")


def waits(desk: Desk, asked: ToReview) -> Waits:
    cases = [case for case in desk.engine.cases() if case.memory.tier is Tier.CANDIDATE or not asked.candidates_only]
    known = {case.memory.id for case in cases}
    candidates = [memory for memory in desk.engine.candidates() if memory.id not in known]
    everywhere = len(cases) + len(candidates)
    if not asked.everywhere:
        viewer = viewer_of(desk.engine, asked.folder, None, None)
        cases = [case for case in cases if belongs(case.memory, viewer)]
        candidates = [memory for memory in candidates if belongs(memory, viewer)]
    here = len(cases) + len(candidates)
    at_most = here if asked.limit is None else asked.limit
    return Waits(
        cases=cases[:at_most],
        candidates=candidates[: max(0, at_most - len(cases))],
        here=here,
        elsewhere=everywhere - here,
    )


def belongs(memory: Memory, viewer: Viewer) -> bool:
    """What another project shares with this one is not this one's to decide."""
    return may_see(memory, viewer) and not is_of_another_project(memory, viewer)


def decide(desk: Desk, asked: Decide) -> Review:
    engine, found = desk.engine, [desk.engine.find(given).id for given in asked.ids]
    decides = {Decision.ACCEPT: engine.accept, Decision.KEEP: engine.keep, Decision.REJECT: engine.reject}
    return decides[asked.decision](found, at=desk.now, by=asked.by)


REVIEW = Operation("review", "What waits for a person's decision.", ToReview, Waits, waits)
DECIDE = Operation("decide", "Decides what waits; `undo` takes it back.", Decide, Review, decide, writes=True)
