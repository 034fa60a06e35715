"""Asks a language model what in an exchange is worth remembering. Off unless the user sets one up; rules always run too.

`propose` never raises because of the provider: it returns nothing, pauses the questions for a while, and `state` says
why. It does not ask during such a rest, beyond the day's tokens, or if nothing is left without private parts and secrets.

    extractor = build(settings.extractor, store)    # None: off
    if extractor is not None:
        proposals = extractor.propose(turns)        # one exchange: a prompt, and the replies to it

A call may take `timeout_seconds`, so run it in the background. Pass only what capture may read (no session or prompt that
opted out). Text that is not the user's must not have the user's role: pass the template of a slash command or an order to
a sub-agent as `Role.TOOL`, or not at all.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Protocol

from recollect.capture.grounding import MIN_QUOTE_CHARS
from recollect.domain.extraction import ExtractorState
from recollect.domain.learning import Proposal
from recollect.domain.session import Turn
from recollect.domain.settings import ExtractorSettings as Settings
from recollect.domain.settings import Provider
from recollect.extract.address import check, read_address
from recollect.extract.answer import ModelAnswer, NoAnswer
from recollect.extract.budget import Budget, CountsTokens, Reservation
from recollect.extract.prompting import ModelQuestion, build_question, clean_turns, fit_turns
from recollect.extract.reading import UnreadableAnswer, read_answer

FIRST_REST = timedelta(minutes=10)
LONGEST_REST = timedelta(hours=12)
NO_TOKENS_LEFT = "too few of today's tokens are left for another question"
NOT_A_LIST = "its answer is not the JSON list that it was asked for"
MIN_EXCHANGE_CHARS = 60  # "go on" or "thanks" is not worth a question

Now = Callable[[], datetime]
Ask = Callable[[ModelQuestion], ModelAnswer]  # raises NoAnswer


class Proposes(Protocol):
    """Reads exchanges: with an endpoint, which is asked now, or with a host, which is asked later."""

    def propose(self, turns: Sequence[Turn]) -> list[Proposal]: ...

    @property
    def state(self) -> ExtractorState: ...


def utc_now() -> datetime:
    return datetime.now(UTC)


class Extractor:
    """Not thread-safe, except for `state`."""

    def __init__(self, settings: Settings, ask: Ask, budget: Budget, now: Now = utc_now) -> None:
        self._settings = settings
        self._ask = ask
        self._budget = budget
        self._now = now
        self._failures = 0
        self._resting: tuple[str, datetime] | None = None  # why, and until when
        self._over_budget: str | None = None  # set if the last exchange was skipped because of the budget

    def propose(self, turns: Sequence[Turn]) -> list[Proposal]:
        """Return proposals; none if the model is not asked, fails or finds nothing."""
        if self._is_resting():
            return []
        shown, request = prepare_question(turns, self._settings)
        if request is None:
            return []
        reservation = self._budget.reserve(request, answer_tokens=self._settings.answer_tokens, day=self._now().date())
        if reservation is None:
            self._over_budget = NO_TOKENS_LEFT
            return []
        self._over_budget = None
        return self._ask_and_read(request, reservation, shown)

    def _ask_and_read(self, request: ModelQuestion, reservation: Reservation, turns: Sequence[Turn]) -> list[Proposal]:
        try:
            answer = self._ask(request)
        except NoAnswer as failure:
            if not failure.may_cost:
                self._budget.give_back(reservation)
            self._rest(failure.why, timedelta(seconds=failure.wait_s))
            return []
        self._budget.settle(reservation, answer.tokens)
        try:
            reading = read_answer(answer.text, turns, items=self._settings.max_items)
        except UnreadableAnswer:
            self._rest(NOT_A_LIST)
            return []
        self._failures, self._resting = 0, None
        return list(reading.proposals)

    def _is_resting(self) -> bool:
        return self._resting is not None and self._now() < self._resting[1]

    def _rest(self, why: str, at_least: timedelta = timedelta()) -> None:
        rest = max(min(FIRST_REST * 2 ** min(self._failures, 10), LONGEST_REST), at_least)
        self._failures += 1
        self._resting = (why, self._now() + rest)

    @property
    def state(self) -> ExtractorState:
        problem, rests_until = self._resting or (None, None)
        if not self._is_resting():
            problem, rests_until = self._over_budget or problem, None
        return ExtractorState(
            provider=self._settings.provider,
            model=self._settings.model,
            host=read_address(self._settings).host,
            spent_tokens=self._budget.spent(self._now().date()),
            tokens_per_day=self._settings.tokens_per_day,
            problem=problem,
            rests_until=rests_until,
        )


def prepare_question(turns: Sequence[Turn], settings: Settings) -> tuple[list[Turn], ModelQuestion | None]:
    """Return the turns as the model sees them, and the question; None if there is nothing to ask."""
    cleaned = clean_turns(turns)
    if sum(len(turn.text) for turn in cleaned) < MIN_EXCHANGE_CHARS:
        return [], None
    shown = fit_turns(cleaned, tokens=settings.request_tokens)
    return shown, build_question(shown, items=settings.max_items, quote_chars=MIN_QUOTE_CHARS)


def build(
    settings: Settings, counts: CountsTokens, env: Mapping[str, str] = os.environ, now: Now = utc_now
) -> Proposes | None:
    """Return None if it is off. Raises InvalidSettings."""
    check(settings)
    budget = Budget(counts, per_day=settings.tokens_per_day)

    match settings.provider:
        case Provider.OFF:
            return None
        case Provider.OPENAI:
            from recollect.extract.providers import ask_openai

            return Extractor(settings, lambda question: ask_openai(settings, question, env), budget, now)
        case Provider.ANTHROPIC:
            from recollect.extract.providers import ask_anthropic

            return Extractor(settings, lambda question: ask_anthropic(settings, question, env), budget, now)
        case Provider.HOST:
            from recollect.extract.host_model import HostModel

            return HostModel(settings, budget, now)
