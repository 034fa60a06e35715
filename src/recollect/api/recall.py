"""Searches memories, or turns of old sessions."""

from dataclasses import dataclass

from recollect.api.operation import Operation, Request, check_limit
from recollect.domain.memory import Hit
from recollect.domain.search import EVERYTHING, Filters, check_query
from recollect.domain.session import TurnHit

MOST = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall(Request):
    query: str
    limit: int | None = None  # None: search.hits, or all for a query like "list all rules"
    project: str | None = None  # None: the folder's project
    language: str | None = None
    filters: Filters = EVERYTHING  # over HTTP, its fields are fields of the request
    archive: bool = False  # search turns of old sessions instead of memories

    def __post_init__(self) -> None:
        check_limit(self.limit, MOST)
        check_query(self.query)
        if self.archive:
            self.filters.check_for_turns()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    memories: list[Hit]
    uncertain: bool = False  # nothing fits: these are the nearest few memories
    turns: list[TurnHit]
    by_meaning: bool
    by_words_only: int  # how many memories, or turns, have no vector yet
    model_missing: bool
    model_problem: str | None  # why there is no model


RECALL = Operation("recall", "Finds memories, or turns of old sessions, best first.", Recall, Recalled)
