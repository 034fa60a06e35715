"""The host's own small model, asked by its plugin once per session. Needs no endpoint and no key.

Recollect cannot call it: a plugin fetches the question, asks its model, and brings the answer seconds later. Until then
the question is kept in memory. Its tokens count from the fetch on, even if no answer comes.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from threading import Lock

from recollect.domain.extraction import ExtractorState, Question
from recollect.domain.learning import Proposal
from recollect.domain.memory import SessionId
from recollect.domain.session import Session, Turn
from recollect.domain.settings import ExtractorSettings as Settings
from recollect.extract.budget import Budget, Reservation
from recollect.extract.extractor import NO_TOKENS_LEFT, NOT_A_LIST, Now, prepare_question, utc_now
from recollect.extract.prompting import select_prompts
from recollect.extract.reading import UnreadableAnswer, read_answer

QUESTION_LIFETIME = timedelta(minutes=2)  # of a fetched question without an answer; a plugin waits half as long
_ID_CHARS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedQuestion:
    session: Session  # before the turns were read
    turns: tuple[Turn, ...]  # as they were sent
    purges: int  # their count before the turns were read
    at: datetime
    reserved: Reservation
    client: int | None  # process id of the plugin's host, if given


class HostModel:
    """Thread-safe."""

    def __init__(self, settings: Settings, budget: Budget, now: Now = utc_now) -> None:
        self._settings = settings
        self._budget = budget
        self._now = now
        self._fetched: dict[str, FetchedQuestion] = {}
        self._lock = Lock()
        self._problem: str | None = None

    def propose(self, turns: Sequence[Turn]) -> list[Proposal]:  # noqa: ARG002
        """Return nothing: a host is asked about whole sessions, not about each exchange."""
        return []

    def is_asked(self, session: SessionId) -> bool:
        """Return True while a plugin that still runs has a question about the session."""
        with self._lock:
            oldest = self._now() - QUESTION_LIFETIME
            self._fetched = {name: asked for name, asked in self._fetched.items() if asked.at >= oldest}
            return any(asked.session.id == session and _is_alive(asked.client) for asked in self._fetched.values())

    def is_worth_asking(self, turns: Sequence[Turn]) -> bool:
        return prepare_question(select_prompts(turns), self._settings)[1] is not None

    def question(
        self, session: Session, turns: Sequence[Turn], purges: int, client: int | None = None
    ) -> Question | None:
        """Build a question about a session; None if there is nothing to ask or today's tokens are used up."""
        shown, request = prepare_question(select_prompts(turns), self._settings)
        if request is None:
            return None
        answer_tokens = self._settings.answer_tokens
        reserved = self._budget.reserve(request, answer_tokens=answer_tokens, day=self._now().date())
        if reserved is None:
            self._problem = NO_TOKENS_LEFT
            return None
        self._problem = None
        name = sha256("\n".join([session.id, str(self._now()), request.text]).encode()).hexdigest()[:_ID_CHARS]
        with self._lock:
            self._fetched[name] = FetchedQuestion(
                session=session, turns=tuple(shown), purges=purges, at=self._now(), reserved=reserved, client=client
            )
        return Question(
            id=name, session=session.id, system=request.system, text=request.text, answer_tokens=answer_tokens
        )

    def read_answer(
        self, question_id: str, text: str, tokens: int | None
    ) -> tuple[Session, list[Proposal], int] | None:
        """Read the answer of the host's model; None if the question is unknown or too old. `tokens`: None if not reported."""
        with self._lock:
            fetched = self._fetched.pop(question_id, None)
        if fetched is None:
            return None
        self._budget.settle(fetched.reserved, tokens)
        try:
            reading = read_answer(text, fetched.turns, items=self._settings.max_items)
        except UnreadableAnswer:
            self._problem = NOT_A_LIST
            return fetched.session, [], fetched.purges
        self._problem = None
        return fetched.session, list(reading.proposals), fetched.purges

    @property
    def state(self) -> ExtractorState:
        return ExtractorState(
            provider=self._settings.provider,
            model=self._settings.model,
            spent_tokens=self._budget.spent(self._now().date()),
            tokens_per_day=self._settings.tokens_per_day,
            problem=self._problem,
        )


def _is_alive(pid: int | None) -> bool:
    """Return True also if it cannot be known."""
    try:
        os.kill(pid or os.getpid(), 0)
    except OSError as error:
        return not isinstance(error, ProcessLookupError)
    return True
