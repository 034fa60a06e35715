"""Inbox: every event is stored, redacted, before it is answered, to be learnt from later. Every answer waits for this,
so nothing here reads more than it must."""

from collections import deque
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

from recollect.capture.said.origin import origin_of
from recollect.domain.errors import InvalidValue, StoreError
from recollect.domain.event import Compacted, Event, Prompt, Reply, SessionEnded, ToolFailed, ToolSucceeded
from recollect.domain.learning import Origin
from recollect.domain.memory import SessionId
from recollect.domain.session import NO_SUMMARY, Session
from recollect.engine.admission import admit_event
from recollect.engine.context import Context
from recollect.engine.learning_ports import KeepsInbox
from recollect.engine.live import Live
from recollect.engine.ports import Store
from recollect.text.optout import find_opt_out, without_markers

LAST_EVENTS = 500  # of a session, searched for its last prompt
MOST_UNWRITTEN = 1000  # events that wait in memory while the disk is full
ORIGIN_CHARS = 5000  # of a prompt, enough to see who wrote it
MAY_OPT_OUT = (Origin.USER, Origin.COMMAND)  # whose prompts can opt out

LearnableEvent = Prompt | Reply | ToolSucceeded | ToolFailed | Compacted | SessionEnded


def store_event(ctx: Context, session: Session, event: Event) -> bool:
    """Store an event, as far as the user allows it. False: the disk takes nothing now."""
    writes = ctx.settings.capture.enabled and session.captures and not ctx.store.is_read_only
    if isinstance(event, Prompt):
        return _note_prompt(ctx, session, event, writes=writes)
    if writes and is_muted(ctx, session):
        if not isinstance(event, SessionEnded):
            return True
        event = replace(event, notes=(), summary=NO_SUMMARY)  # these may contain opted-out words
    return _admit_and_put(ctx, event) if writes else True


def _note_prompt(ctx: Context, session: Session, prompt: Prompt, *, writes: bool) -> bool:
    if is_host_generated(prompt):
        return True  # once stored, it would look like a prompt that opted out
    prompt = replace(prompt, origin=origin_of(prompt.text[:ORIGIN_CHARS], prompt.origin))
    if _is_left_out(ctx, session, prompt):
        if writes and prompt.origin in MAY_OPT_OUT:  # store only that there was a prompt: replies to it follow
            return _put(ctx, replace(prompt, text="", origin=Origin.NOTIFICATION))
        return True
    return _admit_and_put(ctx, replace(prompt, text=without_markers(prompt.text))) if writes else True


def _admit_and_put(ctx: Context, event: Event) -> bool:
    kept = admit_event(event, ctx.settings.privacy)
    return kept is None or _put(ctx, kept)


def _put(ctx: Context, event: Event) -> bool:
    try:
        _write(ctx.store, ctx.live, event)
    except StoreError:
        return False
    return True


def write_waiting_events(store: Store, live: Live) -> None:
    """Write the events that the disk did not take before. StoreError: it still does not."""
    _write(store, live)


def _write(store: Store, live: Live, *events: Event) -> None:
    """Write the waiting events, then these: an older one must never replace a newer one. An event that fails by
    itself, not because of the disk, is dropped, so that it does not block the others. So is one whose session was
    deleted meanwhile: the transaction comes after the deletion, or the deletion finds the event in the store."""
    unwritten, taken = live.unwritten, deque(events)
    try:
        with store.transaction():  # one writer at a time: no later event overtakes these
            with unwritten.lock:
                taken.extendleft(unwritten.events.pop() for _ in range(len(unwritten.events)))
            at = 0
            try:
                for event in taken:
                    if not live.deleted.has(event):
                        store.put_event(event)
                    at += 1
            except StoreError:
                _take_back(live, taken)  # before another thread writes
                raise
            finally:
                if at < len(taken):  # it failed with another error: the event is at fault, not the disk
                    del taken[at]
                    unwritten.dropped += 1
                    _take_back(live, taken)
    except StoreError:
        _take_back(live, taken)  # the transaction could not be begun or committed
        raise


def _take_back(live: Live, taken: deque[Event]) -> None:
    unwritten = live.unwritten
    with unwritten.lock:
        while taken:
            event = taken.pop()
            if not live.deleted.has(event):
                unwritten.events.appendleft(event)
        while len(unwritten.events) > MOST_UNWRITTEN:
            unwritten.events.popleft()
            unwritten.dropped += 1


def is_muted(ctx: Context, session: Session) -> bool:
    """Return True if the last prompt opted out (after a restart, by the store) or the one that started this agent."""
    known = ctx.live.muted.get(session.id)
    if known is not None:
        return known
    muted = _last_opt_out(ctx.store, session.id)
    if muted is None:
        muted = _is_child_of_muted(ctx, session)
    return ctx.live.muted.note_if_unknown(session.id, muted)


def _last_opt_out(store: KeepsInbox, session: SessionId) -> bool | None:
    muted = None
    for event in store.past_events(session, limit=LAST_EVENTS, waiting=True):
        if isinstance(event, Prompt) and (event.origin in MAY_OPT_OUT or _opts_out(event)):
            muted = _opts_out(event)  # the last one counts
    return muted


def _is_child_of_muted(ctx: Context, session: Session) -> bool:
    if session.parent is None or session.parent == session.id:
        return False
    parent = ctx.store.session(session.parent)
    return parent is not None and is_muted(ctx, replace(parent, parent=None))


def _is_left_out(ctx: Context, session: Session, prompt: Prompt) -> bool:
    is_first_of_agent = session.parent is not None and ctx.live.muted.get(session.id) is None
    if prompt.origin not in MAY_OPT_OUT or (is_first_of_agent and is_muted(ctx, session)):
        return is_muted(ctx, session)
    is_left_out = find_opt_out(prompt.text).capture
    ctx.live.muted.note(session.id, is_left_out)
    return is_left_out


def close_silent_sessions(ctx: Context, *, except_for: SessionId | None = None) -> None:
    """End the sessions that stopped without an end event, as in a crash, at the time of their last event."""
    since = ctx.now - timedelta(minutes=ctx.settings.capture.silent_minutes)
    try:
        silent = ctx.store.silent_sessions(since)
    except StoreError:  # the next start tries again
        return
    for session_id, last in silent:
        with suppress(StoreError, InvalidValue):  # a damaged row keeps only its own session open
            session = ctx.store.session(session_id)
            if session is None:
                ctx.store.drop_events(session_id)
            elif session_id != except_for:
                ctx.store.put_event(SessionEnded(session=session_id, at=last, host=session.host))


def is_host_generated(prompt: Prompt) -> bool:
    """Return True for an empty prompt of the host, as when it continues by itself."""
    return not prompt.text.strip() and prompt.origin is Origin.NOTIFICATION


def _opts_out(prompt: Prompt) -> bool:
    """Return True for the stored form of a prompt that opted out."""
    return not prompt.text and prompt.origin is Origin.NOTIFICATION
