"""Choose the session about which the host's own model is asked next, one question per session. Ask about a session that
has ended or was silent for a while, the newest first. A session whose answer never came goes before these: it is asked
about once more when the client that had the question has ended, then left to the rules."""

from collections.abc import Collection
from datetime import timedelta

from recollect.domain.event import SessionEnded
from recollect.domain.extraction import Question
from recollect.domain.memory import SessionId
from recollect.engine.context import Context
from recollect.engine.learning.worker import store_proposals
from recollect.engine.learning_ports import AsksHost
from recollect.engine.memories.folder_project import is_paused, project_here

MAX_QUESTIONS = 2  # questions per session, the second only if the first got no answer
MAX_AGE = timedelta(days=7)
SOON = timedelta(seconds=2)


def next_question(
    ctx: Context,
    host: str,
    session: SessionId | None,
    *,
    working: Collection[SessionId] = (),
    client: int | None = None,
) -> Question | timedelta | None:
    """Return a question for the host's own model about a session of this project; a time: ask again after it; None:
    nothing to ask. `session`: the one that is idle now, if any; `working`: those in which the model is at work;
    `client`: the process that asks."""
    store, reader = ctx.store, ctx.extractor()
    if not isinstance(reader, AsksHost) or store.is_read_only or is_paused(ctx):
        return None
    project = project_here(ctx) if ctx.folder else None
    idle = timedelta(minutes=ctx.settings.extractor.idle_minutes)
    wait = SOON if store.count_waiting_events() else None  # the last turns may not be in the archive yet
    for asked, last in store.sessions_to_ask(project, host, since=ctx.now - MAX_AGE, most=MAX_QUESTIONS):
        if asked.id in working or reader.is_asked(asked.id):
            continue
        # The client's own session cannot have ended: it ends with the client, which then asks no more.
        has_ended = asked.ended_at is not None and asked.ended_at >= last and asked.id != session
        if store.count_waiting_events(asked.id) or not (has_ended or ctx.now - last >= idle):
            if asked.id == session:
                wait = wait or max(SOON, last + idle - ctx.now)
            continue
        purges = store.count_erasures().purges  # before its turns are read
        turns = store.turns_of(asked.id)
        question = reader.question(asked, turns, purges, client)
        if question is not None:
            store.note_asked(asked.id, 1)
            return question
        if reader.is_worth_asking(turns):
            return None  # no tokens are left today
        store.note_asked(asked.id, MAX_QUESTIONS)
    return wait


def answer_question(ctx: Context, question_id: str, text: str, tokens: int | None) -> int:
    """Learn from the answer of the host's model. Return how many memories it brought."""
    reader = ctx.extractor()
    answered = reader.read_answer(question_id, text, tokens) if isinstance(reader, AsksHost) else None
    if answered is None or is_paused(ctx):
        return 0
    session, proposals, purges = answered
    read = SessionEnded(session=session.id, at=ctx.now, folder=ctx.folder)
    stored = store_proposals(ctx, session, read, proposals, purges)
    if stored is None:
        return 0  # once more, about what is left of the session
    ctx.store.note_asked(session.id, MAX_QUESTIONS)
    return stored
