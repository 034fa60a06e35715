"""Shared by every command: the settings, the engine on the user's database, and this folder's project."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from recollect import config
from recollect.api import request_scope
from recollect.cli import complete_values
from recollect.domain.errors import InvalidValue, StoreError
from recollect.domain.memory import ProjectId, Viewer
from recollect.domain.settings import Settings

if TYPE_CHECKING:
    from recollect.engine.engine import Engine
    from recollect.wiring import Model

BY = "cli"  # our name in the history


def project_id_option(meaning: str) -> Callable[..., Any]:
    return click.option("--project", metavar="ID", shell_complete=complete_values.project_ids, help=meaning)


def limit_option(most: int, default: int | None, meaning: str = "Maximum number of results.") -> Callable[..., Any]:
    return click.option("--limit", "-n", type=click.IntRange(1, most), default=default, show_default=True, help=meaning)


project_option = project_id_option("Id of the project. Default: the project of this folder.")
language_option = click.option("--language", metavar="NAME", help="Also include memories with scope language:NAME.")
yes_option = click.option("--yes", "-y", is_flag=True, help="Do not ask for confirmation.")


@contextmanager
def engine(using: "Model | None" = None, where: str | None = ".") -> "Iterator[Engine]":
    """Open the engine. `using`: a model that the command also uses itself; `where`: the folder with the settings."""
    from recollect import wiring  # not needed if the daemon answers

    here = settings(where)
    places = config.find_paths()
    with wiring.open_engine(lambda _: here, places.database, using or model(), pauses=places.pause) as opened:
        yield opened


@contextmanager
def writing_engine(using: "Model | None" = None) -> "Iterator[Engine]":
    with engine(using) as opened:
        yield opened
        with suppress(StoreError):  # the command itself is done; the clean-up can wait for the next one
            opened.tidy(now())
            opened.do_chores(now())


def model() -> "Model":
    """Return the model; it is loaded when it is first used."""
    from recollect import wiring

    return wiring.Model(config.find_paths().model)


def settings(where: str | None = ".") -> Settings:
    return config.read_settings(config.find_paths().settings, config.project_file(where) if where else None).settings


def folder() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise InvalidValue("The current folder no longer exists; change to another one.") from None


def folder_to_look_in() -> str | None:
    """Return the folder whose files are checked. None: it no longer exists, so nothing is known about files."""
    try:
        return str(Path.cwd())
    except FileNotFoundError:
        return None


def project_of(opened: "Engine", given: str | None, *, may_be_new: bool = False) -> ProjectId:
    return request_scope.project_of(opened, None if given else str(folder()), given, may_be_new=may_be_new)


def viewer_of(opened: "Engine", project: str | None, language: str | None) -> Viewer:
    return request_scope.viewer_of(opened, None if project else str(folder()), project, language)


def now() -> datetime:
    return datetime.now(UTC)


def read_stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidValue(f"Standard input is not UTF-8 (byte {error.start}).") from None
