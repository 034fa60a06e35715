"""Projects: the facts that a folder gives about its project, and the facts known about a project. A folder only gives
facts: `engine.projects` finds the project."""

from dataclasses import dataclass
from datetime import datetime

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import ProjectId, check_name

# Prefixes of a project's aliases: a name the user gave it, its git remote, its first commit, a folder it is in.
BY_NAME, BY_REMOTE, BY_ROOT, BY_PATH = "name:", "git:", "root:", "path:"
# Prefixes that say who may use a project's name: repositories with this remote; without a remote, this folder.
NAMED_FROM, NAMED_AT = "named-from:", "named-at:"
# Prefix of the id under which a forgotten project's sessions wait until the undo window ends.
HIDDEN_PREFIX = "forgotten:"
SHARED_PREFIXES = (BY_ROOT, NAMED_FROM, NAMED_AT)  # an alias with another prefix belongs to one project only


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderFacts:
    root: str  # the top of the working tree, else the folder, as the file system has it: to open, not to show
    path: ProjectId  # readable; the same from every folder and worktree of a repository
    remote: ProjectId | None = None  # None: no remote, or one that names nothing
    name: ProjectId | None = None  # None: no marker file gives it a name
    former_remote: ProjectId | None = None  # how earlier versions wrote the remote, where that is different
    is_former_shared: bool = False  # earlier versions wrote another remote in the same way

    def __post_init__(self) -> None:
        _check_alias(self.path, BY_PATH)
        _check_alias(self.remote, BY_REMOTE)
        _check_alias(self.former_remote, BY_REMOTE)
        _check_alias(self.name, BY_NAME)


def _check_alias(alias: ProjectId | None, prefix: str) -> None:
    if alias is None:
        return
    check_name(alias, "project")
    if not alias.startswith(prefix) or alias == prefix:
        raise InvalidValue(f"The project {alias!r} is not usable: here it begins with {prefix!r}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectFacts:
    id: ProjectId
    memories: int
    last_at: datetime  # when something was last written for it
    aliases: tuple[ProjectId, ...]  # all names, remotes, paths and root commits it is known by


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCounts:
    """How much is stored for a project or outside of all. Counts only, never any text."""

    place: str  # a project's id, `universal`, `language:NAME`, `no project`, or `forgotten` for what can be undone
    memories: int = 0  # confirmed, and valid now
    candidates: int = 0
    past: int = 0  # memories that ended or were replaced: the history
    forgotten: int = 0  # memories that can still be brought back
    turns: int = 0
    sessions: int = 0
    notes: int = 0  # sessions that left notes or a summary
    blocks: int = 0  # shown to models
    waiting: int = 0  # events that wait to be learnt from
    text_bytes: int = 0  # of all these texts
    oldest: datetime | None = None
    newest: datetime | None = None


def hidden_project_id(at: datetime, change: int) -> ProjectId:
    return ProjectId(f"{HIDDEN_PREFIX}{int(at.timestamp() * 1000):015d}:{change}")


def is_hidden(project: ProjectId) -> bool:
    return project.startswith(HIDDEN_PREFIX)


def hidden_at_ms(hidden: ProjectId) -> int:
    return int(hidden.split(":")[1])
