"""The `recollect` command. Each command is a module of its own, loaded when it is called: starting stays quick."""

import os
import sys
from importlib import import_module
from io import StringIO

import click

from recollect import __version__
from recollect.cli import direct
from recollect.cli.exit_codes import EXIT_ERROR
from recollect.domain.errors import RecollectError

# name -> module and function; the order is that of `recollect --help`
COMMANDS = {
    "remember": "recollect.cli.commands.remember:remember",
    "recall": "recollect.cli.commands.recall:recall",
    "list": "recollect.cli.commands.list:list_memories",
    "show": "recollect.cli.commands.show:show",
    "history": "recollect.cli.commands.show:history",
    "edit": "recollect.cli.commands.edit:edit",
    "forget": "recollect.cli.commands.forget:forget",
    "undo": "recollect.cli.commands.undo:undo",
    "review": "recollect.cli.commands.review:review",
    "why": "recollect.cli.commands.why:why",
    "feedback": "recollect.cli.commands.feedback:feedback",
    "inject": "recollect.cli.commands.inject:inject",
    "capture": "recollect.cli.commands.capture:capture",
    "worth": "recollect.cli.commands.worth:worth",
    "import": "recollect.cli.commands.import_:import_memories",
    "export": "recollect.cli.commands.export:export_memories",
    "data": "recollect.cli.commands.data:data",
    "pause": "recollect.cli.commands.pause:pause",
    "resume": "recollect.cli.commands.pause:resume",
    "project": "recollect.cli.commands.project:project",
    "model": "recollect.cli.commands.model:group",
    "doctor": "recollect.cli.commands.doctor:doctor",
    "completion": "recollect.cli.commands.completion:completion",
    "install": "recollect.cli.commands.install:install",
    "uninstall": "recollect.cli.commands.install:uninstall",
    "hook": "recollect.cli.commands.hook:hook",
    "config": "recollect.cli.commands.config:group",
    "start": "recollect.cli.commands.service:start",
    "stop": "recollect.cli.commands.service:stop",
    "restart": "recollect.cli.commands.service:restart",
    "status": "recollect.cli.commands.status:status",
    "mcp": "recollect.cli.commands.mcp:mcp",
    "pipe": "recollect.cli.commands.pipe:pipe",
    "demo": "recollect.cli.commands.demo:demo",
}
# Whoever calls these may wonder why nothing is learnt or shown.
TELL_OF_PAUSE = frozenset("remember recall list why inject review capture start restart install".split())


class LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module, _, function = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), function)
        return direct.accepted(command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches  # only where something is wrong: starting stays quick

            near = get_close_matches(args[0], COMMANDS, n=1)
            if not near:
                raise
            raise click.UsageError(f"{error.message} Did you mean '{near[0]}'?", ctx) from None


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(__version__, prog_name="recollect")
@direct.option_for_all
def cli() -> None:
    """The memory of a coding agent: teach it once, and it is there when it matters."""


@cli.result_callback()
@click.pass_context
def told_of_pause(ctx: click.Context, result: object) -> object:
    if ctx.invoked_subcommand in TELL_OF_PAUSE:
        from recollect.cli.display import pause_notice

        pause_notice.remark()
    return result


def main() -> int:
    """Runs the command; every error that Recollect raises on purpose becomes one clear line and an exit code."""
    try:
        code = cli.main(standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Abort:  # what click makes of Ctrl-C
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        said = StringIO()
        error.show(said)
        sys.stderr.write(_without_secrets(said.getvalue()))
        return error.exit_code
    except RecollectError as error:
        return _failed(str(error))
    except (UnicodeError, MemoryError) as error:
        return _failed(
            f"What came in cannot be handled ({type(error).__name__}): it is no valid text, or far too much."
        )
    except OSError as error:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115  # what could not be written is not tried again
        return _failed(f"The system refused: {error}.")
    return code if isinstance(code, int) else 0


def _failed(message: str) -> int:
    sys.stderr.write(f"Error: {_without_secrets(message)}\n")
    return EXIT_ERROR


def _without_secrets(message: str) -> str:
    """It quotes what was typed, and may end up in somebody's log."""
    from recollect.privacy.secrets import redact  # only where something is wrong: starting stays quick

    return redact(message).text
