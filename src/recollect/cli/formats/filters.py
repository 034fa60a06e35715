"""What a search is narrowed to, as people write it (options of `recall`) and as scripts do (`filters` of `pipe`).

Nothing is guessed: a name, kind or date that is not known is refused with what is.
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
    """What `filters` of a request say."""

    filters: Filters
    language: str | None  # of whoever asks


def option(read_one: Callable[[str], Value]) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Reads the value of a command's option, or each of them; one that is refused is a mistake in the call."""

    def callback(ctx: click.Context, param: click.Parameter, given: Any) -> Any:
        try:
            if isinstance(given, tuple):
                return tuple(map(read_one, given))
            return None if given is None else read_one(given)
        except RecollectError as refusal:
            raise click.BadParameter(str(refusal), ctx=ctx, param=param) from None

    return callback


def kind_named(text: str) -> Kind:
    known = KINDS_ELSEWHERE.get(text)
    if known is not None:
        return known
    if text in list(Kind):
        return Kind(text)
    raise InvalidValue(f"There is no kind {text!r}; {_nearest(text, list(Kind))}")


def moment_named(text: str) -> datetime:
    try:
        moment = read.time_or_none({"time": text}, "time")
    except PayloadError:
        raise InvalidValue(f"{text!r} is no date; {DATE}.") from None
    assert moment is not None  # it was given
    check_time(moment)
    return moment


def scope_named(text: str) -> Scope:
    scope = Scope.parse(text)
    if scope.level is ScopeLevel.SESSION:
        raise InvalidValue(f"What holds in one session is seen in that session alone; a scope here is {SCOPES}.")
    return scope


def status_named(text: str) -> MemoryStatus:
    if text not in list(MemoryStatus):
        raise InvalidValue(f"There is no status {text!r}; known are {', '.join(MemoryStatus)}.")
    return MemoryStatus(text)


def asked(request: Fields) -> RequestFilters:
    """The `filters` of a request."""
    given = read.part(request, "filters")
    for name in given:
        if name not in NAMES:
            raise PayloadError(f"There is no filter {name!r}; {_nearest(name, NAMES)}")
    scope, status = _text(given, "scope"), _text(given, "status")
    language = _text(given, "language")
    filters = Filters(
        kinds=frozenset(_named("kind", kind_named, kind) for kind in _one_or_more(given, "kind")),
        scope=None if scope is None else _named("scope", scope_named, scope),
        since=_moment(given, "since"),
        until=_moment(given, "until"),
        as_of=_moment(given, "as_of"),
        status=MemoryStatus.LIVE if status is None else _named("status", status_named, status),
    )
    return RequestFilters(filters=filters, language=language_of(filters.scope, language))


def language_of(scope: Scope | None, language: str | None) -> str | None:
    """Whoever asks for what holds for a language sees what holds for it."""
    if language:
        return language.lower()
    return scope.name if scope is not None and scope.level is ScopeLevel.LANGUAGE else None


def _text(given: Fields, name: str) -> str | None:
    """What is there says something: an empty filter would pass for none."""
    value = given.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or not value.strip():
        raise PayloadError(f"`filters.{name}` is not a text that says something.")
    return value


def _one_or_more(given: Fields, name: str) -> list[str]:
    value = given.get(name)
    if value is None:
        return []
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list) or not found or not all(isinstance(item, str) for item in found):
        raise PayloadError(f"`filters.{name}` is a text or a list of texts.")
    return found


def _moment(given: Fields, name: str) -> datetime | None:
    value = _text(given, name)
    return None if value is None else _named(name, moment_named, value)


def _named(name: str, read_one: Callable[[str], Value], value: str) -> Value:
    """With an error that names the filter."""
    try:
        return read_one(value)
    except RecollectError as refusal:
        raise PayloadError(f"`filters.{name}`: {refusal}") from None


def _nearest(text: str, known: Collection[str]) -> str:
    from difflib import get_close_matches  # only where something is odd: starting stays quick

    near = get_close_matches(text, known, n=1, cutoff=0.6)
    return f"did you mean '{near[0]}'?" if near else f"known are {', '.join(known)}."
