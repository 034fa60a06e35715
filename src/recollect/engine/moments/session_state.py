"""The life of a session: its start, its live contexts, its user's opt-outs and its recap."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from recollect.domain.event import Asked, Event, Prompt, SessionEnded, SessionStarted, StartSource
from recollect.domain.injection import Moment
from recollect.domain.learning import Origin
from recollect.domain.session import Recap, Session
from recollect.engine.admission import admit_recap
from recollect.engine.context import Context
from recollect.engine.learning.inbox import is_muted
from recollect.engine.memories.folder_project import enter_project, project_here
from recollect.engine.session_ports import KeepsSessions, LogsInjections, SessionLog

FILE_FIELDS = ("filePath", "file_path", "path", "file")  # names that tools use for the file they work on


def enter(ctx: Context, event: Event) -> Session:
    """Return the session of an event. An unknown one begins here, with its project and language."""
    known = ctx.store.session(event.session)
    if known is not None:
        return known
    session = new_session(ctx, event, registers=not isinstance(event, Asked))  # a question makes no project known
    parent = None if event.parent is None else ctx.store.session(event.parent)
    if parent is not None:
        project, language = session.project or parent.project, session.language or parent.language
        # A user who opted out of a session opted out of its subagents too.
        session = replace(session, project=project, language=language, recalls=parent.recalls, captures=parent.captures)
    for name in (event.session, event.parent):
        if name is not None and "" in ctx.store.find_erased(name):
            session = replace(session, captures=False)
    return ctx.store.begin_session(session)


def new_session(ctx: Context, event: Event, *, registers: bool) -> Session:
    """`registers`: the project of the folder becomes known."""
    project, language = event.project, event.language
    if project is None and event.folder:
        project = enter_project(ctx) if registers else project_here(ctx)
    if language is None and event.folder:
        language = ctx.folders.language_of(event.folder)
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


def start_new_context(log: SessionLog, session: Session, at: datetime, *, source: StartSource | None = None) -> Session:
    """Begin a new live context. A host may report one compaction twice, by the event and by a start (`source`) after it,
    or by the same event again: that is still one new context."""
    if session.context > 0:
        started_by_event = log.start_block(session.id, session.context) is None
        if source is StartSource.COMPACT and started_by_event:
            return session
        sent = log.log_of_context(session.id, session.context)
        started_by_start = [one.point for one in sent] == [Moment.START]
        if started_by_start and source is not StartSource.CLEAR:
            return session
        is_reported_again = all(at < one.at for one in sent)
        if is_reported_again and source is None:
            return session
    return log.begin_context(session.id)


def find_context_start(log: LogsInjections, session: Session, now: datetime) -> datetime | None:
    """Return when the current live context began; None: there was no compaction or clear."""
    if session.context == 0:
        return None
    return min((sent.at for sent in log.log_of_context(session.id, session.context)), default=now)


def end_session(ctx: Context, session: Session, event: SessionEnded) -> None:
    with ctx.store.transaction():
        ctx.store.keep_session(replace(session, ended_at=event.at))
        if session.captures and not is_muted(ctx, session) and ctx.settings.archive.days > 0:
            _save_recap(ctx, session, event)


def _save_recap(ctx: Context, session: Session, event: SessionEnded) -> None:
    """Save the recap for the project's next session. A session may end more than once."""
    if session.project is None or not (event.notes or event.summary):
        return
    recap = Recap(session=session.id, project=session.project, at=event.at, notes=event.notes, summary=event.summary)
    recap = admit_recap(recap, ctx.settings.privacy)
    before = ctx.store.recap(session.id)
    ctx.store.keep_recap(recap if before is None else recap.fill_from(before))


def files_in(tool_input: Mapping[str, Any]) -> list[str]:
    values = map(tool_input.get, FILE_FIELDS)
    return [path for path in values if isinstance(path, str) and path.strip()]
