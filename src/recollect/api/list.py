"""Lists the memories of a project, newest first."""

from dataclasses import dataclass

from recollect.api.operation import Operation, Request, check_limit
from recollect.domain.freshness import Freshness
from recollect.domain.memory import Kind, Memory, MemoryId, ProjectId

MOST = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class List(Request):
    limit: int = 50
    project: str | None = None  # None: the folder's project
    language: str | None = None
    kinds: frozenset[Kind] = frozenset()  # empty: all

    def __post_init__(self) -> None:
        check_limit(self.limit, MOST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    project: ProjectId | None
    memories: list[Memory]
    seen: dict[MemoryId, Freshness]  # of memories about files
    elsewhere: bool  # there are no memories here, but some in another project


LIST = Operation("list", "Lists the memories of a project and the universal ones, newest first.", List, Listed)
