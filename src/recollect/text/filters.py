"""Reads the filters of a search, one rule and one wording for all callers: options of `recall`, `filters` of `pipe`, fields
of an HTTP request and of an `asked` event. Pure.

Nothing is guessed: an unknown name, kind or date is refused, and the error lists the known ones.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar

from recollect.domain.errors import InvalidValue, PayloadError, describe_unknown
from recollect.domain.memory import Kind, Scope, ScopeLevel, check_time, parse_kind
from recollect.domain.search import Filters, MemoryStatus
from recollect.text import json_fields as read
from recollect.text.json_fields import Fields

SCOPE_FORMS = ("universal", "language:NAME", "project", "project:ID")
SCOPES = ", ".join(SCOPE_FORMS)
Value = TypeVar("Value")
DATE = "write a day, 2026-05-31, or a time, 2026-05-31T14:00"


def parse_moment(text: str) -> datetime:
    try:
        moment = read.time_or_none({"time": text}, "time")
    except PayloadError:
        raise InvalidValue(f"{text!r} is not a date; {DATE}.") from None
    assert moment is not None  # the text was given
    check_time(moment)
    return moment


def parse_scope(text: str) -> str:
    if text == ScopeLevel.PROJECT:
        return text
    if text.startswith(f"{ScopeLevel.SESSION}:"):
        raise InvalidValue(f"A memory of one session is visible in that session alone; use the scope {SCOPES}.")
    try:
        return str(Scope.parse(text))
    except InvalidValue:
        if text.partition(":")[0] in list(ScopeLevel):  # `project:` or `universal:x`
            raise InvalidValue(f"The scope {text!r} is not complete; use {SCOPES}.") from None
        raise InvalidValue(describe_unknown("scope", text, SCOPE_FORMS)) from None


def parse_status(text: str) -> MemoryStatus:
    if text not in list(MemoryStatus):
        raise InvalidValue(describe_unknown("status", text, list(MemoryStatus)))
    return MemoryStatus(text)


_PARSERS: Mapping[str, Callable[[str], Any]] = {
    "scope": parse_scope,
    "since": parse_moment,
    "until": parse_moment,
    "as_of": parse_moment,
    "status": parse_status,
}
NAMES = ("kinds", "kind", *_PARSERS)


def read_filters(given: Fields) -> Filters:
    """Read the filters among these fields. Null means left out."""
    found = {name: _parse(name, parse, given[name]) for name, parse in _PARSERS.items() if given.get(name) is not None}
    return Filters(kinds=read_kinds(given), **found)


def read_kinds(given: Fields) -> frozenset[Kind]:
    """Read `kind` or `kinds`: one kind or a list. An empty list means every kind."""
    named = [name for name in ("kind", "kinds") if given.get(name) is not None]
    if len(named) > 1:
        raise PayloadError("Give either `kind` or `kinds`.")
    return frozenset(_parse(name, parse_kind, kind) for name in named for kind in _kind_names(name, given[name]))


def _kind_names(name: str, given: Any) -> list[str]:
    kinds = given if isinstance(given, list) else [given]
    if not all(isinstance(kind, str) for kind in kinds):
        raise PayloadError(f"`{name}` is not a kind or a list of kinds.")
    return kinds


def _parse(name: str, parse: Callable[[str], Value], given: Any) -> Value:
    if not isinstance(given, str):
        raise PayloadError(f"`{name}` is not a text.")
    try:
        return parse(given)
    except InvalidValue as refusal:
        raise InvalidValue(f"`{name}`: {refusal}") from None
