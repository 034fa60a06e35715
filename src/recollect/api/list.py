"""Lists the memories of a project, newest first."""

from dataclasses import dataclass

from recollect.api.operation import Operation, OperationContext, Request
from recollect.api.request_scope import viewer_of
from recollect.domain.errors import InvalidValue
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
        if not 1 <= self.limit <= MOST:
            raise InvalidValue(f"The limit is {self.limit}; it must be from 1 to {MOST:,}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    project: ProjectId | None
    memories: list[Memory]
    seen: dict[MemoryId, Freshness]  # of memories about files
    elsewhere: bool  # there are no memories here, but some in another project


def list_memories(desk: OperationContext, asked: List) -> Listed:
    viewer = viewer_of(desk.engine, asked.folder, asked.project, asked.language)
    memories = desk.engine.newest(viewer, limit=asked.limit, kinds=asked.kinds)
    return Listed(
        project=viewer.project,
        memories=memories,
        seen=dict(desk.engine.freshness(memories, asked.folder)),
        elsewhere=not memories and any(known.memories for known in desk.engine.projects()),
    )


LIST = Operation(
    "list", "Lists the memories of a project and the universal ones, newest first.", List, Listed, list_memories
)
