"""The project, viewer or scope that a request means."""

from datetime import datetime
from typing import TYPE_CHECKING

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import ProjectId, Scope, ScopeLevel, Viewer, check_name

if TYPE_CHECKING:
    from recollect.engine.engine import Engine

HERE = "project"  # the scope of the folder's project
NO_FOLDER = "The request has no `folder`; give your folder, or name a project."


def project_of(engine: "Engine", folder: str | None, given: str | None, *, may_be_new: bool = False) -> ProjectId:
    if not given:
        if folder is None:
            raise InvalidValue(NO_FOLDER)
        return engine.project_of(folder)
    check_name(given, "project")
    project = engine.project_by_alias(given)
    if not may_be_new and engine.find_project(project) is None:
        raise InvalidValue(f"There is no project {given!r}; `recollect project list` shows all.")
    return project


def viewer_of(engine: "Engine", folder: str | None, project: str | None, language: str | None) -> Viewer:
    return engine.viewer(project_of(engine, folder, project), language.lower() if language else None)


def scope_to_store(engine: "Engine", given: str, folder: str | None, now: datetime) -> Scope:
    """Return the named scope for a memory to store; the folder's project is registered if it is new."""
    if given == HERE:
        if folder is None:
            raise InvalidValue(NO_FOLDER)
        return Scope.project(engine.enter_project(folder, now))
    scope = Scope.parse(given)
    if scope.level is ScopeLevel.PROJECT:
        return Scope.project(engine.project_by_alias(scope.name))
    return scope
