"""Learning: process the events in the inbox in the background, where no agent waits for it. A process that dies loses
nothing: the next one finds the events that wait."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime

from recollect.capture.session import Listener
from recollect.domain.changes import Erasures
from recollect.domain.errors import InvalidValue, StoreBusy, StoreDamaged, StoreError, StoreUnusable
from recollect.domain.event import Compacted, Event, InboxEntry, Prompt, Reply, SessionEnded
from recollect.domain.learning import Proposal
from recollect.domain.memory import Draft, SessionId
from recollect.domain.outcome import Stored
from recollect.domain.session import Recap, Session, SessionKey
from recollect.engine.admission import admit_recap, admit_turn, turn_from_event
from recollect.engine.context import Context
from recollect.engine.engine import Engine
from recollect.engine.learning.drafts import distrust, keep_drafts, make_drafts
from recollect.engine.live import LearningState
from recollect.engine.ports import Store

REPLAYED_EVENTS = 500  # events of a session that a new listener hears again, as after a restart
MAX_SESSIONS = 50  # with a listener in memory
MAX_TRIES = 3  # then the event is given up
BATCH_EVENTS = 20


def learn_some(engine: Engine, *, limit: int = BATCH_EVENTS) -> int:
    """Learn from the events that wait, in their order. Return how many waited."""
    store, state = engine.store, engine.live.learning
    with state.lock:
        purges = _drop_erased(engine).purges  # before any text is read
        waiting = [] if store.is_read_only else store.waiting_events(limit=limit)
        for received in waiting:
            event = received.event
            if event is None or received.tries >= MAX_TRIES:
                store.finish_event(received)
                continue
            tried = store.try_event(received)
            try:
                with _dropping_half_heard(state, event.session):
                    _learn(engine.context(event.folder, event.at), tried, event, purges)
            except InvalidValue:  # it can never be stored; trying again changes nothing
                store.finish_event(tried)
            except _ErasedMeanwhile:
                store.wait_again(tried)
                break  # what was read may be gone: the rest is read again
            except StoreDamaged:
                raise
            except (StoreBusy, StoreUnusable, KeyboardInterrupt):  # not the fault of the event: it waits
                with suppress(StoreError):
                    store.wait_again(tried)
                raise
    return len(waiting)


class _ErasedMeanwhile(Exception):
    """Something was forgotten while an event was being learnt from: perhaps words of this event, or its project."""


def extract_some(engine: Engine) -> bool:
    """Let the language model that the user has set read one exchange; False: none waits. May take long."""
    state = engine.live.learning
    with state.lock:
        purges = _drop_erased(engine).purges
        exchange = state.exchanges.take()
    if exchange is None:
        return False
    extractor = engine.extractor()
    if extractor is not None and is_unchanged(engine.store, exchange.session):
        ctx = engine.context(exchange.ended_by.folder, exchange.ended_by.at)
        store_proposals(ctx, exchange.session, exchange.ended_by, extractor.propose(exchange.turns), purges)
    return True


def _drop_erased(engine: Engine) -> Erasures:
    """Return the count of erasures."""
    store = engine.store

    def is_kept(key: SessionKey) -> bool:
        session = store.session(key[0])
        return session is not None and session.key == key

    erasures = store.count_erasures()
    engine.live.learning.drop_erased(erasures, is_kept)
    return erasures


def is_unchanged(store: Store, session: Session) -> bool:
    """Return False if the session was deleted meanwhile, or has another project: its own was forgotten or joined."""
    try:
        now = store.session(session.id)
    except StoreDamaged:
        return False
    return now is not None and now.key == session.key and now.project == session.project


def store_proposals(
    ctx: Context, session: Session, event: Event, proposals: Sequence[Proposal], purges: int
) -> int | None:
    """Store what a language model found in a session up to an event. Return how many memories were stored; None:
    something was forgotten for good meanwhile. `purges`: their count before the model was asked."""
    if ctx.store.is_read_only:
        return 0
    drafts = make_drafts(ctx, session, event, proposals)
    with ctx.store.transaction():
        if ctx.store.count_erasures().purges != purges or not is_unchanged(ctx.store, session):
            return None
        return len(keep_drafts(ctx, session, drafts, event.at))


def _learn(ctx: Context, received: InboxEntry, event: Event, purges: int) -> None:
    """Learn from one event. `purges`: their count before it was read."""
    store, state = ctx.store, ctx.live.learning
    session = store.session(event.session)
    if session is None:  # deleted since
        store.finish_event(received)
        return
    listener = _listener(ctx, session)
    drafts = make_drafts(ctx, session, event, listener.hear(event))
    state.exchanges.hear(session, event)
    with store.transaction():  # short: an agent may be waiting to write
        if store.count_erasures().purges != purges or not is_unchanged(store, session):
            raise _ErasedMeanwhile
        if not store.finish_event(received):
            return  # another process has learnt from it, the message has grown since, or its session was deleted
        _archive(ctx, session, event)
        keep_drafts(ctx, session, drafts, event.at)
        if ctx.settings.capture.notes and isinstance(event, Reply | Compacted | SessionEnded):
            _store_recap(ctx, session, event, listener)
        if isinstance(event, SessionEnded):
            _close(ctx, session, event)


def hear_old(ctx: Context, session: Session, event: Event, listener: Listener, *, is_own: bool = True) -> list[Draft]:
    """Learn from an event of an old session. `is_own`: False if another person may have written it; then nothing in it
    counts as the user's word."""
    proposals = listener.hear(event)
    if not is_own:
        proposals = list(map(distrust, proposals))
    return make_drafts(ctx, session, event, proposals, hashes=False)


