"""Memories that wait for the user's decision, and deciding them."""

from dataclasses import dataclass

from recollect.api.operation import Operation, Request, check_ids, check_limit
from recollect.domain.memory import Memory
from recollect.domain.review import Case, Decision, Review

MOST = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class ToReview(Request):
    everywhere: bool = False  # in all projects, not only the folder's
    candidates_only: bool = False  # without confirmed memories
    limit: int | None = None  # None: all

    def __post_init__(self) -> None:
        check_limit(self.limit, MOST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    cases: list[Case]  # contradicting and flagged memories, the newest first
    candidates: list[Memory]  # the most likely to matter first
    here: int  # how many wait here, whatever the limit
    elsewhere: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Decide(Request):
    decision: Decision
    ids: tuple[str, ...]  # or the beginnings of ids

    def __post_init__(self) -> None:
        check_ids(self.ids)


REVIEW = Operation("review", "Lists what waits for the user's decision.", ToReview, Waits)
DECIDE = Operation("decide", "Decides what waits; `undo` reverts it.", Decide, Review, writes=True)
