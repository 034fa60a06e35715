"""One question per session for the host's own model: about which session, and when. Pure, apart from what is kept.

A session is asked about when it has ended, or when nothing was said in it for a while; the newest first. One whose
answer never came (the client was closed) is asked about once more, and then left to the rules.
"""

from datetime import datetime, timedelta
from typing import Protocol

from recollect.domain.extraction import Question
from recollect.domain.memory import ProjectId, SessionId
from recollect.engine.learning_ports import AsksHost, KeepsInbox
from recollect.engine.ports import KeepsTurns
from recollect.engine.session_ports import KeepsSessions

MOST = 2  # times that a session is asked about, the second only without an answer to the first
WITHIN = timedelta(days=7)
SOON = timedelta(seconds=2)


class KeepsTalk(KeepsSessions, KeepsTurns, KeepsInbox, Protocol):
    """Sessions, what was said in them, and what waits to be written down."""


def next_question(
    store: KeepsTalk,
    reader: AsksHost,
    host: str,
    project: ProjectId | None,
    session: SessionId | None,
    *,
    idle: timedelta,
    now: datetime,
) -> Question | timedelta | None:
    """`session`: the one that is idle now, if one is. A time: it may be asked about then."""
    is_behind = store.count_waiting_events() > 0  # what was said last may not be in the archive yet
    found = store.sessions_to_ask(project, host, since=now - WITHIN, most=MOST)
    for asked, last in found:
        has_ended = asked.ended_at is not None and asked.ended_at >= last
        is_quiet = has_ended or (now - last >= idle and not is_behind)
        if reader.is_asked(asked.id) or not is_quiet:
            continue
        turns = store.turns_of(asked.id)
        question = reader.question(turns)
        if question is not None:
            store.note_asked(asked.id, 1)
            return question
        if reader.is_worth_asking(turns):
            return None  # no tokens are left today
        store.note_asked(asked.id, MOST)
    if is_behind:
        return SOON
    own = next((last for asked, last in found if asked.id == session and not reader.is_asked(asked.id)), None)
    return None if own is None or now - own >= idle else max(SOON, own + idle - now)
