"""`recollect install` and `recollect uninstall`"""

import click

from recollect import config
from recollect.cli import context, output
from recollect.client import DAEMON_COMMAND
from recollect.install import opencode
from recollect.install.opencode import Step
from recollect.workspace.git import root_of

_host = click.argument("host", type=click.Choice(["opencode"]))
_project = click.option(
    "--project",
    "in_project",
    is_flag=True,
    required=True,
    help="In the project of this folder (.opencode/plugin at its top).",
)


@click.command()
@_host
@_project
@output.json_option
def install(host: str, in_project: bool, as_json: bool) -> None:  # noqa: ARG001  # one host, one place so far
    """Connect HOST with Recollect."""
    steps = opencode.install(root_of(context.folder()), config.places().command, DAEMON_COMMAND)
    _report(steps, as_json)
    if not as_json:
        output.say("\nTry it: teach a sentence with `recollect remember`, then start `opencode` in this project.")


@click.command()
@_host
@_project
@output.json_option
def uninstall(host: str, in_project: bool, as_json: bool) -> None:  # noqa: ARG001
    """Disconnect HOST from Recollect. Memories are kept."""
    _report(opencode.uninstall(root_of(context.folder())), as_json)


def _report(steps: list[Step], as_json: bool) -> None:
    if as_json:
        output.say_json({"steps": [{"change": step.change, "path": str(step.path)} for step in steps]})
        return
    for step in steps:
        output.say(f"{step.change:9} {step.path}")
