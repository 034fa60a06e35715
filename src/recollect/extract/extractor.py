"""Asks a language model what of an exchange is worth keeping. Off unless the user has set one; the rules always remain.

`propose` never raises for what a provider does: it answers with nothing, rests, and `state` says why. Refuses to ask
while it rests, beyond the tokens of the day, and for what is not there once private parts and secrets are taken out.

    extractor = build(settings.extractor, store)    # None: off
    if extractor is not None:
        proposals = extractor.propose(turns)        # one exchange: a prompt, and the replies to it

A call may take `timeout_seconds`: this belongs into the background. Give it only what capture may read (no session and
no prompt that opted out), and whoever is not the user must not have the role of one: the template of a slash command or
an order to a sub-agent goes in as `Role.TOOL`, or not at all.
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
from recollect.extract.key import read_key
from recollect.extract.prompting import ModelQuestion, build_question, clean_turns, fit_turns
from recollect.extract.reading import UnreadableAnswer, read_answer

FIRST_REST = timedelta(minutes=10)
LONGEST_REST = timedelta(hours=12)
NO_TOKENS_LEFT = "the tokens of today do not suffice for another question"
NOT_A_LIST = "its answer is not the JSON list that it was asked for"
MIN_EXCHANGE_CHARS = 60  # "go on", "thanks": not worth a question

Now = Callable[[], datetime]


class Asks(Protocol):
    def ask(self, request: ModelQuestion) -> ModelAnswer:
        """NoAnswer: there is none."""
        ...


class Proposes(Protocol):
    """What a session's exchange is given to: an endpoint that is asked now, or a host that is asked later."""

    def propose(self, turns: Sequence[Turn]) -> list[Proposal]: ...

    @property
    def state(self) -> ExtractorState: ...


def utc_now() -> datetime:
    return datetime.now(UTC)


class Extractor:
    """For one thread at a time; `state` may be asked for by any."""

    def __init__(self, settings: Settings, asks: Asks, budget: Budget, now: Now = utc_now) -> None:
        self._settings = settings
        self._asks = asks
        self._budget = budget
        self._now = now
        self._failures = 0
        self._resting: tuple[str, datetime] | None = None  # why, and until when
        self._full: str | None = None  # why the last exchange was not asked about, though nothing is broken

    def propose(self, turns: Sequence[Turn]) -> list[Proposal]:
        """Candidates; none where the model cannot, may not or will not say anything that holds."""
        if self._is_resting():
            return []
        shown, request = prepare_question(turns, self._settings)
        if request is None:
            return []
        reserved = self._budget.reserve(request, answer_tokens=self._settings.answer_tokens, day=self._now().date())
        self._full = None if reserved else NO_TOKENS_LEFT
        return [] if reserved is None else self._ask_and_read(request, reserved, shown)

    def _ask_and_read(self, request: ModelQuestion, reserved: Reservation, turns: Sequence[Turn]) -> list[Proposal]:
        try:
            answer = self._asks.ask(request)
        except NoAnswer as failure:
            if not failure.may_cost:
                self._budget.give_back(reserved)
            self._rest(failure.why, timedelta(seconds=failure.wait_s))
            return []
        self._budget.settle(reserved, answer.tokens)
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
        why, until = self._resting or (None, None)
        rests = self._is_resting()
        return ExtractorState(
            provider=self._settings.provider,
            model=self._settings.model,
            host=read_address(self._settings).host,
            spent_tokens=self._budget.spent(self._now().date()),
            tokens_per_day=self._settings.tokens_per_day,
            problem=why if rests else self._full or why,
            rests_until=until if rests else None,
        )


def prepare_question(turns: Sequence[Turn], settings: Settings) -> tuple[list[Turn], ModelQuestion | None]:
    """The turns as they are shown to a model, and the question; None: there is nothing to ask."""
    clean = clean_turns(turns)
    if sum(len(turn.text) for turn in clean) < MIN_EXCHANGE_CHARS:
        return [], None
    shown = fit_turns(clean, tokens=settings.request_tokens)
    return shown, build_question(shown, items=settings.max_items, quote_chars=MIN_QUOTE_CHARS)


def build(
    settings: Settings, counts: CountsTokens, env: Mapping[str, str] = os.environ, now: Now = utc_now
) -> Proposes | None:
    """None: it is off. InvalidSettings: they do not suffice."""
    check(settings)
    budget = Budget(counts, per_day=settings.tokens_per_day)

    def key() -> str | None:
        return read_key(settings, env)

    match settings.provider:
        case Provider.OFF:
            return None
        case Provider.OPENAI:
            from recollect.extract.openai import OpenAi

            return Extractor(settings, OpenAi(settings, key), budget, now)
        case Provider.ANTHROPIC:
            from recollect.extract.anthropic import Anthropic

            return Extractor(settings, Anthropic(settings, key), budget, now)
        case Provider.HOST:
            from recollect.extract.host_model import HostModel

            return HostModel(settings, budget, now)
