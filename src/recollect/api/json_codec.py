"""Encodes requests and answers as JSON by their types, with msgspec: the reader gets the value that was written.
Exception: `text.filters` reads kinds and the filters of a search; over HTTP the filters are fields of the request."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from typing import Any, TypeVar

import msgspec

from recollect.domain.errors import PayloadError, describe_unknown, error_from_code
from recollect.domain.memory import SCOPE_FORMS, Scope, parse_kind
from recollect.text import filters

Value = TypeVar("Value")
FILTERS = "filters"


def encode(value: object) -> bytes:
    return msgspec.json.encode(value, enc_hook=_to_text)


def decode(data: bytes | bytearray, kind: type[Value], what: str = "answer") -> Value:
    """Raise PayloadError if it is not JSON or not of this kind. Errors of the value itself are raised unchanged."""
    with _explaining(what):
        return msgspec.json.decode(data, type=kind, dec_hook=_from_text)


def encode_request(request: object) -> bytes:
    given = msgspec.to_builtins(request)
    filters_given = given.pop(FILTERS, {})
    return encode(given | filters_given)


def decode_request(data: bytes | bytearray, kind: type[Value]) -> Value:
    with _explaining("request"):
        given = msgspec.json.decode(data, type=dict[str, Any])
        return msgspec.convert(_read_filters(given, kind), kind, dec_hook=_from_text)


def prepare(kind: type) -> None:
    """Let msgspec read the fields of a type, which it does when it decodes the first value. msgspec 0.22 crashes if two
    threads decode the first values of a type at once."""
    with suppress(msgspec.MsgspecError):
        msgspec.json.decode(b"0", type=kind, dec_hook=_from_text)


def _read_filters(given: dict[str, Any], kind: type[Any]) -> dict[str, Any]:
    """Read kinds and filters with `text.filters`. Refuse unknown fields: a misspelt one would count as left out."""
    names = [field.name for field in fields(kind)]
    has_filters = FILTERS in names
    known = [name for name in names if name != FILTERS]
    if has_filters:
        known += filters.NAMES
    for name in given:
        if name not in known:
            raise PayloadError(describe_unknown("field", name, known))
    read = {name: value for name, value in given.items() if name in names}
    if has_filters:
        read[FILTERS] = filters.read_filters(given)
    elif given.get("kinds") is not None:
        read["kinds"] = filters.read_kinds(given)
    elif isinstance(given.get("kind"), str):
        read["kind"] = parse_kind(given["kind"])
    return read


@contextmanager
def _explaining(what: str) -> Iterator[None]:
    try:
        yield
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise PayloadError(f"The {what} cannot be read: {error}.") from None


def _to_text(value: object) -> str:
    """Encode a scope as its text, as in an export."""
    if isinstance(value, Scope):
        return str(value)
    raise NotImplementedError(f"A {type(value).__name__} cannot travel.")


def _from_text(kind: type, given: object) -> Scope:
    if kind is Scope and isinstance(given, str):
        return Scope.parse(given)
    raise TypeError(f"Expected `str`, got `{type(given).__name__}`")


def describe_as_text(kind: type) -> dict[str, str]:
    """Return the JSON schema of a scope."""
    if kind is Scope:
        return {"type": "string", "description": SCOPE_FORMS}
    raise NotImplementedError(f"A {kind.__name__} cannot travel.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorAnswer:
    error: Failure


def raise_error(answer: bytes) -> None:
    failure = decode(answer, ErrorAnswer).error
    raise error_from_code(failure.code, failure.message)
