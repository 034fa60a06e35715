"""What every command begins with: settings, the engine on the user's database, and the project of this folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import click

from recollect import config, wiring
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import ProjectId, Scope, Viewer
from recollect.engine.engine import Engine

project_option = click.option(
    "--project", "project", metavar="ID", help="Another project than the one of this folder, by its id."
)
language_option = click.option("--language", metavar="NAME", help="Also what holds for this programming language.")


@contextmanager
def engine() -> Iterator[Engine]:
    places = config.places()
    with wiring.open_engine(config.load(places.settings), places.database) as opened:
        yield opened


def folder() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise InvalidValue("The folder you are in does not exist any more; change to another one.") from None


def project_of(opened: Engine, given: str | None) -> ProjectId:
    return ProjectId(given) if given else opened.project_of(str(folder()))


def viewer_of(opened: Engine, project: str | None, language: str | None) -> Viewer:
    return Viewer(project=project_of(opened, project), language=language.lower() if language else None)


def scope_of(opened: Engine, given: str) -> Scope:
    """Where something new is to hold; `project` alone means the project of this folder."""
    return Scope.project(opened.enter_project(str(folder()), now())) if given == "project" else Scope.parse(given)


def now() -> datetime:
    return datetime.now(UTC)
