"""Forks: a session that is a copy of another carries what that one was sent, up to where it begins.

Some hosts say of which session it is a copy. Others copy the messages under new names and keep their times: then the
session is its parent whose log has the most of these times.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from recollect.domain.event import SessionStarted, StartSource
from recollect.domain.injection import Moment, Sent
from recollect.domain.memory import MessageId
from recollect.domain.session import Session
from recollect.engine import session_state
from recollect.engine.admission import OWN
from recollect.engine.ports import Store


def forked(store: Store, session: Session, event: SessionStarted) -> Session:
    """With the log of its parent, where it has one; a session that was sent something itself is none."""
    if event.source is StartSource.FORK:
        return _as_told(store, session, event)
    if not event.holds or not _has_only_begun(store, session):
        return session
    moments = {moment for held in event.holds for moment in (held.at, *held.calls.values())}
    parent = store.session_sent_at(moments, like=session)
    return session if parent is None else _recognised(store, session, parent, event)


def is_copy(store: Store, session: Session, event: SessionStarted) -> bool:
    """Whether a session that only begins is the copy of one that is known."""
    if event.source is StartSource.FORK:
        parent = None if event.parent is None else store.session(event.parent)
        return parent is not None and _is_alike(parent, session)
    moments = {moment for held in event.holds for moment in (held.at, *held.calls.values())}
    return bool(moments) and store.session_sent_at(moments, like=session) is not None


def _as_told(store: Store, session: Session, event: SessionStarted) -> Session:
    parent = None if event.parent is None else store.session(event.parent)
    if parent is None or not _is_alike(parent, session) or store.log_of(session.id):
        return session
    log = store.log_of(parent.id)
    sent = [sent.message for sent in log if sent.message is not None]
    named = {message: message for message in sent if not event.copied or message.startswith(OWN)} | dict(event.copied)
    copied = [
        sent if sent.message is None else replace(sent, message=named[sent.message])
        for sent in log
        if sent.message is None or sent.message in named
    ]
    return store.copy_log(parent, session, copied, context=parent.context)


def _is_alike(parent: Session, session: Session) -> bool:
    """Of the same host and project. What another project was shown is no matter of this one, whoever says so."""
    return (parent.host, parent.project) == (session.host, session.project)


def _recognised(store: Store, session: Session, parent: Session, event: SessionStarted) -> Session:
    log = store.log_of(parent.id)
    carried = list(_carried(log, event))
    if not carried:  # others were done at the same moment
        return session
    context = max(sent.context for sent in carried)
    last = max(sent.at for sent in carried)
    besides = [sent for sent in log if sent.context <= context and _is_of_no_message(sent, last)]
    # Who wants to be left alone means the copy, too.
    wished = session_state.wished(store, session, recalls=parent.recalls, captures=parent.captures)
    return store.copy_log(parent, wished, [*carried, *besides], context=context)


def _carried(log: list[Sent], event: SessionStarted) -> Iterator[Sent]:
    """What the messages of the fork carry, under their names there. A call keeps its name."""
    messages: dict[datetime, MessageId] = {}
    calls: dict[tuple[str, datetime], MessageId] = {}
    for held in event.holds:
        messages.setdefault(held.at, held.message)
        for call, at in held.calls.items():
            calls.setdefault((call, at), held.message)
    for sent in log:
        name = calls.get((sent.call, sent.at)) if sent.call else messages.get(sent.at)
        if name is not None and sent.message is not None and not sent.message.startswith(OWN):
            yield replace(sent, message=name)


def _is_of_no_message(sent: Sent, last: datetime) -> bool:
    """The stable blocks, and until then what has a name of ours: an answer that its agent asked for."""
    return sent.message is None or (sent.message.startswith(OWN) and sent.at <= last)


def _has_only_begun(store: Store, session: Session) -> bool:
    """A host may tell of a session before its messages are copied: its start is no word of its own."""
    return all(sent.point is Moment.START for sent in store.log_of(session.id))
