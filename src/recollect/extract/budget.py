"""The daily token budget of the model. Pure: a store keeps the counts.

Tokens are reserved before a call and corrected after it. If a process dies in between, they count as spent; two
processes cannot both reserve the last ones.
"""

from dataclasses import dataclass
from datetime import date
from typing import Protocol

from recollect.extract.prompting import ModelQuestion

_MARGIN = 1.5  # our estimate is an upper bound for one vocabulary; other models make more tokens of the same text
_ENVELOPE_TOKENS = 50  # that a provider adds around two messages
_MAX_BYTES_PER_TOKEN = 16  # a report of fewer tokens than this implies is ignored


class CountsTokens(Protocol):
    """Counts survive restarts and are shared by all processes of a user."""

    def spent_tokens(self, day: date) -> int: ...

    def reserve_tokens(self, day: date, tokens: int, *, most: int) -> bool:
        """Reserve all or none, atomically. Return False if the day would then have more than `most`."""
        ...

    def spend_tokens(self, day: date, tokens: int) -> None:
        """Count more tokens without a check; a negative number gives tokens back."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    day: date
    tokens: int
    least: int  # cost of the question alone with any vocabulary


class Budget:
    def __init__(self, counts: CountsTokens, *, per_day: int) -> None:
        self._counts = counts
        self._per_day = per_day

    def spent(self, day: date) -> int:
        return self._counts.spent_tokens(day)

    def reserve(self, request: ModelQuestion, *, answer_tokens: int, day: date) -> Reservation | None:
        """Return None if the day has too few tokens left."""
        tokens = max_cost(request, answer_tokens=answer_tokens)
        if not self._counts.reserve_tokens(day, tokens, most=self._per_day):
            return None
        least = len((request.system + request.text).encode()) // _MAX_BYTES_PER_TOKEN
        return Reservation(day=day, tokens=tokens, least=least)

    def settle(self, reserved: Reservation, reported: int | None) -> None:
        """Replace the reserved number by the reported one, if there is one and it is plausible."""
        if reported is not None and reported >= reserved.least:
            self._counts.spend_tokens(reserved.day, reported - reserved.tokens)

    def give_back(self, reserved: Reservation) -> None:
        self._counts.spend_tokens(reserved.day, -reserved.tokens)


def max_cost(request: ModelQuestion, *, answer_tokens: int) -> int:
    """Return the upper bound for question and answer."""
    return int(request.tokens * _MARGIN) + _ENVELOPE_TOKENS + answer_tokens
