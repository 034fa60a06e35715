"""One question per session for the host's own model: about which session, and when. Pure, apart from what is kept.

A session is asked about when it has ended, or when nothing was said in it for a while; the newest first. Before these,
one whose answer never came is asked about once more, as soon as the client that had the question has ended; then it is
left to the rules.
"""

from collections.abc import Collection
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
    working: Collection[SessionId],
    client: int | None,
    idle: timedelta,
    now: datetime,
) -> Question | timedelta | None:
    """`session`: the one that is idle now, if one is; `working`: those in which the model is at work; `client`: the
    process that asks. A time: ask again then."""
    found = store.sessions_to_ask(project, host, since=now - WITHIN, most=MOST)
    wait = SOON if store.count_waiting_events() else None  # what was said last may not be in the archive yet
    for asked, last in found:
        if asked.id in working or reader.is_asked(asked.id):
            continue
        # The asking client's own session ends with that client: it cannot ask any more.
        has_ended = asked.ended_at is not None and asked.ended_at >= last and asked.id != session
        if store.count_waiting_events(asked.id) or not (has_ended or now - last >= idle):
            if asked.id == session:
                wait = wait or max(SOON, last + idle - now)
            continue
        turns = store.turns_of(asked.id)
        question = reader.question(turns, client)
        if question is not None:
            store.note_asked(asked.id, 1)
            return question
        if reader.is_worth_asking(turns):
            return None  # no tokens are left today
        store.note_asked(asked.id, MOST)
    return wait
