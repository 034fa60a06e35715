"""Shared by every command: the settings, the engine on the user's database, and this folder's project."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from recollect.api.operation import check_limit
from recollect.cli import complete_values
from recollect.domain.errors import InvalidValue, StoreError
from recollect.domain.memory import ProjectId, parse_kind
from recollect.paths import find_paths, find_project_file

if TYPE_CHECKING:
    from recollect.domain.settings import Settings
    from recollect.engine.context import Context
    from recollect.engine.engine import Engine
    from recollect.wiring import Model

BY = "cli"  # our name in the history


def project_id_option(meaning: str) -> Callable[..., Any]:
    return click.option("--project", metavar="ID", shell_complete=complete_values.project_ids, help=meaning)


@contextmanager
def usage_errors(param: click.Parameter | None = None) -> Iterator[None]:
    """Turn a refused value into a usage error: of this option, or of the options together."""
    try:
        yield
    except InvalidValue as refusal:
        raise (click.BadParameter(str(refusal), param=param) if param else click.UsageError(str(refusal))) from None


def parsed_by(parse: Callable[[Any], Any]) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Make a click callback that parses the value of an option, or each of its values."""

    def callback(_: click.Context, param: click.Parameter, given: Any) -> Any:
        with usage_errors(param):
            if isinstance(given, tuple):
                return tuple(map(parse, given))
            return None if given is None else parse(given)

    return callback


def limit_option(most: int, default: int | None, meaning: str = "Maximum number of results.") -> Callable[..., Any]:
    def check(limit: int) -> int:
        check_limit(limit, most)
        return limit

    meaning = f"{meaning} From 1 to {most:,}."
    return click.option(
        "--limit", "-n", type=int, default=default, show_default=True, callback=parsed_by(check), help=meaning
    )


def kind_option(meaning: str, *names: str, multiple: bool = False) -> Callable[..., Any]:
    return click.option(
        "--kind",
        *names,
        metavar="KIND",
        multiple=multiple,
        shell_complete=complete_values.kinds,
        callback=parsed_by(parse_kind),
        help=meaning,
    )


project_option = project_id_option("Id of the project. Default: the project of this folder.")
language_option = click.option("--language", metavar="NAME", help="Also include memories with scope language:NAME.")
yes_option = click.option("--yes", "-y", is_flag=True, help="Do not ask for confirmation.")


@contextmanager
def engine(using: "Model | None" = None, where: str | None = ".") -> "Iterator[Engine]":
    """Open the engine. `using`: a model that the command also uses itself; `where`: the folder with the settings."""
    from recollect import wiring  # not needed if the daemon answers

    here = settings(where)
    places = find_paths()
    with wiring.open_engine(lambda _: here, places.database, using or model(), pauses=places.pause) as opened:
        yield opened


@contextmanager
def writing_engine(using: "Model | None" = None) -> "Iterator[Engine]":
    from recollect.engine.upkeep import do_chores, tidy

    with engine(using) as opened:
        yield opened
        with suppress(StoreError):  # the command itself is done; the clean-up can wait for the next one
            tidy(request(opened))
            do_chores(request(opened))


def request(opened: "Engine", where: str | None = None) -> "Context":
    """The context of this command, or of a request in another folder."""
    return opened.context(where or folder_to_look_in(), now())


def model() -> "Model":
    """Return the model; it is loaded when it is first used."""
    from recollect import wiring

    return wiring.Model(find_paths().model)


def settings(where: str | None = ".") -> "Settings":
    from recollect import config  # not needed if the daemon answers, and there are no settings

    return config.read_settings(find_paths().settings, find_project_file(where) if where else None).settings


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
    from recollect.engine.memories.folder_project import named_project

    here = None if given else str(folder())  # a missing folder is an error of its own
    return named_project(request(opened, here), given, may_be_new=may_be_new)


def now() -> datetime:
    return datetime.now(UTC)


def read_stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidValue(f"Standard input is not UTF-8 (byte {error.start}).") from None
