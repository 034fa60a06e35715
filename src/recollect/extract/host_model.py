"""The host's own small model, through its plugin: no endpoint, no key. It is asked once about a whole session.

We cannot call it: a plugin fetches the question, asks its model, and brings the answer (`answered`) seconds later. A
fetched question is kept in memory for that; its tokens count from then on, whether or not an answer comes.
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
from recollect.domain.session import Turn
from recollect.domain.settings import ExtractorSettings as Settings
from recollect.extract.budget import Budget, Reservation
from recollect.extract.extractor import NO_TOKENS_LEFT, NOT_A_LIST, Now, prepare_question, utc_now
from recollect.extract.prompting import select_prompts
from recollect.extract.reading import UnreadableAnswer, read_answer

QUESTION_LIFETIME = timedelta(
    minutes=2
)  # of a question that was fetched and is not answered yet: a plugin waits for half of it
_ID_CHARS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedQuestion:
    session: SessionId
    turns: tuple[Turn, ...]  # as they were sent
    at: datetime
    reserved: Reservation
    client: int | None  # the process that asks, if it says


class HostModel:
    """For many threads."""

    def __init__(self, settings: Settings, budget: Budget, now: Now = utc_now) -> None:
        self._settings = settings
        self._budget = budget
        self._now = now
        self._fetched: dict[str, FetchedQuestion] = {}
        self._lock = Lock()
        self._problem: str | None = None

    def propose(self, turns: Sequence[Turn]) -> list[Proposal]:  # noqa: ARG002
        """Nothing: a host is asked about sessions, not about each exchange."""
        return []

    def is_asked(self, session: SessionId) -> bool:
        """Whether a plugin is at it just now: its client has not ended."""
        with self._lock:
            self._fetched = {
                name: one for name, one in self._fetched.items() if self._now() - one.at <= QUESTION_LIFETIME
            }
            return any(one.session == session and _is_alive(one.client) for one in self._fetched.values())

    def is_worth_asking(self, turns: Sequence[Turn]) -> bool:
        return prepare_question(select_prompts(turns), self._settings)[1] is not None

    def question(self, turns: Sequence[Turn], client: int | None = None) -> Question | None:
        """About a session with these turns; None: there is nothing to ask, or today has no tokens left."""
        shown, request = prepare_question(select_prompts(turns), self._settings)
        if request is None:
            return None
        answer_tokens = self._settings.answer_tokens
        reserved = self._budget.reserve(request, answer_tokens=answer_tokens, day=self._now().date())
        self._problem = None if reserved else NO_TOKENS_LEFT
        if reserved is None:
            return None
        session = shown[0].session
        name = sha256("\n".join([session, str(self._now()), request.text]).encode()).hexdigest()[:_ID_CHARS]
        with self._lock:
            self._fetched[name] = FetchedQuestion(
                session=session, turns=tuple(shown), at=self._now(), reserved=reserved, client=client
            )
        return Question(id=name, session=session, system=request.system, text=request.text, answer_tokens=answer_tokens)

    def read_answer(self, question_id: str, text: str, tokens: int | None) -> tuple[SessionId, list[Proposal]] | None:
        """What the host's model said, and what that cost, if the host knows. None: that was not asked, or long ago."""
        with self._lock:
            fetched = self._fetched.pop(question_id, None)
        if fetched is None:
            return None
        self._budget.settle(fetched.reserved, tokens)
        try:
            proposals = list(read_answer(text, fetched.turns, items=self._settings.max_items).proposals)
        except UnreadableAnswer:
            self._problem, proposals = NOT_A_LIST, []
        else:
            self._problem = None
        return fetched.session, proposals

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
    """True where that cannot be known."""
    try:
        os.kill(pid or os.getpid(), 0)
    except OSError as error:
        return not isinstance(error, ProcessLookupError)
    return True
