"""Where holds what a file says: in the project that it lies in, or in that of this folder; everywhere only what its
user keeps for all projects.

A file that came with a repository, or was met while a folder was looked through, can have been written by anybody: it
teaches its own project and no other, whatever it says of itself.
"""

from pathlib import Path

from recollect.cli import context
from recollect.cli.importing.files import STDIN, Readable
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import UNIVERSAL, Draft, ProjectId, Scope, Sensitivity
from recollect.engine.engine import Engine
from recollect.imports.entry import Bad, Entry, KeptEntry
from recollect.imports.format import Format, is_for_agents
from recollect.text.block import visible
from recollect.workspace import claude_code, git

# Folders in the user's home that hold what an agent is told in every project.
OF_THE_USER = (".claude", ".codex", ".gemini", ".cursor", ".config/opencode", ".config/agents")


class ImportScopes:
    def __init__(self, engine: Engine, given: str | None, *, looking: bool, as_written: bool = False) -> None:
        """`as_written`: the user vouches for the scopes that the files name."""
        self._engine = engine
        self._as_written = as_written
        self._given = context.project_of(engine, given, may_be_new=True) if given else None
        self._looking = looking  # nothing is noted, not even that a project was met
        self._known: dict[Path, Scope] = {}
        self._named: dict[str, ProjectId] = {}

    def here(self) -> ProjectId:
        return self._given or context.project_of(self._engine, None)

    def scope_of(self, file: Readable) -> Scope:
        """Of what does not say itself where it holds."""
        if self._given is not None:
            return Scope.project(self._given)
        folder = _folder_of(file)
        if folder is None or (file.form is Format.JSONL and not git.is_in_project(folder)):
            return Scope.project(self.here())
        if folder not in self._known:
            self._known[folder] = self._of_folder(folder)
        return self._known[folder]

    def confined(self, file: Readable, entry: Entry) -> Entry:
        """The entry, or why a file from this place cannot bring it."""
        if not isinstance(entry, KeptEntry) or self._as_written or not _may_be_of_others(file):
            return entry
        own = self.scope_of(file)
        if entry.draft.scope == own and entry.draft.sensitivity is not Sensitivity.PUBLIC:
            return entry
        return Bad(
            entry.line,
            f"It is meant for {_reach(entry.draft)}; a file that lies in a project can only teach that project "
            f"({visible(own.name)}). If you wrote it yourself, --scopes-as-written takes it as it says.",
        )

    def named(self, name: str) -> ProjectId:
        """The project that another tool calls so: by its folder's name. One that is not known here keeps that name."""
        if name not in self._named:
            self._named[name] = self._given or self._called(name)
        return self._named[name]

    def _called(self, name: str) -> ProjectId:
        here = self.here()
        known = [facts.id for facts in self._engine.projects()]
        ending = [project for project in dict.fromkeys([here, *known]) if project.rsplit("/", 1)[-1] == name]
        if here in ending:
            return here
        return ending[0] if len(ending) == 1 else self._engine.project_named(name)

    def _of_folder(self, folder: Path) -> Scope:
        if _is_of_the_user(folder):
            slug = _project_of_claude_code(folder)
            if slug is None:
                return UNIVERSAL
            found = claude_code.folder_of(slug)
            if found is None:
                raise InvalidValue(
                    f"The project {slug!r} of Claude Code is not there, or cannot be told; give --project ID."
                )
            return self._project(found)
        return self._project(folder) if git.is_in_project(folder) else Scope.project(self.here())

    def _project(self, folder: Path) -> Scope:
        if self._looking:
            return Scope.project(self._engine.project_of(str(folder)))
        return Scope.project(self._engine.enter_project(str(folder), context.now()))


def _project_of_claude_code(folder: Path) -> str | None:
    """`~/.claude/projects/NAME/memory` and below."""
    parts = folder.parts
    for number in range(len(parts) - 3):
        if parts[number : number + 2] == (".claude", "projects") and parts[number + 3] == "memory":
            return parts[number + 2]
    return None


def _folder_of(file: Readable) -> Path | None:
    """Where it lies: a link out of a repository is a file of that repository, and so is a link into one. None: it is
    piped."""
    if file.path == STDIN:
        return None
    named, real = file.path.absolute().parent, file.path.resolve().parent
    return real if git.is_in_project(real) and not git.is_in_project(named) else named


def _may_be_of_others(file: Readable) -> bool:
    """Whether somebody else may have written it: it lies in a project, bears a name that agents look for, or was only
    met in a folder."""
    folder = _folder_of(file)
    if folder is None or _is_of_the_user(folder):
        return False
    return git.is_in_project(folder) or not file.is_named or is_for_agents(file.path.name)


def _is_of_the_user(folder: Path) -> bool:
    """Their home, and the folders there that agents read in every project; not a repository that lies in one."""
    home, place = Path.home().resolve(), folder.resolve()
    if place == home:
        return True
    own = next((home / name for name in OF_THE_USER if place.is_relative_to(home / name)), None)
    if own is None:
        return False
    root = git.root_of(place)
    return not (root / ".git").exists() or root == own or not root.is_relative_to(own)


def _reach(draft: Draft) -> str:
    if draft.scope == UNIVERSAL:
        return "all projects"
    if draft.sensitivity is Sensitivity.PUBLIC:
        return "all projects to see (public)"
    return f"{draft.scope.level} {visible(draft.scope.name)}"
