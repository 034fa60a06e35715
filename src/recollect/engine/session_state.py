"""The life of a session: how it begins, forgets and ends, what its user wishes, and what it is about."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from recollect.domain.event import Event, Prompt, SessionEnded, SessionStarted, StartSource
from recollect.domain.injection import Moment
from recollect.domain.learning import Origin
from recollect.domain.memory import ProjectId, SessionId, Viewer
from recollect.domain.session import Recap, Session
from recollect.domain.settings import Privacy
from recollect.engine.admission import admitted_recap
from recollect.engine.ports import Store
from recollect.engine.session_ports import KeepsRecaps, KeepsSessions, LogsInjections

FILE_FIELDS = ("filePath", "file_path", "path", "file")  # what tools call the file that they work on
RECENT_FILES, RECENT_SESSIONS = 10, 200
EntersProject = Callable[[str, datetime], ProjectId]  # the folder, and when
FindsLanguage = Callable[[str], str | None]  # in the folder


def enter(sessions: Store, event: Event, enter_project: EntersProject, language_of: FindsLanguage) -> Session:
    """The session of an event; an unknown one begins here: its project is found and noted, its language found."""
    known = sessions.session(event.session)
    if known is not None:
        return known
    parent = None if event.parent is None else sessions.session(event.parent)
    is_gone = any("" in sessions.gone(name) for name in (event.session, event.parent) if name is not None)
    return sessions.begin_session(
        Session(
            id=event.session,
            host=event.host,
            project=_project(event, enter_project) or (None if parent is None else parent.project),
            language=_language(event, language_of) or (None if parent is None else parent.language),
            started_at=event.at,
            parent=event.parent,
            forked=isinstance(event, SessionStarted) and event.source is StartSource.FORK,
            # Who wants to be left alone means the agents that they start, too.
            recalls=parent is None or parent.recalls,
            captures=(parent is None or parent.captures) and not is_gone,
        )
    )


def as_spoken(session: Session, event: Event) -> Event:
    """Whoever goes on with an agent's session in a new process may not know that it is one: what is asked there, its
    parent's agent has asked."""
    is_agents = session.parent is not None and not session.forked
    if is_agents and isinstance(event, Prompt) and event.origin is Origin.USER:
        return replace(event, origin=Origin.SUBAGENT)
    return event


def wished(sessions: KeepsSessions, session: Session, *, recalls: bool, captures: bool) -> Session:
    """What the user does not want of a session holds for the rest of it."""
    wish = replace(session, recalls=session.recalls and recalls, captures=session.captures and captures)
    if wish != session:
        sessions.keep_session(wish)
    return wish


def forgotten(store: Store, session: Session, at: datetime, *, source: StartSource | None = None) -> Session:
    """The model knows nothing of before: a new live context. A host may tell of one compaction twice, by the event and
    by a start (`source`) after it, or by the same event again; that is one context all the same."""
    began_by_event = session.context > 0 and store.stable(session.id, session.context) is None
    if source is StartSource.COMPACT and began_by_event:
        return session
    told = store.in_context(session.id, session.context)
    began_by_start = session.context > 0 and [sent.point for sent in told] == [Moment.START]
    is_told_again = session.context > 0 and all(at < sent.at for sent in told)
    if (began_by_start and source is not StartSource.CLEAR) or (is_told_again and source is None):
        return session
    return store.begin_context(session.id)


def context_began(log: LogsInjections, session: Session, now: datetime) -> datetime | None:
    """When the model last forgot what was before; None: it never did."""
    if session.context == 0:
        return None
    return min((sent.at for sent in log.in_context(session.id, session.context)), default=now)


def leave(recaps: KeepsRecaps, session: Session, event: SessionEnded, privacy: Privacy) -> None:
    """What a session has for the next one of its project; a session may end more than once."""
    if session.project is None or not (event.notes or event.summary):
        return
    told = Recap(session=session.id, project=session.project, at=event.at, notes=event.notes, summary=event.summary)
    left, before = admitted_recap(told, privacy), recaps.recap(session.id)
    recaps.keep_recap(left if before is None else left.after(before))


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

    def forget(self, session: SessionId) -> None:
        self._of.pop(session, None)

    def of(self, session: SessionId) -> tuple[str, ...]:
        return self._of.get(session, ())
