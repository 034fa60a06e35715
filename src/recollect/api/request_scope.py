"""The project, viewer or scope that a request means."""

from datetime import datetime
from typing import TYPE_CHECKING

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import ProjectId, Scope, ScopeLevel, Viewer, check_name

if TYPE_CHECKING:
    from recollect.engine.engine import Engine

HERE = "project"  # the scope of the folder's project


def require_folder(folder: str | None) -> str:
    if folder is None:
        raise InvalidValue("The request has no `folder`; give your folder, or name a project.")
    return folder


def project_of(engine: "Engine", folder: str | None, given: str | None, *, may_be_new: bool = False) -> ProjectId:
    if not given:
        return engine.project_of(require_folder(folder))
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
        return Scope.project(engine.enter_project(require_folder(folder), now))
    scope = Scope.parse(given)
    if scope.level is ScopeLevel.PROJECT:
        return Scope.project(engine.project_by_alias(scope.name))
    return scope
