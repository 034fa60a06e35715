"""Projects, folders and viewers, as a part of the engine."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from recollect.domain.changes import ChangeAction, ChangeId, ProjectNameEdit
from recollect.domain.memory import ProjectId, SessionId, Viewer
from recollect.domain.project import ProjectFacts
from recollect.engine.admission import refuse_secret
from recollect.engine.join_projects import join
from recollect.engine.ports import ReadsFolders, SettingsFor, Store
from recollect.engine.projects import Resolution, resolve, store_aliases


class Belonging:
    _store: Store
    _settings_for: SettingsFor
    _workspace: ReadsFolders

    def projects(self) -> list[ProjectFacts]:
        return self._store.projects()

    def find_project(self, project: ProjectId) -> ProjectFacts | None:
        return next((facts for facts in self._store.projects() if facts.id == project), None)

    def join(self, source: ProjectId, into: ProjectId, *, at: datetime, by: str) -> ChangeId:
        refuse_secret("project", into)
        return join(self._store, source, into, at=at, by=by)

    def resolve(self, folder: str) -> Resolution:
        """Find the project of a folder, the reason, and other projects it could be. Writes nothing."""
        return resolve(self._store, self._workspace.place_of(folder), self._workspace.root_commit)

    def project_of(self, folder: str) -> ProjectId:
        return self.resolve(folder).project

    def project_by_alias(self, alias: str) -> ProjectId:
        """Return the one project with this alias; an alias without one is itself the id."""
        projects = self._store.find_by_aliases([ProjectId(alias)]).get(ProjectId(alias), frozenset())
        return next(iter(projects)) if len(projects) == 1 else ProjectId(alias)

    def viewer(
        self, project: ProjectId | None, language: str | None = None, session: SessionId | None = None
    ) -> Viewer:
        shared = self._settings_for(None).privacy.share_preferences
        return Viewer(project=project, language=language, session=session, shares_preferences=shared)

    def agent_viewer(self, folder: str | None, session: SessionId) -> Viewer:
        """The viewer for an agent in this folder; None: outside of every project."""
        if folder is None:
            return self.viewer(None, session=session)
        return self.viewer(self.project_of(folder), self._workspace.language_of(folder), session)

    def enter_project(self, folder: str, at: datetime) -> ProjectId:
        """Return the project of a folder where something will be stored, and note what is new about it."""
        return self._note_project(self.resolve(folder), at)

    def take_name(
        self, folder: str, *, moves_from: ProjectId | None, written: ProjectNameEdit | None, at: datetime, by: str
    ) -> ProjectId:
        """Use the name in the folder's marker file, and move the project `moves_from` there: one undo takes both back.
        `written`: the name that was written to the file for it."""
        detail = {} if written is None else {"named": asdict(written)}
        with self._store.transaction():
            after, accepted = self._accept(folder, {} if moves_from else detail, at=at, by=by)
            if moves_from is not None:
                refuse_secret("project", after)
                also = {} if accepted is None else {"also": accepted}
                join(self._store, moves_from, after, at=at, by=by, extra_detail=detail | also)
        return after

    def accept_name(self, folder: str, *, at: datetime, by: str) -> ProjectId:
        """Use the name in the folder's marker file, even if a project from elsewhere has that name."""
        with self._store.transaction():
            return self._accept(folder, {}, at=at, by=by)[0]

    def _accept(
        self, folder: str, more_detail: Mapping[str, Any], *, at: datetime, by: str
    ) -> tuple[ProjectId, ChangeId | None]:
        place = self._workspace.place_of(folder)
        accepted = resolve(self._store, place, self._workspace.root_commit, accept_name=True)
        change = None
        if accepted.aliases:
            detail = {"project": accepted.project, "aliases": sorted(accepted.aliases), **more_detail}
            change = self._store.begin_change(ChangeAction.ACCEPT, at, by, detail)
        return self._note_project(accepted, at), change

    def _note_project(self, resolved: Resolution, at: datetime) -> ProjectId:
        store_aliases(self._store, resolved, self._workspace.root_commit, at)
        return resolved.project
