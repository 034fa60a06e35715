"""Changes to memories, each with the state before it, so that every change can be undone."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple, NewType

from recollect.domain.memory import Memory, MemoryId, Role, Source

ChangeId = NewType("ChangeId", int)
AGENT = "mcp"  # the author of every change that an agent makes with its tools, in any host
AGENTS = (AGENT,)  # authors that are always agents


class ChangeAction(StrEnum):
    REMEMBER = "remember"
    IMPORT = "import"
    EDIT = "edit"  # a person changed the words of a memory
    FORGET = "forget"
    FORGET_PROJECT = "forget_project"  # a project's memories, archive and names
    PURGE = "purge"  # deleted for good; recorded, so that `undo` does not undo the change before it instead
    JOIN = "join"  # one project became part of another
    ACCEPT = "accept"  # a repository may use a project's name
    REVIEW = "review"  # a person decided in `recollect review`
    LEARN = "learn"  # memories learnt from one session
    FADE = "fade"  # candidates that were never needed have ended
    REJUDGE = "rejudge"  # doubtful replacements by an older version were taken back
    DEMOTE = "demote"  # memories captured by older rules became candidates under today's
    PROPOSE = "propose"  # an agent wants to forget something the user said; the user decides
    UNDO = "undo"


# These change memories and nothing else: once the memories are gone, nothing is left to undo.
MEMORY_CHANGES = (
    ChangeAction.REMEMBER,
    ChangeAction.IMPORT,
    ChangeAction.EDIT,
    ChangeAction.FORGET,
    ChangeAction.REVIEW,
    ChangeAction.LEARN,
    ChangeAction.FADE,
    ChangeAction.REJUDGE,
    ChangeAction.DEMOTE,
)

UPGRADE_CHANGES = (ChangeAction.REJUDGE, ChangeAction.DEMOTE)  # made by an upgrade, not by a person


class Erasures(NamedTuple):
    """How often memories, and sessions, were deleted for good so far, by any process."""

    purges: int  # of memories, with their words wherever they are quoted
    deletions: int  # of sessions


def author_of(source: Source) -> str:
    return AGENT if source.role is Role.ASSISTANT else source.host or "engine"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change to any number of memories; done and undone as a whole."""

    id: ChangeId
    kind: ChangeAction
    at: datetime
    by: str  # the author, by its host: "cli", "opencode" ...
    memories: int  # how many it changed
    about: str | None = None  # text of the first of these memories, while it exists
    undone_by: ChangeId | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)  # what else it changed; never the text of a memory

    @property
    def name_edit(self) -> "ProjectNameEdit | None":
        """Return the edit of a project's own file that came with the change, if there was one."""
        detail = self.detail.get("named")
        return None if detail is None else ProjectNameEdit(**detail)


@dataclass(frozen=True, slots=True)
class ProjectNameEdit:
    """An edit of the name in a project's own file."""

    file: str
    name: str
    is_written: bool = True  # False: removed


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryChange:
    """One memory before a change."""

    deed: Change
    memory: MemoryId
    before: Memory | None  # None: it did not exist
