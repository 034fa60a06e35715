"""Handle one event of a session: keep it for learning, and answer with what the host puts in front of the model now.
Asked again about the same message, it gives the same bytes: see `sent_log`."""

from dataclasses import replace
from typing import assert_never

from recollect.domain.errors import StoreError
from recollect.domain.event import (
    Asked,
    Compacted,
    Compacting,
    Event,
    Prompt,
    Reply,
    SessionDeleted,
    SessionEnded,
    SessionStarted,
    ToolFailed,
    ToolSucceeded,
)
from recollect.domain.injection import Injection, LogEntry, Placement, QuietReason
from recollect.domain.memory import ProjectId
from recollect.domain.session import Session
from recollect.engine.admission import check_event
from recollect.engine.context import Context
from recollect.engine.engine import Engine
from recollect.engine.learning import inbox
from recollect.engine.memories.forget import delete_session
from recollect.engine.moments import compaction, on_demand, session_state, start, turn, usage
from recollect.engine.moments.forks import is_copy
from recollect.engine.moments.injections import silence
from recollect.engine.pausing import find_pause

NO_INJECTION = silence(Placement.MESSAGE)  # for events that need no answer
PAUSED_INJECTION = silence(Placement.MESSAGE, QuietReason.PAUSED)


def handle(engine: Engine, event: Event, ctx: Context | None = None) -> Injection:
    """Return what the host puts in front of the model now. `ctx`: the context of the event's folder; pass it to save
    building it."""
    check_event(event)
    if isinstance(event, SessionDeleted):
        _delete(engine, event)
        return NO_INJECTION
    if engine.live.deleted.must_ignore(event):
        return NO_INJECTION
    if isinstance(event, SessionStarted):
        inbox.close_silent_sessions(engine.context(None, event.at), except_for=event.session)
    ctx = ctx or engine.context(event.folder, event.at)
    if _is_paused(ctx, event):
        return _answer_while_paused(replace(ctx, answers_paused=True), event)
    session = session_state.enter(ctx, event)
    if event.headless and not ctx.settings.capture.headless:
        session = session_state.apply_opt_outs(ctx.store, session, recalls=True, captures=False)
    event = session_state.mark_subagent_prompt(session, event)
    sent = _find_sent(ctx, session, event)
    is_kept = _store_event(ctx, session, event, sent)
    _update_session(ctx, session, event)
    injection = _answer(ctx, session, event, sent) or NO_INJECTION
    return injection if is_kept else replace(injection, kept=False)


def _is_paused(ctx: Context, event: Event) -> bool:
    """Return True if a pause is on now or was on when the event happened: a host may report it late."""

    def find_project() -> ProjectId | None:
        known = ctx.store.session(event.session)
        return session_state.new_session(ctx, event, registers=False).project if known is None else known.project

    return find_pause(ctx.pauses.on(event.at), find_project, ctx.store) is not None


def _answer_while_paused(ctx: Context, event: Event) -> Injection:
    """Keep nothing and show nothing new; what was sent before is sent again. Nothing is noted about an
    unknown session. A known one logs an empty block: asked again after the pause, the answer is the same."""
    if isinstance(event, Prompt):
        ctx.live.muted.note(event.session)  # replies to it are not kept either, even after the pause
    session = ctx.store.session(event.session)
    if session is None and isinstance(event, SessionStarted) and (event.holds or event.parent):
        unsaved = session_state.new_session(ctx, event, registers=False)
        if is_copy(ctx.store, unsaved, event):  # a copy begins with what its original was sent
            session = ctx.store.begin_session(unsaved)
    if session is None:
        return PAUSED_INJECTION
    if isinstance(event, Compacted):
        session_state.start_new_context(ctx.store, session, event.at)
    if isinstance(event, SessionEnded):
        ctx.store.keep_session(replace(session, ended_at=event.at))
    return _answer(ctx, session, event, _find_sent(ctx, session, event)) or PAUSED_INJECTION


def _delete(engine: Engine, event: SessionDeleted) -> None:
    known = engine.store.session(event.session)
    if known is not None and known.host != event.host:  # a host cannot delete another host's session
        return
    engine.live.deleted.note(event)  # first: events that arrive meanwhile are late
    try:
        delete_session(engine.store, event.session, at=event.at, by=event.host)
    finally:  # last: until now another thread may have held an event that the disk did not take
        engine.live.forget(event.session)


def _find_sent(ctx: Context, session: Session, event: Event) -> LogEntry | None:
    """Return the log entry of this message or call if the host asks again."""
    match event:
        case Prompt():
            message, call = event.message, ""
        case ToolFailed() if event.message is not None:
            message, call = event.message, event.call or event.message
        case _:
            return None
    for sent in ctx.store.find_sent(session.id, [message], why=True):
        if sent.call == call:
            return sent
    return None


def _store_event(ctx: Context, session: Session, event: Event, sent: LogEntry | None) -> bool:
    """Return False if the event could not be stored; the prompt is answered all the same."""
    if not isinstance(event, inbox.LearnableEvent):
        return True
    if isinstance(event, Prompt) and sent is not None and sent.injection.quiet is QuietReason.PAUSED:
        ctx.live.muted.note(session.id)  # a host may ask about a message again after the pause
        return True
    try:
        return inbox.store_event(ctx, session, event)
    except StoreError:  # not even the opt-outs can be read
        return False


def _update_session(ctx: Context, session: Session, event: Event) -> None:
    match event:
        case Prompt():
            ctx.live.files.note(session.id, *event.files)
        case ToolFailed() | ToolSucceeded():
            ctx.live.files.note(session.id, *session_state.files_in(event.input))
        case Reply():
            usage.note_reply(ctx, session.id, event.text)
        case Compacted():
            session_state.start_new_context(ctx.store, session, event.at)
        case SessionEnded():
            usage.close_prompt(ctx, session.id)
            session_state.end_session(ctx, session, event)
        case _:
            pass


def _answer(ctx: Context, session: Session, event: Event, sent: LogEntry | None) -> Injection | None:
    match event:
        case SessionStarted():
            return start.answer(ctx, session, event)
        case Prompt():
            return turn.answer(ctx, session, event, sent)
        case ToolFailed():
            from recollect.engine.moments import tool_error  # most tools do not fail, and it compiles many patterns

            return tool_error.answer(ctx, session, event, sent)
        case Compacting():
            return compaction.answer(ctx, session, event)
        case Asked():
            return on_demand.answer(ctx, session, event)
        case Reply() | ToolSucceeded() | Compacted() | SessionEnded() | SessionDeleted():
            return None
        case _ as never:
            assert_never(never)
