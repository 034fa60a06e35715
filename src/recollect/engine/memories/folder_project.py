"""The project of the caller's folder: find it, register it, name it, and see what a viewer there may see."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from recollect.api.operation import HERE
from recollect.domain.changes import ChangeAction, ChangeId, ProjectNameEdit
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import ProjectId, Scope, ScopeLevel, SessionId, Viewer, check_name
from recollect.domain.project import ProjectFacts
from recollect.domain.search import Filters
from recollect.engine.context import Context
from recollect.engine.memories.join_projects import join
from recollect.engine.memories.projects import Resolution, project_by_alias, resolve, store_aliases
from recollect.engine.pausing import find_pause
from recollect.engine.ports import KeepsProjects
from recollect.text.filters import parse_scope


def require_folder(ctx: Context) -> str:
    if ctx.folder is None:
        raise InvalidValue("The request has no `folder`; give your folder, or name a project.")
    return ctx.folder


def resolve_here(ctx: Context) -> Resolution:
    """Find the project of the folder, the reason, and other projects it could be. Writes nothing."""
    return resolve(ctx.store, ctx.folders.place_of(require_folder(ctx)), ctx.folders.root_commit)


def project_here(ctx: Context) -> ProjectId:
    return resolve_here(ctx).project


def named_project(ctx: Context, given: str | None, *, may_be_new: bool = False) -> ProjectId:
    """Return the project that a request names; without a name, that of the folder."""
    if not given:
        return project_here(ctx)
    check_name(given, "project")
    project = project_by_alias(ctx.store, given)
    if not may_be_new and find_project(ctx.store, project) is None:
        raise InvalidValue(f"There is no project {given!r}; `recollect project list` shows all.")
    return project


def resolve_scope(ctx: Context, filters: Filters, project: str | None, *, may_be_new: bool = False) -> Filters:
    """Return the filters with the id of the project that their scope names. `project`: the caller's; None: the folder's."""
    if not filters.is_of_own_project and filters.project is None:
        return filters
    named = named_project(ctx, filters.project or project, may_be_new=may_be_new or filters.is_of_own_project)
    return replace(filters, scope=Scope.project(named))


def named_viewer(ctx: Context, project: str | None, language: str | None) -> Viewer:
    return viewer_of(ctx, named_project(ctx, project), language.lower() if language else None)


def scope_to_store(ctx: Context, given: str) -> Scope:
    """Return the named scope for a memory to store; the folder's project is registered if it is new."""
    named = parse_scope(given)
    if named == HERE:
        return Scope.project(enter_project(ctx))
    scope = Scope.parse(named)
    if scope.level is ScopeLevel.PROJECT:
        return Scope.project(project_by_alias(ctx.store, scope.name))
    return scope


def enter_project(ctx: Context) -> ProjectId:
    """Return the project of a folder where something will be stored, and note what is new about it."""
    return _note_project(ctx, resolve_here(ctx))


def find_project(projects: KeepsProjects, project: ProjectId) -> ProjectFacts | None:
    return next((facts for facts in projects.projects() if facts.id == project), None)


def viewer_of(
    ctx: Context, project: ProjectId | None, language: str | None = None, session: SessionId | None = None
) -> Viewer:
    shared = ctx.settings.privacy.share_preferences
    return Viewer(project=project, language=language, session=session, shares_preferences=shared)


def agent_viewer(ctx: Context, session: SessionId) -> Viewer:
    """The viewer for an agent in this folder, or outside of every project."""
    if ctx.folder is None:
        return viewer_of(ctx, None, session=session)
    return viewer_of(ctx, project_here(ctx), ctx.folders.language_of(ctx.folder), session)


def is_paused(ctx: Context) -> bool:
    """While paused, agents in this folder are shown nothing, and nothing is kept."""

    def find_here() -> ProjectId | None:
        return project_here(ctx) if ctx.folder else None

    return find_pause(ctx.pauses.on(ctx.now), find_here, ctx.store) is not None


def take_name(ctx: Context, *, moves_from: ProjectId | None, written: ProjectNameEdit | None, by: str) -> ProjectId:
    """Use the name in the folder's marker file, and move the project `moves_from` there: one undo takes both back.
    `written`: the name that was written to the file for it."""
    detail = {} if written is None else {"named": asdict(written)}
    with ctx.store.transaction():
        after, accepted = _accept_name(ctx, {} if moves_from else detail, by=by)
        if moves_from is not None:
            also = {} if accepted is None else {"also": accepted}
            join(ctx.store, moves_from, after, at=ctx.now, by=by, extra_detail=detail | also)
    return after


def accept_name(ctx: Context, *, by: str) -> ProjectId:
    """Use the name in the folder's marker file, even if a project from elsewhere has that name."""
    with ctx.store.transaction():
        return _accept_name(ctx, {}, by=by)[0]


def _accept_name(ctx: Context, more_detail: Mapping[str, Any], *, by: str) -> tuple[ProjectId, ChangeId | None]:
    place = ctx.folders.place_of(require_folder(ctx))
    accepted = resolve(ctx.store, place, ctx.folders.root_commit, accept_name=True)
    change = None
    if accepted.aliases:
        detail = {"project": accepted.project, "aliases": sorted(accepted.aliases), **more_detail}
        change = ctx.store.begin_change(ChangeAction.ACCEPT, ctx.now, by, detail)
    return _note_project(ctx, accepted), change


def _note_project(ctx: Context, resolved: Resolution) -> ProjectId:
    store_aliases(ctx.store, resolved, ctx.folders.root_commit, ctx.now)
    return resolved.project
