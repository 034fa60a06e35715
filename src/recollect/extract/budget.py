"""What a model may cost in a day. Pure: the numbers are kept by whoever can keep them.

Tokens are taken before a call and corrected after it. A process that dies in between has spent them; two that ask at
once cannot both have the last ones.
"""

from dataclasses import dataclass
from datetime import date
from typing import Protocol

from recollect.extract.prompting import ModelQuestion

_MARGIN = 1.5  # our estimate bounds one vocabulary from above; those of other models make more of the same text
_ENVELOPE_TOKENS = 50  # what a provider adds around two messages
_LEAST_BYTES_PER_TOKEN = 16  # whoever reports that a token holds more than this reports nothing


class CountsTokens(Protocol):
    """Kept over restarts, and shared by all processes of a user."""

    def spent_tokens(self, day: date) -> int: ...

    def reserve_tokens(self, day: date, tokens: int, *, most: int) -> bool:
        """All or none, in one step: False where the day would have more than `most` then."""
        ...

    def spend_tokens(self, day: date, tokens: int) -> None:
        """Further ones, asked for or not; less than nothing gives back."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    day: date
    tokens: int
    least: int  # what the question alone costs anywhere


class Budget:
    def __init__(self, counts: CountsTokens, *, per_day: int) -> None:
        self._counts = counts
        self._per_day = per_day

    def spent(self, day: date) -> int:
        return self._counts.spent_tokens(day)

    def reserve(self, request: ModelQuestion, *, answer_tokens: int, day: date) -> Reservation | None:
        """None: the day has not so many left."""
        tokens = max_cost(request, answer_tokens=answer_tokens)
        if not self._counts.reserve_tokens(day, tokens, most=self._per_day):
            return None
        least = len((request.system + request.text).encode()) // _LEAST_BYTES_PER_TOKEN
        return Reservation(day=day, tokens=tokens, least=least)

    def settle(self, reserved: Reservation, reported: int | None) -> None:
        """What was really spent takes the place of what was reserved, if that is known and can be true."""
        if reported is not None and reported >= reserved.least:
            self._counts.spend_tokens(reserved.day, reported - reserved.tokens)

    def give_back(self, reserved: Reservation) -> None:
        self._counts.spend_tokens(reserved.day, -reserved.tokens)


def max_cost(request: ModelQuestion, *, answer_tokens: int) -> int:
    """At most, question and answer."""
    return int(request.tokens * _MARGIN) + _ENVELOPE_TOKENS + answer_tokens
