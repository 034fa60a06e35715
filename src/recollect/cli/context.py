"""What every command begins with: settings, the engine on the user's database, and the project of this folder."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from recollect import config
from recollect.api import places
from recollect.cli import complete_values
from recollect.domain.errors import InvalidValue, StoreError
from recollect.domain.memory import ProjectId, Viewer
from recollect.domain.settings import Settings

if TYPE_CHECKING:
    from recollect.engine.engine import Engine
    from recollect.wiring import Model

BY = "cli"  # what the history calls us

project_option = click.option(
    "--project",
    "project",
    metavar="ID",
    shell_complete=complete_values.project_ids,
    help="Another project than the one of this folder, by its id.",
)
language_option = click.option("--language", metavar="NAME", help="Also what holds for this programming language.")


@contextmanager
def engine(using: "Model | None" = None, where: str | None = ".") -> "Iterator[Engine]":
    """`using`: a model that the command wants to ask things itself; `where`: the folder whose settings hold, if any."""
    from recollect import wiring  # what the daemon answers does without

    here = settings(where)
    places = config.places()
    with wiring.open_engine(lambda _: here, places.database, using or model(), pauses=places.pause) as opened:
        yield opened


@contextmanager
def writing_engine(using: "Model | None" = None) -> "Iterator[Engine]":
    """For a command that changes something: afterwards, what time alone brings is done too."""
    with engine(using) as opened:
        yield opened
        with suppress(StoreError):  # the command itself is done; what waited this long waits for the next one
            opened.tidy(now())
            opened.do_chores(now())


def model() -> "Model":
    """Loaded only by what needs it."""
    from recollect import wiring

    return wiring.Model(config.places().model)


def settings(where: str | None = ".") -> Settings:
    """Those of this folder, or of another one; None: the user's own alone."""
    return config.read(config.places().settings, config.project_file(where) if where else None).settings


def folder() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise InvalidValue("The folder you are in does not exist any more; change to another one.") from None


def folder_to_look_in() -> str | None:
    """Where files are looked at; None: the folder is gone, and nothing is known of them."""
    try:
        return str(Path.cwd())
    except FileNotFoundError:
        return None


def project_of(opened: "Engine", given: str | None, *, may_be_new: bool = False) -> ProjectId:
    return places.project_of(opened, None if given else str(folder()), given, may_be_new=may_be_new)


def viewer_of(opened: "Engine", project: str | None, language: str | None) -> Viewer:
    return places.viewer_of(opened, None if project else str(folder()), project, language)


def now() -> datetime:
    return datetime.now(UTC)
