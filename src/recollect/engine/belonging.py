"""What belongs to which project, as a part of the engine."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from recollect.domain.history import DeedId, DeedKind, Named
from recollect.domain.memory import ProjectId, SessionId, Viewer
from recollect.domain.project import ProjectFacts
from recollect.engine.admission import refuse_secret
from recollect.engine.joining import join
from recollect.engine.ports import SeesPlaces, SettingsFor, Store
from recollect.engine.projects import Resolved, note, resolve


class Belonging:
    _store: Store
    _settings_for: SettingsFor
    _workspace: SeesPlaces

    def projects(self) -> list[ProjectFacts]:
        return self._store.projects()

    def project(self, project: ProjectId) -> ProjectFacts | None:
        """None: nothing is known of it."""
        return next((facts for facts in self._store.projects() if facts.id == project), None)

    def join(self, source: ProjectId, into: ProjectId, *, at: datetime, by: str) -> DeedId:
        refuse_secret("project", into)
        return join(self._store, source, into, at=at, by=by)

    def resolve(self, folder: str) -> Resolved:
        """The project of a folder, why it is that one, and what else it could be. A look-up: nothing is written."""
        return resolve(self._store, self._workspace.place_of(folder), self._workspace.root_commit)

    def project_of(self, folder: str) -> ProjectId:
        return self.resolve(folder).project

    def project_named(self, alias: str) -> ProjectId:
        """The project that is known as this; what nobody knows names itself."""
        having = self._store.known_as([ProjectId(alias)]).get(ProjectId(alias), frozenset())
        return next(iter(having)) if len(having) == 1 else ProjectId(alias)

    def viewer(self, project: ProjectId | None, language: str | None = None) -> Viewer:
        """Somebody who asks from within this project."""
        shared = self._settings_for(None).privacy.share_preferences
        return Viewer(project=project, language=language, shares_preferences=shared)

    def viewer_in(self, folder: str | None, session: SessionId) -> Viewer:
        """An agent at work in this folder; None: in no project."""
        shared = self._settings_for(None).privacy.share_preferences
        if folder is None:
            return Viewer(session=session, shares_preferences=shared)
        project, language = self.project_of(folder), self._workspace.language_of(folder)
        return Viewer(project=project, language=language, session=session, shares_preferences=shared)

    def enter_project(self, folder: str, at: datetime) -> ProjectId:
        """The project of a folder where something is about to be kept: what is new about it is noted."""
        return self._noted(self.resolve(folder), at)

    def take_name(
        self, folder: str, *, brings: ProjectId | None, named: Named | None, at: datetime, by: str
    ) -> ProjectId:
        """The name in the folder's file holds, and what was kept for the project that it `brings` comes along: taken
        back as one. `named`: the file was written for it."""
        detail = {} if named is None else {"named": asdict(named)}
        with self._store.writing():
            after, accepted = self._accept(folder, {} if brings else detail, at=at, by=by)
            if brings is not None:
                refuse_secret("project", after)
                also = {} if accepted is None else {"also": accepted}
                join(self._store, brings, after, at=at, by=by, besides=detail | also)
        return after

    def accept_name(self, folder: str, *, at: datetime, by: str) -> ProjectId:
        """The name that a file in the folder gives its project holds, also where it is known from elsewhere."""
        with self._store.writing():
            return self._accept(folder, {}, at=at, by=by)[0]

    def _accept(
        self, folder: str, besides: Mapping[str, Any], *, at: datetime, by: str
    ) -> tuple[ProjectId, DeedId | None]:
        place = self._workspace.place_of(folder)
        accepted = resolve(self._store, place, self._workspace.root_commit, accept_name=True)
        deed = None
        if accepted.aliases:
            detail = {"project": accepted.project, "aliases": sorted(accepted.aliases), **besides}
            deed = self._store.begin_deed(DeedKind.ACCEPT, at, by, detail)
        return self._noted(accepted, at), deed

    def _noted(self, resolved: Resolved, at: datetime) -> ProjectId:
        note(self._store, resolved, self._workspace.root_commit, at)
        return resolved.project
