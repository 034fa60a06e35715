"""The options of `recall` that narrow a search."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from recollect.cli import complete_values, context
from recollect.domain.search import Filters, MemoryStatus
from recollect.text import filters


def options(command: Callable[..., None]) -> Callable[..., None]:
    """Add these options to a command; the command gets them as `filters`."""

    @wraps(command)
    def run(**given: Any) -> None:
        kinds, status = frozenset(given.pop("kinds")), given.pop("status")
        others = {name: given.pop(name) for name in ("scope", "since", "until", "as_of")}
        with context.usage_errors():
            narrowed = Filters(kinds=kinds, status=status, **others)
        command(filters=narrowed, **given)

    with_options: Callable[..., None] = run
    for option in reversed(_OPTIONS):
        with_options = option(with_options)
    return with_options


def _moment(name: str, meaning: str) -> Callable[..., Any]:
    return click.option(name, metavar="DATE", callback=context.parsed_by(filters.parse_moment), help=meaning)


kinds_option = context.kind_option("Only memories of this kind. May be repeated.", "kinds", multiple=True)
_OPTIONS: tuple[Callable[..., Any], ...] = (
    kinds_option,
    click.option(
        "--scope",
        metavar="SCOPE",
        callback=context.parsed_by(filters.parse_scope),
        help=f"Only memories of this scope: {filters.SCOPES}.",
    ),
    _moment("--since", "Only memories or messages from DATE or later."),
    _moment("--until", "Only memories or messages from before DATE."),
    _moment("--as-of", "Memories that were valid on DATE, including those replaced since."),
    click.option(
        "--status",
        metavar="STATUS",
        default=MemoryStatus.LIVE.value,
        shell_complete=complete_values.statuses,
        callback=context.parsed_by(filters.parse_status),
        help="live (default): memories valid now. superseded: memories no longer valid. stale: memories valid now "
        "whose file has changed or is gone. any: all memories.",
    ),
)
