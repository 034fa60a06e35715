"""The options of `recall` that narrow a search, as one value."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Any

import click

from recollect.cli import completing, context, filters
from recollect.domain.memory import Kind, Scope, ScopeLevel
from recollect.domain.search import Filters, Status
from recollect.engine.engine import Engine

HERE = "project"  # the scope of this folder's project


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    kinds: frozenset[Kind]
    scope: str | None  # as it was written: whose project it is, only the engine knows
    since: datetime | None
    until: datetime | None
    as_of: datetime | None
    status: Status | None

    def filters(self, engine: Engine, project: str | None) -> Filters:
        return Filters(
            kinds=self.kinds,
            scope=self._scope(engine, project),
            since=self.since,
            until=self.until,
            as_of=self.as_of,
            status=self.status or Status.LIVE,
        )

    def _scope(self, engine: Engine, project: str | None) -> Scope | None:
        if self.scope is None:
            return None
        if self.scope == HERE:
            return Scope.project(context.project_of(engine, project))
        scope = filters.scope_named(self.scope)
        in_project = scope.level is ScopeLevel.PROJECT
        return Scope.project(context.project_of(engine, scope.name)) if in_project else scope


def options(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command these options; it gets them as `narrowed`."""

    @wraps(command)
    def collected(**given: Any) -> None:
        kinds = frozenset(given.pop("kinds"))
        others = {name: given.pop(name) for name in ("scope", "since", "until", "as_of", "status")}
        command(narrowed=Narrowing(kinds=kinds, **others), **given)

    added: Callable[..., None] = collected
    for option in reversed(_OPTIONS):
        added = option(added)
    return added


def _scope_text(text: str) -> str:
    if text != HERE:
        filters.scope_named(text)
    return text


def _moment(name: str, meaning: str) -> Callable[..., Any]:
    return click.option(name, metavar="DATE", callback=filters.option(filters.moment_named), help=meaning)


_OPTIONS: tuple[Callable[..., Any], ...] = (
    click.option(
        "--kind",
        "kinds",
        metavar="KIND",
        multiple=True,
        shell_complete=completing.kinds,
        callback=filters.option(filters.kind_named),
        help="Only this kind; may be repeated.",
    ),
    click.option(
        "--scope",
        metavar="SCOPE",
        callback=filters.option(_scope_text),
        help=f"Only what holds there: {filters.SCOPES}.",
    ),
    _moment("--since", "Only what was said at DATE or later."),
    _moment("--until", "Only what was said before DATE."),
    _moment("--as-of", "What held at DATE, whether or not it still does."),
    click.option(
        "--status",
        type=click.Choice([status.value for status in Status]),
        callback=filters.option(Status),
        help="live (the default): what holds; superseded: what has held; any: both; "
        "stale: what holds, and whose files are not as they were.",
    ),
)
