"""What a session is, and what it was shown."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from recollect.domain.event import Event
from recollect.domain.injection import Session
from recollect.domain.memory import ProjectId, SessionId, Viewer
from recollect.engine.ports import KeepsSessions

FILE_FIELDS = ("filePath", "file_path", "path", "file")  # what tools call the file that they work on
RECENT_FILES, RECENT_SESSIONS = 10, 200
EntersProject = Callable[[str, datetime], ProjectId]  # the folder, and when
FindsLanguage = Callable[[str], str | None]  # in the folder


def enter(sessions: KeepsSessions, event: Event, enter_project: EntersProject, language_of: FindsLanguage) -> Session:
    """The session of an event; an unknown one begins here: its project is found and noted, its language found."""
    known = sessions.session(event.session)
    if known is not None:
        return known
    parent = None if event.parent is None else sessions.session(event.parent)
    return sessions.begin_session(
        Session(
            id=event.session,
            host=event.host,
            project=_project(event, enter_project) or (None if parent is None else parent.project),
            language=_language(event, language_of) or (None if parent is None else parent.language),
            started_at=event.at,
            parent=event.parent,
            # Who wants to be left alone means the agents that they start, too.
            recalls=parent is None or parent.recalls,
            captures=parent is None or parent.captures,
        )
    )


def viewer(session: Session) -> Viewer:
    return Viewer(project=session.project, language=session.language, session=session.id)


def _project(event: Event, enter_project: EntersProject) -> ProjectId | None:
    if event.project is not None:
        return event.project
    return enter_project(event.folder, event.at) if event.folder else None


def _language(event: Event, language_of: FindsLanguage) -> str | None:
    if event.language is not None:
        return event.language
    return language_of(event.folder) if event.folder else None


def files_in(tool_input: Mapping[str, Any]) -> list[str]:
    return [path for name in FILE_FIELDS if isinstance(path := tool_input.get(name), str) and path.strip()]


class Recent:
    """What a few words of each session are about, the last first. Not kept: after a restart, nothing."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._of: dict[SessionId, tuple[str, ...]] = {}

    def note(self, session: SessionId, *what: str) -> None:
        if what:
            known = self._of.pop(session, ())
            self._of[session] = tuple(dict.fromkeys((*what, *known)))[: self._most]
            for oldest in list(self._of)[:-RECENT_SESSIONS]:
                self._of.pop(oldest, None)

    def of(self, session: SessionId) -> tuple[str, ...]:
        return self._of.get(session, ())
