"""`recollect hook`: print the command for an agent's hook configuration."""

import shlex
import sys
from pathlib import Path

import click

import recollect
from recollect.cli.display import output
from recollect.domain.errors import InvalidValue
from recollect.hosts import opencode, script

HOSTS = (script.NAME,)  # hosts with command hooks
START = "import sys; sys.path.append(sys.argv.pop(1)); import hook; hook.main()"
MOMENTS = ("start", "prompt", "tool", "reply", "compaction", "end")


@click.command(
    epilog="""\b
Examples:
  recollect hook script start
  recollect hook script prompt --json"""
)
@click.argument("host")
@click.argument("moment", required=False)
@output.json_option
def hook(host: str, moment: str | None, as_json: bool) -> None:
    """Print the command for a host's hook configuration.

    Use this for an agent that has command hooks but no plugin for Recollect. HOST is always "script", the name for any
    such agent. MOMENT is start, prompt, tool, reply, compaction or end. MOMENT decides how long the agent waits for the
    answer: at most 1.8 s for start, at most 0.4 s for all others. The printed command reads an event from standard
    input: docs/how-to/hooks.md."""
    if host == opencode.NAME:
        raise InvalidValue(f"{host} has a plugin and needs no hooks; `recollect install {host}` connects it.")
    if host not in HOSTS:
        raise InvalidValue(f"There is no host {host!r} with hooks; known: {', '.join(HOSTS)}.")
    if moment is not None and moment not in MOMENTS:
        raise InvalidValue(f"There is no moment {moment!r}; known: {', '.join(MOMENTS)}.")
    command = arguments(host, moment)
    output.say_result(command, shlex.join(command), as_json)


def arguments(host: str, moment: str | None) -> list[str]:
    """Return the hook command. No shim and no search along PATH: each costs more than the hook itself. It imports the
    client: Python compiles a script again at every start, which takes half as long as to start Python."""
    folder = str(Path(recollect.__file__).parent)
    command = [sys.executable, "-S", "-I", "-c", START, folder, host]
    return [*command, moment] if moment else command
