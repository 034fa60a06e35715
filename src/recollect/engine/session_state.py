"""The life of a session: its start, its live contexts, its user's opt-outs and its recap."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from recollect.domain.event import Asked, Event, Prompt, SessionDeleted, SessionEnded, SessionStarted, StartSource
from recollect.domain.injection import Moment
from recollect.domain.learning import Origin
from recollect.domain.memory import ProjectId, SessionId
from recollect.domain.session import Recap, Session
from recollect.domain.settings import Privacy
from recollect.engine.admission import admit_recap
from recollect.engine.ports import Store
from recollect.engine.session_ports import KeepsRecaps, KeepsSessions, LogsInjections

FILE_FIELDS = ("filePath", "file_path", "path", "file")  # names that tools use for the file they work on
RECENT_FILES, RECENT_SESSIONS = 10, 200
EntersProject = Callable[[str, datetime], ProjectId]  # the folder, and when
FindsLanguage = Callable[[str], str | None]  # of the folder


def enter(sessions: Store, event: Event, enter_project: EntersProject, language_of: FindsLanguage) -> Session:
    """Return the session of an event. An unknown one begins here, with its project and language."""
    known = sessions.session(event.session)
    if known is not None:
        return known
    session = new_session(event, enter_project, language_of)
    parent = None if event.parent is None else sessions.session(event.parent)
    if parent is not None:
        project, language = session.project or parent.project, session.language or parent.language
        session = replace(session, project=project, language=language)
        # A user who opted out of a session opted out of its subagents too.
        session = replace(session, recalls=parent.recalls, captures=parent.captures)
    for name in (event.session, event.parent):
        if name is not None and "" in sessions.find_erased(name):
            session = replace(session, captures=False)
    return sessions.begin_session(session)


def new_session(event: Event, enter_project: EntersProject, language_of: FindsLanguage) -> Session:
    project, language, folder = event.project, event.language, event.folder
    if project is None and folder:
        project = enter_project(folder, event.at)
    if language is None and folder:
        language = language_of(folder)
    return Session(
        id=event.session,
        host=event.host,
        project=project,
        language=language,
        started_at=event.at,
        parent=event.parent,
        forked=isinstance(event, SessionStarted) and event.source is StartSource.FORK,
    )


def mark_subagent_prompt(session: Session, event: Event) -> Event:
    """Correct the origin of a prompt: a process that resumes a subagent's session may not know that it is one."""
    is_subagent = session.parent is not None and not session.forked
    if is_subagent and isinstance(event, Prompt) and event.origin is Origin.USER:
        return replace(event, origin=Origin.SUBAGENT)
    return event


def apply_opt_outs(sessions: KeepsSessions, session: Session, *, recalls: bool, captures: bool) -> Session:
    """An opt-out is valid for the rest of the session."""
    changed = replace(session, recalls=session.recalls and recalls, captures=session.captures and captures)
    if changed != session:
        sessions.keep_session(changed)
    return changed


def start_new_context(store: Store, session: Session, at: datetime, *, source: StartSource | None = None) -> Session:
    """Begin a new live context. A host may report one compaction twice, by the event and by a start (`source`) after it,
    or by the same event again: that is still one new context."""
    if session.context > 0:
        started_by_event = store.start_block(session.id, session.context) is None
        if source is StartSource.COMPACT and started_by_event:
            return session
        sent = store.log_of_context(session.id, session.context)
        started_by_start = [one.point for one in sent] == [Moment.START]
        if started_by_start and source is not StartSource.CLEAR:
            return session
        is_reported_again = all(at < one.at for one in sent)
        if is_reported_again and source is None:
            return session
    return store.begin_context(session.id)


def find_context_start(log: LogsInjections, session: Session, now: datetime) -> datetime | None:
    """Return when the current live context began; None: there was no compaction or clear."""
    if session.context == 0:
        return None
    return min((sent.at for sent in log.log_of_context(session.id, session.context)), default=now)


def save_recap(recaps: KeepsRecaps, session: Session, event: SessionEnded, privacy: Privacy) -> None:
    """Save the recap for the project's next session. A session may end more than once."""
    if session.project is None or not (event.notes or event.summary):
        return
    recap = Recap(session=session.id, project=session.project, at=event.at, notes=event.notes, summary=event.summary)
    recap = admit_recap(recap, privacy)
    before = recaps.recap(session.id)
    recaps.keep_recap(recap if before is None else recap.fill_from(before))


def files_in(tool_input: Mapping[str, Any]) -> list[str]:
    values = map(tool_input.get, FILE_FIELDS)
    return [path for path in values if isinstance(path, str) and path.strip()]


class RecentPerSession:
    """The last few words (files, prompts) of each session, newest first. In memory only."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._of: dict[SessionId, tuple[str, ...]] = {}

    def note(self, session: SessionId, *words: str) -> None:
        if words:
            known = self._of.pop(session, ())
            self._of[session] = tuple(dict.fromkeys((*words, *known)))[: self._limit]
            for oldest in list(self._of)[:-RECENT_SESSIONS]:
                self._of.pop(oldest, None)

    def forget(self, session: SessionId) -> None:
        self._of.pop(session, None)

    def of(self, session: SessionId) -> tuple[str, ...]:
        return self._of.get(session, ())


class DeletedSessions:
    """Recently deleted sessions; late events for them are ignored. In memory only."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, SessionId], None] = {}  # with the host: another host may use the same id

    def note(self, event: SessionDeleted) -> None:
        self._names[event.host, event.session] = None
        while len(self._names) > RECENT_SESSIONS:
            self._names.pop(next(iter(self._names)), None)

    def must_ignore(self, event: Event) -> bool:
        """Return True for a late event. A start begins a new session of that name; a question is always answered."""
        name = (event.host, event.session)
        if isinstance(event, SessionStarted):
            self._names.pop(name, None)
        return name in self._names and not isinstance(event, Asked)
