"""`recollect config show` and `config init`"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from recollect import config
from recollect.cli import context
from recollect.cli.display import output
from recollect.cli.formats.settings_file import shown, written
from recollect.domain.errors import InvalidSettings, InvalidValue
from recollect.domain.settings import Settings
from recollect.workspace import marker
from recollect.workspace.git import root_of


@click.group("config")
def group() -> None:
    """What is set, where it comes from, and files to set it in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingRow:
    name: str  # budgets.turn_tokens
    value: config.Value
    default: config.Value | None  # None: a kind that has none in this table
    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    whose: str
    path: Path
    there: bool


@group.command()
@click.argument("section", required=False)
@output.json_option
def show(section: str | None, as_json: bool) -> None:
    """Every setting of this folder with its origin. SECTION: only that one, for example budgets."""
    user_file, project_file = config.places().settings, config.project_file(".")
    rows = _rows(config.read(user_file, project_file))
    if section is not None:
        sections = list(dict.fromkeys(_section(row) for row in rows))
        if section not in sections:
            raise InvalidValue(f"There is no section {section!r}; {config.suggestion(section, sections)}")
        rows = [row for row in rows if _section(row) == section]
    files = [
        Looked(whose="user", path=user_file, there=user_file.exists()),
        Looked(whose="project", path=project_file or _project_place(), there=project_file is not None),
    ]
    if as_json:
        _show_json(files, rows)
    elif sys.stdout.isatty():
        _show_table(files, rows)
    else:
        for row in rows:
            output.say("\t".join([row.name, shown(row.value), row.origin]))


@group.command()
@click.option("--project", "for_project", is_flag=True, help="For this project: .recollect.toml at its top.")
@output.json_option
def init(for_project: bool, as_json: bool) -> None:
    """Write a file with every setting as a comment, ready to be changed. Never overwrites one."""
    path = _project_place() if for_project else config.places().settings
    _create(path, written(for_project=for_project), mode=0o666 if for_project else 0o600)
    if as_json:
        output.say_json({"created": str(path)})
    else:
        output.say(f"Created {path}. Take the # away from a line to change a setting.")


def _project_place() -> Path:
    return root_of(context.folder()) / marker.NAME


def _create(path: Path, text: str, *, mode: int) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    except FileExistsError:
        raise InvalidSettings(f"{path} is there already and stays as it is; edit it, or move it away first.") from None
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)


def _rows(loaded: config.Loaded) -> list[SettingRow]:
    defaults: Mapping[str, config.Value] = config.leaves(Settings())
    return [
        SettingRow(name=name, value=value, default=defaults.get(name), origin=loaded.origins[name])
        for name, value in config.leaves(loaded.settings).items()
    ]


def _section(row: SettingRow) -> str:
    return row.name.partition(".")[0]


def _show_json(files: list[Looked], rows: list[SettingRow]) -> None:
    output.say_json(
        {
            "files": [{"whose": file.whose, "path": str(file.path), "exists": file.there} for file in files],
            "settings": [
                {"name": row.name, "value": row.value, "default": row.default, "origin": row.origin} for row in rows
            ],
        }
    )


def _show_table(files: list[Looked], rows: list[SettingRow]) -> None:
    from rich.console import Console  # a terminal is there: worth its 50 ms
    from rich.table import Table
    from rich.text import Text

    places = Table.grid(padding=(0, 2, 0, 0))
    places.add_column(no_wrap=True)
    places.add_column(overflow="fold")  # a path that is cut is no path
    for file in files:
        note = Text("" if file.there else "  (not there)", style="dim")
        places.add_row(f"{file.whose}'s file", Text(str(file.path)) + note)
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    section = ""
    for row in rows:
        if _section(row) != section:
            section = _section(row)
            table.add_row()
            table.add_row(Text(f"[{section}]", style="bold"))
        entries = row.value if isinstance(row.value, tuple) else ()
        said = f"{len(entries)} entries" if isinstance(row.value, tuple) else shown(row.value)
        value = Text(said, style="bold yellow" if row.value != row.default else "")
        origin = Text(row.origin, style="dim" if row.origin == config.DEFAULT else "")
        table.add_row(Text("  " + row.name.removeprefix(f"{section}.")), value, origin)
        for entry in entries:
            table.add_row(Text(f"    {entry}"))
    Console().print(places, table)
