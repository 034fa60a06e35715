"""The scope of imported memories: the project of the file's folder, or of the current folder; universal only for files
that the user keeps for all projects.

Another author may have written a file that came with a repository, or that was found while a folder was searched: such
a file teaches only its own project, whatever scope it names.
"""

from pathlib import Path

from recollect.cli import context
from recollect.cli.importing.files import STDIN, Readable
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import UNIVERSAL, Draft, ProjectId, Scope, Sensitivity
from recollect.engine.engine import Engine
from recollect.engine.memories.folder_project import enter_project, project_here
from recollect.engine.memories.projects import project_by_alias
from recollect.imports.entry import Entry, KeptEntry, RejectedEntry
from recollect.imports.format import Format, is_for_agents
from recollect.text.block import visible
from recollect.workspace import claude_code, git

# Folders in the user's home with instructions that agents read in every project.
OF_THE_USER = (".claude", ".codex", ".gemini", ".cursor", ".config/opencode", ".config/agents")


class ImportScopes:
    def __init__(self, engine: Engine, given: str | None, *, looking: bool, as_written: bool = False) -> None:
        """`as_written`: the user vouches for the scopes that the files name."""
        self._engine = engine
        self._as_written = as_written
        self._given = context.project_of(engine, given, may_be_new=True) if given else None
        self._looking = looking  # write nothing, not even that a project was seen
        self._known: dict[Path, Scope] = {}
        self._projects: dict[str, ProjectId] = {}

    def here(self) -> ProjectId:
        return self._given or context.project_of(self._engine, None)

    def scope_of(self, file: Readable) -> Scope:
        """The scope of entries that do not name one."""
        if self._given is not None:
            return Scope.project(self._given)
        folder = _folder_of(file)
        if folder is None or (file.form is Format.JSONL and not git.is_in_project(folder)):
            return Scope.project(self.here())
        if folder not in self._known:
            self._known[folder] = self._of_folder(folder)
        return self._known[folder]

    def confine(self, file: Readable, entry: Entry) -> Entry:
        """Return the entry, or a refusal if a file from this place may not bring it."""
        if not isinstance(entry, KeptEntry) or self._as_written or not _may_be_of_others(file):
            return entry
        own = self.scope_of(file)
        if entry.draft.scope == own and entry.draft.sensitivity is not Sensitivity.PUBLIC:
            return entry
        return RejectedEntry(
            entry.line,
            f"It is meant for {_reach(entry.draft)}; a file in a project can only teach that project "
            f"({visible(own.name)}). If you wrote it yourself, use --scopes-as-written.",
        )

    def find_project(self, name: str) -> ProjectId:
        """Find the project that another tool names by its folder. An unknown one keeps that name."""
        if name not in self._projects:
            self._projects[name] = self._given or self._find_by_folder_name(name)
        return self._projects[name]

    def _find_by_folder_name(self, name: str) -> ProjectId:
        here = self.here()
        matching = set()
        for project in (here, *(facts.id for facts in self._engine.store.projects())):
            if project.rsplit("/", 1)[-1] == name:
                matching.add(project)
        if here in matching:
            return here
        return matching.pop() if len(matching) == 1 else project_by_alias(self._engine.store, name)

    def _of_folder(self, folder: Path) -> Scope:
        if not _is_of_the_user(folder):
            return self._project(folder) if git.is_in_project(folder) else Scope.project(self.here())
        slug = _project_of_claude_code(folder)
        if slug is None:
            return UNIVERSAL
        found = claude_code.folder_of(slug)
        if found is None:
            raise InvalidValue(f"The folder of Claude Code's project {slug!r} was not found; give --project ID.")
        return self._project(found)

    def _project(self, folder: Path) -> Scope:
        ctx = context.request(self._engine, str(folder))
        return Scope.project(project_here(ctx) if self._looking else enter_project(ctx))


def _project_of_claude_code(folder: Path) -> str | None:
    """The NAME of `~/.claude/projects/NAME/memory` and of folders below it."""
    parts = folder.parts
    for number in range(len(parts) - 3):
        if parts[number : number + 2] == (".claude", "projects") and parts[number + 3] == "memory":
            return parts[number + 2]
    return None


def _folder_of(file: Readable) -> Path | None:
    """The folder of the file; None: it is piped. A link from or into a repository is a file of that repository."""
    if file.path == STDIN:
        return None
    named, real = file.path.absolute().parent, file.path.resolve().parent
    return real if git.is_in_project(real) and not git.is_in_project(named) else named


def _may_be_of_others(file: Readable) -> bool:
    """Check whether another author may have written it: in a project, under a name for agents, or found in a folder."""
    folder = _folder_of(file)
    if folder is None or _is_of_the_user(folder):
        return False
    return git.is_in_project(folder) or not file.is_named or is_for_agents(file.path.name)


def _is_of_the_user(folder: Path) -> bool:
    """Return True for the home and the folders in it that agents read in every project, not for a repository there."""
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
