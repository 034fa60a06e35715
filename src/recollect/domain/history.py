"""What was done to memories: every change with the state before it, so that all of it can be taken back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NewType

from recollect.domain.memory import Memory, MemoryId, Role, Source

DeedId = NewType("DeedId", int)
AGENT = "mcp"  # who did what an agent did by its tools, in whatever host
AGENTS = (AGENT,)  # through these only agents do something


class DeedKind(StrEnum):
    REMEMBER = "remember"
    IMPORT = "import"
    EDIT = "edit"  # a person changed what a memory says
    FORGET = "forget"
    FORGET_PROJECT = "forget_project"  # memories, archive and names of one
    PURGE = "purge"  # forgotten for good: noted, so that an undo does not take back what came before it instead
    JOIN = "join"  # one project became part of another
    ACCEPT = "accept"  # a repository may use a project's name
    REVIEW = "review"  # a person decided about what waited
    LEARN = "learn"  # what one session taught
    FADE = "fade"  # candidates that nobody needed
    REJUDGE = "rejudge"  # replacements of an older version that were doubtful
    DEMOTE = "demote"  # captured by older rules, and a candidate by today's
    PROPOSE = "propose"  # an agent would forget what the user said; the user decides
    UNDO = "undo"


# What changes memories and nothing else: without them nothing is left of it.
OF_MEMORIES = (
    DeedKind.REMEMBER,
    DeedKind.IMPORT,
    DeedKind.EDIT,
    DeedKind.FORGET,
    DeedKind.REVIEW,
    DeedKind.LEARN,
    DeedKind.FADE,
    DeedKind.REJUDGE,
    DeedKind.DEMOTE,
)

OF_UPGRADES = (DeedKind.REJUDGE, DeedKind.DEMOTE)  # no person did them


def doer(source: Source) -> str:
    """Who is named for what was remembered."""
    return AGENT if source.role is Role.ASSISTANT else source.host or "engine"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that somebody did, to any number of memories; done and undone as a whole."""

    id: DeedId
    kind: DeedKind
    at: datetime
    by: str  # the host that it came through: "cli", "opencode" ...
    memories: int  # how many it changed
    about: str | None = None  # what the first of these says, while it is there
    undone_by: DeedId | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)  # what else it changed; never the text of a memory

    @property
    def named(self) -> "Named | None":
        """The file that it wrote a project's name into, or took it from."""
        told = self.detail.get("named")
        return None if told is None else Named(**told)


@dataclass(frozen=True, slots=True)
class Named:
    """What a person did to the name in a project's own file."""

    file: str
    name: str
    is_written: bool = True  # False: taken out again


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryChange:
    """What a deed did to one memory."""

    deed: Change
    memory: MemoryId
    before: Memory | None  # None: it did not exist