def keep_old(
    ctx: Context, session: Session, event: Event, drafts: Sequence[Draft], listener: Listener | None, now: datetime
) -> list[Stored]:
    """Store drafts of an old session, inside a transaction. `listener`: writes its recap; None: it leaves none."""
    if ctx.settings.capture.notes and listener is not None and isinstance(event, SessionEnded):
        _store_recap(ctx, session, event, listener)
    return keep_drafts(ctx, session, drafts, now)


@contextmanager
def _dropping_half_heard(state: LearningState, session: SessionId) -> Iterator[None]:
    """Drop the listener if learning fails: the next one hears the stored events again."""
    try:
        yield
    except InvalidValue:  # it was heard
        raise
    except BaseException:
        for key in [key for key in state.listeners if key[0] == session]:
            del state.listeners[key]
        raise


def _listener(ctx: Context, session: Session) -> Listener:
    state = ctx.live.learning
    known = state.listeners.pop(session.key, None)
    if known is None:
        known = Listener(ctx.settings.capture)
        heard = ctx.store.past_events(session.id, limit=REPLAYED_EVENTS)
        for event in heard:
            known.hear(event)
        _load_recap(ctx, session, heard)
    state.listeners[session.key] = known
    while len(state.listeners) > MAX_SESSIONS:
        state.unheard.pop(state.listeners.popitem(last=False)[0], None)
    return known


def _load_recap(ctx: Context, session: Session, heard: Sequence[Event]) -> None:
    """Load the stored recap of a session that was not heard from its beginning: it was resumed, or is too long."""
    unheard = ctx.live.learning.unheard
    unheard.pop(session.key, None)
    is_whole = 0 < len(heard) < REPLAYED_EVENTS
    is_resumed = session.ended_at is not None and bool(heard) and session.ended_at < heard[0].at
    if is_whole and not is_resumed:
        return
    recap = ctx.store.recap(session.id)
    if recap is not None:
        unheard[session.key] = recap


def _archive(ctx: Context, session: Session, event: Event) -> None:
    if not isinstance(event, Prompt | Reply) or ctx.settings.archive.days <= 0:
        return
    turn = admit_turn(turn_from_event(session, event))
    if turn is not None:
        ctx.store.add_turns([turn])


def _store_recap(ctx: Context, session: Session, event: Event, listener: Listener) -> None:
    """Store the recap of the session so far, if it has changed."""
    if session.project is None or ctx.settings.archive.days <= 0:
        return
    notes, summary = listener.build_recap()
    if isinstance(event, SessionEnded):  # the host's own notes come first
        notes, summary = event.notes or notes, event.summary or summary
    recap = Recap(session=session.id, project=session.project, at=event.at, notes=notes, summary=summary)
    recap = admit_recap(recap, ctx.settings.privacy)
    before = ctx.store.recap(session.id)
    # A session that was heard from its beginning is described again as a whole: what failed then may work now.
    state = ctx.live.learning
    unheard = state.unheard.get(session.key) if session.key in state.listeners else before
    if unheard is not None:
        recap = recap.fill_from(unheard)
    if before is None and not recap.notes and not recap.summary:
        return
    if before is not None and replace(recap, at=before.at) == before:
        return
    ctx.store.keep_recap(recap)


def _close(ctx: Context, session: Session, event: SessionEnded) -> None:
    ctx.live.learning.listeners.pop(session.key, None)
    ctx.live.learning.unheard.pop(session.key, None)
    if session.ended_at is None or session.ended_at < event.at:
        ctx.store.keep_session(replace(session, ended_at=event.at))
    ctx.store.drop_events(session.id)
