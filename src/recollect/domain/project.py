"""What a folder says about the project it belongs to, and what is known of a project.

A folder only says so: `engine.projects` finds the project.
"""

from dataclasses import dataclass
from datetime import datetime

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import ProjectId, check_name

# How the aliases of a project begin: what somebody called it, its remote, its first commit, a place where it lies.
BY_NAME, BY_REMOTE, BY_ROOT, BY_PATH = "name:", "git:", "root:", "path:"
# Who may use a project's name: repositories with this remote; without one, the folder at this place.
NAMED_FROM, NAMED_AT = "named-from:", "named-at:"
SHARED = (BY_ROOT, NAMED_FROM, NAMED_AT)  # what several projects may have; all else belongs to one


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderFacts:
    """What a folder says."""

    root: str  # the top of the working tree, else the folder, as the file system has it: to open, not to show
    path: ProjectId  # readable; the same from every folder and worktree of a repository
    remote: ProjectId | None = None  # None: no remote, or one that names nothing
    name: ProjectId | None = None  # None: no marker file gives it a name
    former_remote: ProjectId | None = None  # how earlier versions wrote the remote, where that is different
    is_former_shared: bool = False  # they wrote another remote in the same way

    def __post_init__(self) -> None:
        remotes = ((self.remote, BY_REMOTE), (self.former_remote, BY_REMOTE))
        for alias, beginning in ((self.path, BY_PATH), *remotes, (self.name, BY_NAME)):
            if alias is not None:
                check_name(alias, "project")
                if not alias.startswith(beginning) or alias == beginning:
                    raise InvalidValue(f"The project {alias!r} is not usable: here it begins with {beginning!r}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectFacts:
    """What is known of a project."""

    id: ProjectId
    memories: int
    last_at: datetime  # when something was last written for it
    aliases: tuple[ProjectId, ...]  # everything that it is known as
