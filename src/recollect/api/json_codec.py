"""Requests and answers as JSON, by their types alone: the reader gets the value that was written."""

from dataclasses import dataclass, fields
from typing import Any, TypeVar

import msgspec

from recollect.domain.errors import PayloadError, error_from_code

Value = TypeVar("Value")


def encode(value: object) -> bytes:
    return msgspec.json.encode(value)


def decode(data: bytes | bytearray, kind: type[Value], what: str = "request") -> Value:
    """Raise PayloadError if it is not JSON or not of this kind. Errors of the value itself are raised unchanged."""
    try:
        _refuse_unknown(data, kind)
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise PayloadError(f"The {what} cannot be read: {error}.") from None


def _refuse_unknown(data: bytes | bytearray, kind: type[Any]) -> None:
    """A misspelt field would count as one that was left out."""
    given = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    known = [field.name for field in fields(kind)]
    for name in given:
        if name not in known:
            raise PayloadError(f"There is no field {name!r}; use one of {', '.join(known)}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorAnswer:
    error: Failure


def raise_error(answer: bytes) -> None:
    failure = decode(answer, ErrorAnswer, "answer").error
    raise error_from_code(failure.code, failure.message)
