"""The host's own small model, through its plugin: no endpoint, no key. We cannot call it: questions wait for that.

A plugin fetches what waits (`pending`), asks its model, and brings the answer (`answered`), perhaps minutes later. What
is not fetched in time is dropped, the oldest first; what was fetched is handed out once, and its tokens count from then
on. The queue is a port: in memory here, for a question that a restart loses is one that the rules have answered anyway.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from threading import Lock
from typing import Protocol

from recollect.domain.extraction import ExtractorState, Question
from recollect.domain.learning import Proposal
from recollect.domain.memory import SessionId
from recollect.domain.session import Turn
from recollect.domain.settings import Extractor as Settings
from recollect.extract.budget import Budget, Reserved
from recollect.extract.extractor import FULL, UNREADABLE, Now, question_about, utc_now
from recollect.extract.prompting import Request
from recollect.extract.reading import Unreadable, read

MAX_WAITING = 20
KEPT = timedelta(hours=2)  # of a question that waits, or that was fetched and not answered yet
_ID_CHARS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    id: str
    session: SessionId
    turns: tuple[Turn, ...]  # as they are sent
    request: Request
    at: datetime
    reserved: Reserved | None = None  # set: it was fetched


class KeepsQuestions(Protocol):
    """Few, and not for long. What is put while the queue is full drives out the oldest."""

    def put(self, waiting: Waiting) -> None:
        """In place of the one with the same id, if there is one."""
        ...

    def all(self) -> list[Waiting]:
        """The oldest first."""
        ...

    def take(self, question_id: str) -> Waiting | None:
        """It is gone then."""
        ...


class InMemory:
    """A bounded queue for many threads."""

    def __init__(self, most: int = MAX_WAITING) -> None:
        self._most = most
        self._waiting: OrderedDict[str, Waiting] = OrderedDict()
        self._lock = Lock()

    def put(self, waiting: Waiting) -> None:
        with self._lock:
            self._waiting[waiting.id] = waiting
            while len(self._waiting) > self._most:
                self._waiting.popitem(last=False)

    def all(self) -> list[Waiting]:
        with self._lock:
            return list(self._waiting.values())

    def take(self, question_id: str) -> Waiting | None:
        with self._lock:
            return self._waiting.pop(question_id, None)


class HostModel:
    """`propose` only asks; the proposals come from `answered`."""

    def __init__(
        self, settings: Settings, budget: Budget, now: Now = utc_now, questions: KeepsQuestions | None = None
    ) -> None:
        self._settings = settings
        self._budget = budget
        self._now = now
        self._questions: KeepsQuestions = questions or InMemory()
        self._problem: str | None = None

    def propose(self, turns: Sequence[Turn]) -> list[Proposal]:
        """Nothing yet: it waits for the plugin."""
        shown, request = question_about(turns, self._settings)
        if request is not None:
            name = "\n".join([shown[0].session, shown[0].message, request.text])
            self._questions.put(
                Waiting(
                    id=sha256(name.encode()).hexdigest()[:_ID_CHARS],
                    session=shown[0].session,
                    turns=tuple(shown),
                    request=request,
                    at=self._now(),
                )
            )
        return []

    def pending(self, *, session: SessionId | None = None, limit: int = 1) -> list[Question]:
        """What the plugin may ask its model now, the newest first, each only once; of one session, or of all."""
        self._drop_old()
        found: list[Question] = []
        for waiting in reversed(self._questions.all()):
            if len(found) == limit:
                break
            is_wanted = waiting.reserved is None and session in (None, waiting.session)
            question = self._handed_out(waiting.id) if is_wanted else None
            found += [question] if question else []
        return found

    def answered(self, question_id: str, text: str, tokens: int | None = None) -> list[Proposal]:
        """What the host's model said, and what that cost, if the host knows. Nothing for a question that nobody asked
        or that took too long."""
        waiting = self._questions.take(question_id)
        if waiting is None:
            return []
        if waiting.reserved is None:  # nobody fetched it: whoever answers it was not asked
            self._questions.put(waiting)
            return []
        self._budget.settle(waiting.reserved, tokens)
        try:
            reading = read(text, waiting.turns, items=self._settings.max_items)
        except Unreadable:
            self._problem = UNREADABLE
            return []
        self._problem = None
        return list(reading.proposals)

    def _handed_out(self, question_id: str) -> Question | None:
        waiting = self._questions.take(question_id)  # of two that fetch at once, one gets it
        if waiting is None:
            return None
        answer_tokens = self._settings.answer_tokens
        reserved = self._budget.reserve(waiting.request, answer_tokens=answer_tokens, day=self._now().date())
        self._problem = None if reserved else FULL
        if reserved is None:
            return None
        self._questions.put(replace(waiting, reserved=reserved))
        request = waiting.request
        return Question(
            id=waiting.id,
            session=waiting.session,
            system=request.system,
            text=request.text,
            answer_tokens=answer_tokens,
        )

    def _drop_old(self) -> None:
        for waiting in self._questions.all():
            if self._now() - waiting.at > KEPT:
                self._questions.take(waiting.id)

    @property
    def state(self) -> ExtractorState:
        return ExtractorState(
            provider=self._settings.provider,
            model=self._settings.model,
            spent_tokens=self._budget.spent(self._now().date()),
            tokens_per_day=self._settings.tokens_per_day,
            problem=self._problem,
        )
