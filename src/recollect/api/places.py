"""Whose memories are meant: the project of a folder, a viewer, a scope, from what a request says."""

from datetime import datetime
from typing import TYPE_CHECKING

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import ProjectId, Scope, ScopeLevel, Viewer, check_name

if TYPE_CHECKING:
    from recollect.engine.engine import Engine

HERE = "project"  # the scope of the folder's project
NO_FOLDER = "The request names no `folder`; say where you ask from, or name a project."


def project_of(engine: "Engine", folder: str | None, given: str | None, *, may_be_new: bool = False) -> ProjectId:
    """The project that is named, else that of the folder."""
    if not given:
        if folder is None:
            raise InvalidValue(NO_FOLDER)
        return engine.project_of(folder)
    check_name(given, "project")
    project = engine.project_named(given)
    if not may_be_new and engine.project(project) is None:
        raise InvalidValue(f"Nothing is known of a project {given!r}; `recollect project list` shows all.")
    return project


def viewer_of(engine: "Engine", folder: str | None, project: str | None, language: str | None) -> Viewer:
    return engine.viewer(project_of(engine, folder, project), language.lower() if language else None)


def scope_named(engine: "Engine", given: str, folder: str | None, now: datetime) -> Scope:
    """The scope that is named for something that is kept; the project of the folder is noted then."""
    if given == HERE:
        if folder is None:
            raise InvalidValue(NO_FOLDER)
        return Scope.project(engine.enter_project(folder, now))
    scope = Scope.parse(given)
    in_project = scope.level is ScopeLevel.PROJECT
    return Scope.project(engine.project_named(scope.name)) if in_project else scope
