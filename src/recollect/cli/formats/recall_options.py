"""The options of `recall` that narrow a search."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import wraps
from typing import Any

import click

from recollect.api.request_scope import HERE
from recollect.cli import complete_values
from recollect.cli.formats import filters
from recollect.domain.memory import Kind, Scope, ScopeLevel
from recollect.domain.search import MemoryStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    kinds: frozenset[Kind]
    scope: str | None  # as written: only the engine can resolve its project
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
        if self.scope is None or self.scope == HERE:
            return None
        scope = Scope.parse(self.scope)
        return scope.name if scope.level is ScopeLevel.PROJECT else None

    @property
    def request_fields(self) -> dict[str, Any]:
        return asdict(self) | {"status": self.status or MemoryStatus.LIVE}


def options(command: Callable[..., None]) -> Callable[..., None]:
    """Add these options to a command; the command gets them as `narrowed`."""

    @wraps(command)
    def run(**given: Any) -> None:
        kinds = frozenset(given.pop("kinds"))
        others = {name: given.pop(name) for name in ("scope", "since", "until", "as_of", "status")}
        command(narrowed=Narrowing(kinds=kinds, **others), **given)

    with_options: Callable[..., None] = run
    for option in reversed(_OPTIONS):
        with_options = option(with_options)
    return with_options


def _scope_text(text: str) -> str:
    if text != HERE:
        filters.parse_scope(text)
    return text


def _moment(name: str, meaning: str) -> Callable[..., Any]:
    return click.option(name, metavar="DATE", callback=filters.option(filters.parse_moment), help=meaning)


kinds_option = click.option(
    "--kind",
    "kinds",
    metavar="KIND",
    multiple=True,
    shell_complete=complete_values.kinds,
    callback=filters.option(filters.parse_kind_name),
    help="Only memories of this kind. May be repeated.",
)
_OPTIONS: tuple[Callable[..., Any], ...] = (
    kinds_option,
    click.option(
        "--scope",
        metavar="SCOPE",
        callback=filters.option(_scope_text),
        help=f"Only memories of this scope: {filters.SCOPES}.",
    ),
    _moment("--since", "Only memories or messages from DATE or later."),
    _moment("--until", "Only memories or messages from before DATE."),
    _moment("--as-of", "Memories that were valid on DATE, including those replaced since."),
    click.option(
        "--status",
        type=click.Choice([status.value for status in MemoryStatus]),
        callback=filters.option(MemoryStatus),
        help="live (default): memories valid now. superseded: memories no longer valid. stale: memories valid now "
        "whose file has changed or is gone. any: all memories.",
    ),
)
