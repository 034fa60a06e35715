"""Choose the session about which the host's own model is asked next, one question per session. Ask about a session that
has ended or was silent for a while, the newest first. A session whose answer never came goes before these: it is asked
about once more when the client that had the question has ended, then left to the rules."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Protocol

from recollect.domain.extraction import Question
from recollect.domain.memory import ProjectId, SessionId
from recollect.engine.learning_ports import AsksHost, KeepsInbox
from recollect.engine.ports import KeepsTurns
from recollect.engine.session_ports import KeepsSessions

MAX_QUESTIONS = 2  # questions per session, the second only if the first got no answer
MAX_AGE = timedelta(days=7)
SOON = timedelta(seconds=2)


class KeepsTalk(KeepsSessions, KeepsTurns, KeepsInbox, Protocol):
    """Sessions, their turns, and the inbox."""


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
    """Return a question; a time: ask again after it; None: nothing to ask. `session`: the one that is idle now, if any;
    `working`: those in which the model is at work; `client`: the process that asks."""
    wait = SOON if store.count_waiting_events() else None  # the last turns may not be in the archive yet
    for asked, last in store.sessions_to_ask(project, host, since=now - MAX_AGE, most=MAX_QUESTIONS):
        if asked.id in working or reader.is_asked(asked.id):
            continue
        # The client's own session cannot have ended: it ends with the client, which then asks no more.
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
        store.note_asked(asked.id, MAX_QUESTIONS)
    return wait
