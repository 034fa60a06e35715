"""Forks: a session that is a copy of another gets the injection log of its original, up to where it begins. Some hosts
name the original. Others copy the messages under new names and keep their times: then the original is the session whose
log has the most of these times."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from recollect.domain.event import SessionStarted, StartSource
from recollect.domain.injection import LogEntry, Moment
from recollect.domain.memory import MessageId
from recollect.domain.session import Session
from recollect.engine.admission import OWN_PREFIX
from recollect.engine.moments import session_state
from recollect.engine.session_ports import KeepsSessions, LogsInjections, SessionLog


def copy_parent_log(log: SessionLog, session: Session, event: SessionStarted) -> Session:
    """Give a fork the log of its parent. A session that was sent something itself is no fork."""
    if event.source is StartSource.FORK:
        return _copy_from_named_parent(log, session, event)
    if not event.holds or not _has_only_started(log, session):
        return session
    parent = log.find_session_by_times(_times(event), like=session)
    return session if parent is None else _copy_from_found_parent(log, session, parent, event)


def is_copy(log: SessionLog, session: Session, event: SessionStarted) -> bool:
    """Check whether a session that is about to begin is the copy of a known one."""
    if event.source is StartSource.FORK:
        return _find_parent(log, session, event) is not None
    times = _times(event)
    return bool(times) and log.find_session_by_times(times, like=session) is not None


def _times(event: SessionStarted) -> set[datetime]:
    times: set[datetime] = set()
    for message in event.holds:
        times.update((message.at, *message.calls.values()))
    return times


def _find_parent(sessions: KeepsSessions, session: Session, event: SessionStarted) -> Session | None:
    """Of the same host and project only: what another project was shown never reaches this one, whatever a host says."""
    parent = None if event.parent is None else sessions.session(event.parent)
    if parent is None or (parent.host, parent.project) != (session.host, session.project):
        return None
    return parent


def _copy_from_named_parent(log: SessionLog, session: Session, event: SessionStarted) -> Session:
    parent = _find_parent(log, session, event)
    if parent is None or log.log_of(session.id):
        return session
    copied = []
    for sent in log.log_of(parent.id):
        if sent.message is None:
            copied.append(sent)
            continue
        keeps_name = not event.copied or sent.message.startswith(OWN_PREFIX)
        name = event.copied.get(sent.message, sent.message if keeps_name else None)
        if name is not None:
            copied.append(replace(sent, message=name))
    return log.copy_log(parent, session, copied, context=parent.context)


def _copy_from_found_parent(log: SessionLog, session: Session, parent: Session, event: SessionStarted) -> Session:
    entries = log.log_of(parent.id)
    carried = list(_entries_of_copied_messages(entries, event))
    if not carried:  # another session did something at the same time
        return session
    context = max(sent.context for sent in carried)
    last = max(sent.at for sent in carried)
    others = [sent for sent in entries if sent.context <= context and _is_without_message(sent, last)]
    # A user who opted out of the original opted out of the copy too.
    session = session_state.apply_opt_outs(log, session, recalls=parent.recalls, captures=parent.captures)
    return log.copy_log(parent, session, [*carried, *others], context=context)


def _entries_of_copied_messages(log: list[LogEntry], event: SessionStarted) -> Iterator[LogEntry]:
    """Entries for the messages of the fork, under their new names. A call keeps its name."""
    messages: dict[datetime, MessageId] = {}
    calls: dict[tuple[str, datetime], MessageId] = {}
    for copied in event.holds:
        messages.setdefault(copied.at, copied.message)
        for call, at in copied.calls.items():
            calls.setdefault((call, at), copied.message)
    for sent in log:
        name = calls.get((sent.call, sent.at)) if sent.call else messages.get(sent.at)
        if name is not None and sent.message is not None and not sent.message.startswith(OWN_PREFIX):
            yield replace(sent, message=name)


def _is_without_message(sent: LogEntry, last: datetime) -> bool:
    """A start block, or an answer to the agent's question (it has a name of ours) until then."""
    return sent.message is None or (sent.message.startswith(OWN_PREFIX) and sent.at <= last)


def _has_only_started(log: LogsInjections, session: Session) -> bool:
    """A host may report a session before it copies the messages, so its start block does not count."""
    return all(sent.point is Moment.START for sent in log.log_of(session.id))
