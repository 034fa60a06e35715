"""The contract of an operation: a frozen request, a frozen answer, and a name. `operations` has the function of each.

A client of the daemon loads only these values. The answers are the same through the daemon and without it."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from recollect.domain.errors import InvalidValue

HERE = "project"  # as a scope: the project of the caller's folder
UNNAMED_CALLER = "api"  # the name in the history of a caller that gives none


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    folder: str | None = None  # the caller's folder: it determines the project and the settings
    by: str = UNNAMED_CALLER  # the caller's name in the history


def check_limit(limit: int | None, most: int) -> None:
    if limit is not None and not 1 <= limit <= most:
        raise InvalidValue(f"The limit is {limit}; it must be from 1 to {most:,}.")


def check_ids(ids: tuple[str, ...]) -> None:
    if not ids:
        raise InvalidValue("`ids` is missing: name the memories.")


RequestT = TypeVar("RequestT", bound=Request)
AnswerT = TypeVar("AnswerT")


@dataclass(frozen=True, slots=True)
class Operation(Generic[RequestT, AnswerT]):
    name: str  # also its path: /v1/NAME
    says: str  # in a sentence
    asks: type[RequestT]
    answers: type[AnswerT]
    writes: bool = False
    within_s: float = 60.0  # how long a client waits for the answer


AnyOperation = Operation[Any, Any]
