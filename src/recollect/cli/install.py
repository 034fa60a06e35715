"""`recollect install` and `recollect uninstall`"""

from pathlib import Path

import click

from recollect import config
from recollect.cli import output
from recollect.client import DAEMON_COMMAND
from recollect.install import opencode
from recollect.install.opencode import Step

_host = click.argument("host", type=click.Choice(["opencode"]))
_project = click.option(
    "--project", "in_project", is_flag=True, required=True, help="Into the project of this folder (.opencode/plugin)."
)


@click.command()
@_host
@_project
@output.json_option
def install(host: str, in_project: bool, as_json: bool) -> None:  # noqa: ARG001  # one host, one place so far
    """Connect HOST with Recollect."""
    steps = opencode.install(Path.cwd(), config.places().command, DAEMON_COMMAND)
    _report(steps, as_json)
    if not as_json:
        output.say("\nTry it: teach a sentence with `recollect remember`, then run `opencode` in this folder.")


@click.command()
@_host
@_project
@output.json_option
def uninstall(host: str, in_project: bool, as_json: bool) -> None:  # noqa: ARG001
    """Disconnect HOST from Recollect. Memories are kept."""
    _report(opencode.uninstall(Path.cwd()), as_json)


def _report(steps: list[Step], as_json: bool) -> None:
    if as_json:
        output.say_json({"steps": [{"change": step.change, "path": str(step.path)} for step in steps]})
        return
    for step in steps:
        output.say(f"{step.change:9} {step.path}")
