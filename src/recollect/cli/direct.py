"""`--direct`: past the daemon."""

import click

HELP = "Work on the database itself, past the daemon."
_MARK = "recollect.direct"


def note(ctx: click.Context, _: click.Parameter, given: bool) -> None:
    if given:
        ctx.meta[_MARK] = True


def insist() -> None:
    """For the rest of this command."""
    click.get_current_context().meta[_MARK] = True


def is_wanted() -> bool:
    return bool(click.get_current_context().meta.get(_MARK))


option = click.option("--direct", is_flag=True, expose_value=False, callback=note, help=HELP)
