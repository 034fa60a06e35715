"""Writes docs/reference from the code itself: `make docs`. The tests check that it was done."""

import dataclasses
import inspect
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from recollect.cli.main import COMMANDS, cli
from recollect.domain import errors
from recollect.domain.settings import Settings

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
_COMMENT = re.compile(r"^    (\w+): .*?  # (.*)$")


def commands() -> str:
    """Every command with its help, as a terminal of 100 columns shows it."""
    pages = ["# Commands\n\nMade from the code by `make docs`. Exit codes: [exit-codes.md](exit-codes.md).\n"]
    group = click.Context(cli, info_name="recollect", **cli.context_settings)
    for name in COMMANDS:
        command = cli.get_command(group, name)
        assert command is not None
        context = click.Context(command, info_name=name, parent=group, terminal_width=100, max_content_width=100)
        pages.append(f"## {name}\n\n```\n{command.get_help(context)}\n```\n")
    return "\n".join(pages)


def settings() -> str:
    """Every setting with its default and meaning."""
    intro = (
        "# Settings\n\nMade from the code by `make docs`. They are read from `~/.config/recollect/config.toml` "
        "(`$XDG_CONFIG_HOME` is respected); a variable `RECOLLECT_SECTION__NAME` has the last word, for example "
        "`RECOLLECT_BUDGETS__TURN_TOKENS=400`. A key that does not exist is refused with a suggestion. A running "
        "daemon keeps what it has read; `recollect stop` lets the next one read anew.\n"
    )
    pages = [intro]
    for section in dataclasses.fields(Settings):
        part = getattr(Settings(), section.name)
        meanings = _meanings(type(part))
        rows = [f"## [{section.name}]\n", "| setting | default | meaning |", "|---|---|---|"]
        for field in dataclasses.fields(part):
            default = _shown(getattr(part, field.name))
            rows.append(f"| {field.name} | {default} | {meanings[field.name]} |")
        pages.append("\n".join(rows) + "\n")
    return "\n".join(pages)


def error_codes() -> str:
    """Every error that `pipe` and the daemon answer with."""
    rows = [
        "# Errors\n",
        "Made from the code by `make docs`. `pipe` and the daemon answer",
        '`{"error": {"code", "message"}}`;',
    ]
    rows += ["the message says what happened and what to do.\n", "| code | error |", "|---|---|"]
    found = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, errors.RecollectError)]
    rows += [f"| {kind.code} | {kind.__name__} |" for kind in sorted(found, key=lambda kind: kind.code)]
    return "\n".join([*rows, "| internal | a bug of ours; the log has it |"]) + "\n"


PAGES = {"commands.md": commands, "settings.md": settings, "errors.md": error_codes}


def _meanings(part: type) -> dict[str, str]:
    lines = inspect.getsource(part).splitlines()
    return {found[1]: found[2] for line in lines if (found := _COMMENT.match(line))}


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {number:g}" for name, number in value.items())
    return str(value).lower() if isinstance(value, bool) else f"{value:g}"


if __name__ == "__main__":
    for page, write in PAGES.items():
        (REFERENCE / page).write_text(write())
        sys.stdout.write(f"{page}\n")
