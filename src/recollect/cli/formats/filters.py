"""Filters of a search, as people write them (options of `recall`) and as scripts do (`filters` of `pipe`).

Nothing is guessed: an unknown name, kind or date is refused, and the error lists the known ones.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

import click

from recollect.domain.errors import InvalidValue, PayloadError, RecollectError
from recollect.domain.memory import KINDS_ELSEWHERE, Kind, Scope, ScopeLevel, check_time
from recollect.domain.search import Filters, MemoryStatus
from recollect.text import json_fields as read
from recollect.text.json_fields import Fields

NAMES = ("kind", "scope", "language", "since", "until", "as_of", "status")
SCOPES = "universal, language:NAME, project or project:ID"
Value = TypeVar("Value")
DATE = "write a day, 2026-05-31, or a time, 2026-05-31T14:00"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestFilters:
    filters: Filters
    language: str | None  # of the caller


def option(read_one: Callable[[str], Value]) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Make a click callback that reads an option's value, or each of its values; a refused value is a usage error."""

    def callback(ctx: click.Context, param: click.Parameter, given: Any) -> Any:
        try:
            if given is None:
                return None
            if isinstance(given, tuple):
                return tuple(map(read_one, given))
            return read_one(given)
        except RecollectError as refusal:
            raise click.BadParameter(str(refusal), ctx=ctx, param=param) from None

    return callback


def parse_kind_name(text: str) -> Kind:
    known = KINDS_ELSEWHERE.get(text)
    if known is not None:
        return known
    if text in list(Kind):
        return Kind(text)
    raise InvalidValue(f"There is no kind {text!r}; {_nearest(text, list(Kind))}")


def parse_moment(text: str) -> datetime:
    try:
        moment = read.time_or_none({"time": text}, "time")
    except PayloadError:
        raise InvalidValue(f"{text!r} is not a date; {DATE}.") from None
    assert moment is not None  # the text was given
    check_time(moment)
    return moment


def parse_scope(text: str) -> Scope:
    scope = Scope.parse(text)
    if scope.level is ScopeLevel.SESSION:
        raise InvalidValue(f"A memory of one session is visible in that session alone; use the scope {SCOPES}.")
    return scope


def parse_status(text: str) -> MemoryStatus:
    if text not in list(MemoryStatus):
        raise InvalidValue(f"There is no status {text!r}; use one of {', '.join(MemoryStatus)}.")
    return MemoryStatus(text)


def read_filters(request: Fields) -> RequestFilters:
    given = read.section(request, "filters")
    for name in given:
        if name not in NAMES:
            raise PayloadError(f"There is no filter {name!r}; {_nearest(name, NAMES)}")
    filters = Filters(
        kinds=frozenset(_parse("kind", parse_kind_name, kind) for kind in _one_or_more(given, "kind")),
        scope=_read_one(given, "scope", parse_scope),
        since=_read_one(given, "since", parse_moment),
        until=_read_one(given, "until", parse_moment),
        as_of=_read_one(given, "as_of", parse_moment),
        status=_read_one(given, "status", parse_status) or MemoryStatus.LIVE,
    )
    return RequestFilters(filters=filters, language=_language_of(filters.scope, _text(given, "language")))


def _language_of(scope: Scope | None, language: str | None) -> str | None:
    """A search in the scope of a language is a search by a caller who uses that language."""
    if language:
        return language.lower()
    if scope is not None and scope.level is ScopeLevel.LANGUAGE:
        return scope.name
    return None


def _text(given: Fields, name: str) -> str | None:
    """Refuse an empty filter: it would count as no filter."""
    value = given.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or not value.strip():
        raise PayloadError(f"`filters.{name}` is empty or not a text.")
    return value


def _one_or_more(given: Fields, name: str) -> list[str]:
    value = given.get(name)
    if value is None:
        return []
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list) or not found or not all(isinstance(item, str) for item in found):
        raise PayloadError(f"`filters.{name}` is a text or a list of texts.")
    return found


def _read_one(given: Fields, name: str, parse: Callable[[str], Value]) -> Value | None:
    value = _text(given, name)
    return None if value is None else _parse(name, parse, value)


def _parse(name: str, parse: Callable[[str], Value], value: str) -> Value:
    try:
        return parse(value)
    except RecollectError as refusal:
        raise PayloadError(f"`filters.{name}`: {refusal}") from None


def _nearest(text: str, known: Collection[str]) -> str:
    from difflib import get_close_matches  # only for errors: start-up stays quick

    near = get_close_matches(text, known, n=1, cutoff=0.6)
    return f"did you mean '{near[0]}'?" if near else f"use one of {', '.join(known)}."
