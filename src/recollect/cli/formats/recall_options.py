"""The options of `recall` that narrow a search, as one value."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Any

import click

from recollect.api.places import HERE
from recollect.cli import complete_values
from recollect.cli.formats import filters
from recollect.domain.memory import Kind, Scope, ScopeLevel
from recollect.domain.search import MemoryStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    kinds: frozenset[Kind]
    scope: str | None  # as it was written: whose project it is, only the engine knows
    since: datetime | None
    until: datetime | None
    as_of: datetime | None
    status: MemoryStatus | None

    @property
    def is_about_memories(self) -> bool:
        """Turns have no kind, scope or status."""
        return bool(self.kinds or self.scope) or self.status not in (None, MemoryStatus.LIVE)

    @property
    def project(self) -> str | None:
        """The one that is named by the scope."""
        named = Scope.parse(self.scope) if self.scope not in (None, HERE) else None
        return named.name if named is not None and named.level is ScopeLevel.PROJECT else None

    @property
    def given(self) -> dict[str, Any]:
        """As fields of a request."""
        return {
            "kinds": self.kinds,
            "scope": self.scope,
            "since": self.since,
            "until": self.until,
            "as_of": self.as_of,
            "status": self.status or MemoryStatus.LIVE,
        }


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


kinds_option = click.option(
    "--kind",
    "kinds",
    metavar="KIND",
    multiple=True,
    shell_complete=complete_values.kinds,
    callback=filters.option(filters.kind_named),
    help="Only this kind; may be repeated.",
)
_OPTIONS: tuple[Callable[..., Any], ...] = (
    kinds_option,
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
        type=click.Choice([status.value for status in MemoryStatus]),
        callback=filters.option(MemoryStatus),
        help="live (the default): what holds; superseded: what has held; any: both; "
        "stale: what holds, and whose files are not as they were.",
    ),
)
