"""The `recollect` command. Each command's module is loaded only when it is called, so that starting stays quick."""

import os
import sys
from importlib import import_module
from io import StringIO

import click

from recollect import __version__
from recollect.cli import direct
from recollect.cli.exit_codes import EXIT_ERROR
from recollect.domain.errors import RecollectError

# The sections of `recollect --help`, in order.
SECTIONS = {
    "Memories": "remember recall list show history edit forget undo review",
    "What the model sees": "why feedback inject pause resume",
    "Old sessions, files and projects": "capture worth import export data project",
    "Setup": "install uninstall doctor config model completion demo",
    "Daemon": "status start stop restart",
    "For hosts and scripts": "hook mcp pipe",
}
COMMANDS = " ".join(SECTIONS.values()).split()
# Where a command is, unless it is function `x` of module `x`.
PLACES = {
    "list": "list:list_memories",
    "history": "show:history",
    "resume": "pause:resume",
    "import": "import_:import_memories",
    "export": "export:export_memories",
    "uninstall": "install:uninstall",
    "config": "config:group",
    "model": "model:group",
    "start": "service:start",
    "stop": "service:stop",
    "restart": "service:restart",
}
# Each takes one text: a person who forgets the quotes gives it several.
TAKE_TEXT = ("remember", "recall")
NAME_COLUMNS = max(map(len, COMMANDS))
# During a pause, users of these commands may wonder why nothing is learnt or shown.
MENTION_PAUSE = frozenset("remember recall list why inject review capture start restart install".split())


class LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        return COMMANDS

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module, _, function = PLACES.get(cmd_name, f"{cmd_name}:{cmd_name}").partition(":")
        command: click.Command = getattr(import_module(f"recollect.cli.commands.{module}"), function)
        return direct.add_option(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        room = formatter.width - 6 - NAME_COLUMNS  # 6: click's indent and gap
        for heading, names in SECTIONS.items():
            rows = []
            for name in names.split():
                command = self.get_command(ctx, name)
                assert command is not None
                rows.append((name.ljust(NAME_COLUMNS), command.get_short_help_str(room)))
            with formatter.section(heading):
                formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches  # needed for errors only

            near = get_close_matches(args[0], COMMANDS, n=1)
            if not near:
                raise
            raise click.UsageError(f"{error.message} Did you mean '{near[0]}'?", ctx) from None


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(__version__, prog_name="recollect")
@direct.option_for_all
def cli() -> None:
    """Memory for coding agents: learns from your sessions and reminds the agent later."""


@cli.result_callback()
@click.pass_context
def mention_pause(ctx: click.Context, result: object) -> object:
    if ctx.invoked_subcommand in MENTION_PAUSE:
        from recollect.cli.display import pause_notice

        pause_notice.remark()
    return result


def main() -> int:
    """Run the command; an error that Recollect raises on purpose becomes one clear line and an exit code."""
    try:
        code = cli.main(standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Abort:  # click's form of Ctrl-C
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        message = StringIO()
        error.show(message)
        if isinstance(error, click.UsageError) and "unexpected extra argument" in error.message:
            message.write(_quotes_hint(error.ctx))
        sys.stderr.write(_redact(message.getvalue()))
        return error.exit_code
    except RecollectError as error:
        return _report_error(str(error))
    except (UnicodeError, MemoryError) as error:
        return _report_error(f"The input is not valid UTF-8 or is too large ({type(error).__name__}).")
    except OSError as error:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115  # do not try to write the rest again at exit
        return _report_error(f"The operating system reports: {error}.")
    return code if isinstance(code, int) else 0


def _quotes_hint(ctx: click.Context | None) -> str:
    command = ctx.info_name if ctx else None
    return f'Put the text in quotes: recollect {command} "..."\n' if command in TAKE_TEXT else ""


def _report_error(message: str) -> int:
    sys.stderr.write(f"Error: {_redact(message)}\n")
    return EXIT_ERROR


def _redact(message: str) -> str:
    """Remove secrets: the message quotes the command line and may end up in a log."""
    from recollect.privacy.secrets import redact  # needed for errors only

    return redact(message).text
