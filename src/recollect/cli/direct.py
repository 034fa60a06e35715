"""`--direct`: past the daemon.

Every command takes it, so that nobody has to know which ones ask the daemon. Those that never do, because they work on
the database themselves (`export`, `project` ...) or are about the daemon itself (`status`, `stop` ...), change nothing
for it, and their help does not show it.
"""

import click

HELP = "Work on the database itself, past the daemon."
HELP_FOR_ALL = "Commands that ask the daemon work on the database itself, past it; others do not change for it."
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
option_for_all = click.option("--direct", is_flag=True, expose_value=False, callback=note, help=HELP_FOR_ALL)


def accepted(command: click.Command) -> click.Command:
    """The command and what is below it, each with `--direct`."""
    if all("--direct" not in parameter.opts for parameter in command.params):
        command.params.append(click.Option(["--direct"], is_flag=True, expose_value=False, callback=note, hidden=True))
    for below in command.commands.values() if isinstance(command, click.Group) else ():
        accepted(below)
    return command
