"""What a session is, and what it was shown."""

from collections.abc import Iterable

from recollect.domain.event import Event
from recollect.domain.injection import Sent, Session
from recollect.domain.memory import MemoryId, ProjectId, Viewer
from recollect.engine.ports import IdentifiesProjects, KeepsSessions


def enter(sessions: KeepsSessions, event: Event, identify: IdentifiesProjects) -> Session:
    """The session of an event; an unknown one begins here, and its project is read then."""
    known = sessions.session(event.session)
    if known is not None:
        return known
    return sessions.begin_session(
        Session(
            id=event.session,
            host=event.host,
            project=_project(event, identify),
            language=event.language,
            started_at=event.at,
        )
    )


def viewer(session: Session) -> Viewer:
    return Viewer(project=session.project, language=session.language, session=session.id)


def shown(live: Iterable[Sent]) -> frozenset[MemoryId]:
    return frozenset(memory_id for sent in live for memory_id in sent.injection.ids)


def _project(event: Event, identify: IdentifiesProjects) -> ProjectId | None:
    if event.project is not None:
        return event.project
    return identify(event.folder) if event.folder else None
