"""Where holds what a file says that does not say so itself: in the project that it lies in, else everywhere."""

from pathlib import Path

from recollect.cli import context
from recollect.cli.import_files import STDIN, Readable
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import UNIVERSAL, ProjectId, Scope
from recollect.engine.engine import Engine
from recollect.imports.format import Format
from recollect.workspace import claude_code, git

# Folders in the user's home that hold what an agent is told in every project.
OF_THE_USER = (".claude", ".codex", ".gemini", ".cursor", ".config/opencode", ".config/agents")


class Places:
    def __init__(self, engine: Engine, given: str | None, *, looking: bool) -> None:
        self._engine = engine
        self._given = context.project_of(engine, given, may_be_new=True) if given else None
        self._looking = looking  # nothing is noted, not even that a project was met
        self._known: dict[Path, Scope] = {}
        self._named: dict[str, ProjectId] = {}

    def here(self) -> ProjectId:
        return self._given or context.project_of(self._engine, None)

    def scope_of(self, file: Readable) -> Scope:
        if self._given is not None:
            return Scope.project(self._given)
        if file.path == STDIN or file.form is Format.JSONL:
            return Scope.project(self.here())
        folder = file.path.absolute().parent
        if folder not in self._known:
            self._known[folder] = self._of_folder(folder)
        return self._known[folder]

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
        slug = _project_of_claude_code(folder)
        if slug is not None:
            found = claude_code.folder_of(slug)
            if found is None:
                raise InvalidValue(
                    f"The project {slug!r} of Claude Code is not there, or cannot be told; give --project ID."
                )
            return self._project(found)
        if _is_of_the_user(folder) or not git.is_in_project(folder):
            return UNIVERSAL
        return self._project(folder)

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


def _is_of_the_user(folder: Path) -> bool:
    home = Path.home().resolve()
    place = folder.resolve()
    return place == home or any(place.is_relative_to(home / own) for own in OF_THE_USER)
