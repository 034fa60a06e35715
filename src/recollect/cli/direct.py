"""`--direct`: bypass the daemon.

Every command accepts it: users need not know which ones use the daemon. The others ignore it and hide it in their help.
"""

import click

HELP = "Bypass the daemon and open the database directly."
_MARK = "recollect.direct"


def note(ctx: click.Context, _: click.Parameter, given: bool) -> None:
    if given:
        ctx.meta[_MARK] = True


def insist() -> None:
    """Bypass the daemon for the rest of this command."""
    click.get_current_context().meta[_MARK] = True


def is_wanted() -> bool:
    return bool(click.get_current_context().meta.get(_MARK))


option = click.option("--direct", is_flag=True, expose_value=False, callback=note, help=HELP)
option_for_all = click.option("--direct", is_flag=True, expose_value=False, callback=note, help=HELP)


def add_option(command: click.Command) -> click.Command:
    """Make a command and its subcommands accept `--direct`, hidden if they do not declare it."""
    if not any("--direct" in parameter.opts for parameter in command.params):
        command.params.append(click.Option(["--direct"], is_flag=True, expose_value=False, callback=note, hidden=True))
    if isinstance(command, click.Group):
        for subcommand in command.commands.values():
            add_option(subcommand)
    return command
