"""`recollect config show` and `config init`"""

import os
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from recollect import config
from recollect.cli import context
from recollect.cli.display import output
from recollect.cli.formats.settings_file import build_settings_file, toml_value
from recollect.domain.errors import InvalidSettings, InvalidValue, describe_unknown
from recollect.domain.settings import Settings
from recollect.paths import find_paths, find_project_file
from recollect.workspace import marker
from recollect.workspace.git import root_of


@click.group("config")
def group() -> None:
    """Show the settings, or create a settings file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingRow:
    name: str  # budgets.turn_tokens
    value: config.Value
    default: config.Value | None  # None: a kind that has no default in this table
    origin: str

    @property
    def section(self) -> str:
        return self.name.partition(".")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsSource:
    whose: str
    path: str
    exists: bool


@group.command()
@click.argument("section", required=False)
@output.json_option
def show(section: str | None, as_json: bool) -> None:
    """Show the settings of this folder, and where each value comes from.

    SECTION limits the output to one section, for example budgets."""
    user_file, project_file = find_paths().settings, find_project_file(".")
    rows = _rows(config.read_settings(user_file, project_file))
    if section is not None:
        sections = list(dict.fromkeys(row.section for row in rows))
        if section not in sections:
            raise InvalidValue(describe_unknown("section", section, sections))
        rows = [row for row in rows if row.section == section]
    files = [
        SettingsSource(whose="user", path=str(user_file), exists=user_file.exists()),
        SettingsSource(whose="project", path=str(project_file or _project_file()), exists=project_file is not None),
    ]
    if as_json:
        output.say_json({"files": list(map(asdict, files)), "settings": list(map(asdict, rows))})
    elif sys.stdout.isatty():
        _show_table(files, rows)
    else:
        for row in rows:
            output.say("\t".join([row.name, toml_value(row.value), row.origin]))


@group.command()
@click.option(
    "--project", "for_project", is_flag=True, help="Create .recollect.toml in the top folder of this project instead."
)
@output.json_option
def init(for_project: bool, as_json: bool) -> None:
    """Create a settings file that lists every setting as a comment.

    The file is ~/.config/recollect/config.toml ($XDG_CONFIG_HOME is respected). An existing file is never
    overwritten."""
    path = _project_file() if for_project else find_paths().settings
    _create(path, build_settings_file(for_project=for_project), mode=0o666 if for_project else 0o600)
    sentence = f"Created {path}. Remove the # in front of a setting to change it."
    output.say_result({"created": str(path)}, sentence, as_json)


def _project_file() -> Path:
    return root_of(context.folder()) / marker.NAME


def _create(path: Path, text: str, *, mode: int) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    except FileExistsError:
        raise InvalidSettings(f"{path} already exists and was not changed; edit it, or move it away first.") from None
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)


def _rows(loaded: config.Loaded) -> list[SettingRow]:
    defaults: Mapping[str, config.Value] = config.leaves(Settings())
    return [
        SettingRow(name=name, value=value, default=defaults.get(name), origin=loaded.origins[name])
        for name, value in config.leaves(loaded.settings).items()
    ]


def _show_table(files: list[SettingsSource], rows: list[SettingRow]) -> None:
    from rich.console import Console  # only for a terminal: it takes 50 ms
    from rich.table import Table
    from rich.text import Text

    places = Table.grid(padding=(0, 2, 0, 0))
    places.add_column(no_wrap=True)
    places.add_column(overflow="fold")  # a path must not be cut
    for file in files:
        note = Text("" if file.exists else "  (does not exist)", style="dim")
        places.add_row(f"{file.whose}'s file", Text(file.path) + note)
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    section = ""
    for row in rows:
        if row.section != section:
            section = row.section
            table.add_row()
            table.add_row(Text(f"[{section}]", style="bold"))
        entries = row.value if isinstance(row.value, tuple) else None
        value = toml_value(row.value) if entries is None else f"{len(entries)} entries"
        table.add_row(
            Text("  " + row.name.removeprefix(f"{section}.")),
            Text(value, style="bold yellow" if row.value != row.default else ""),
            Text(row.origin, style="dim" if row.origin == config.DEFAULT else ""),
        )
        for entry in entries or ():
            table.add_row(Text(f"    {entry}"))
    Console().print(places, table)
