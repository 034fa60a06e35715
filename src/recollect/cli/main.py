"""The `recollect` command. Each command is a module of its own, loaded when it is called: starting stays quick."""

import sys
from importlib import import_module

import click

from recollect import __version__
from recollect.domain.errors import RecollectError

EXIT_ERROR = 1  # Recollect could not do it; the message says why and what to do
EXIT_INTERRUPTED = 130  # Ctrl-C

# name -> module and function; the order is that of `recollect --help`
COMMANDS = {
    "remember": "recollect.cli.remember:remember",
    "recall": "recollect.cli.recall:recall",
    "list": "recollect.cli.list:list_memories",
    "install": "recollect.cli.install:install",
    "uninstall": "recollect.cli.install:uninstall",
    "start": "recollect.cli.service:start",
    "stop": "recollect.cli.service:stop",
    "status": "recollect.cli.service:status",
    "pipe": "recollect.cli.pipe:pipe",
    "demo": "recollect.cli.demo:demo",
}


class LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module, _, function = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), function)
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="recollect")
def cli() -> None:
    """The memory of a coding agent: teach it once, and it is there when it matters."""


def run() -> None:
    """The entry point: every error that Recollect raises on purpose becomes one clear line and an exit code."""
    try:
        code = cli.main(standalone_mode=False)
    except click.exceptions.Abort:
        sys.stderr.write("\nInterrupted.\n")
        sys.exit(EXIT_INTERRUPTED)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except RecollectError as error:
        sys.stderr.write(f"Error: {error}\n")
        sys.exit(EXIT_ERROR)
    except BrokenPipeError:
        sys.stderr.close()  # whoever read us has gone; nothing more to say
        sys.exit(0)
    sys.exit(code if isinstance(code, int) else 0)
