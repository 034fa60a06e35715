"""What a session is, and what it was shown."""

from collections.abc import Callable, Iterable
from datetime import datetime

from recollect.domain.event import Event
from recollect.domain.injection import Sent, Session
from recollect.domain.memory import MemoryId, ProjectId, Viewer
from recollect.engine.ports import KeepsSessions

EntersProject = Callable[[str, datetime], ProjectId]  # the folder, and when


def enter(sessions: KeepsSessions, event: Event, enter_project: EntersProject) -> Session:
    """The session of an event; an unknown one begins here, and its project is found and noted then."""
    known = sessions.session(event.session)
    if known is not None:
        return known
    return sessions.begin_session(
        Session(
            id=event.session,
            host=event.host,
            project=_project(event, enter_project),
            language=event.language,
            started_at=event.at,
        )
    )


def viewer(session: Session) -> Viewer:
    return Viewer(project=session.project, language=session.language, session=session.id)


def shown(live: Iterable[Sent]) -> frozenset[MemoryId]:
    return frozenset(memory_id for sent in live for memory_id in sent.injection.ids)


def _project(event: Event, enter_project: EntersProject) -> ProjectId | None:
    if event.project is not None:
        return event.project
    return enter_project(event.folder, event.at) if event.folder else None
