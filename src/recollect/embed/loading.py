"""Loads the model on first use; without one, search uses words only."""

import threading
import time
from pathlib import Path

from recollect.domain.errors import ModelError
from recollect.embed.cached import CachedEmbedder


class Model:
    """The model in a folder. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._loading = threading.Lock()
        self._tried_stamp: object = None  # the folder's stamp at the last attempt
        self.loaded: CachedEmbedder | None = None  # without waiting for it
        self.problem: ModelError | None = None  # why it could not be loaded

    def __call__(self) -> CachedEmbedder | None:
        """Return the model; load it first (up to half a second) if the folder has changed. None if it cannot be loaded."""
        with self._loading:
            stamp = _folder_stamp(self._folder)
            if stamp != self._tried_stamp:
                self._tried_stamp = stamp
                try:
                    self.loaded = self._load()
                except ModelError as error:  # keep the model that is loaded: its vectors are still correct
                    self.problem = error
                else:
                    self.problem = None
        return self.loaded

    def status_word(self) -> str:
        """Return the state in one word or error code."""
        if self.loaded is not None:
            return "loaded"
        return "not loaded yet" if self.problem is None else self.problem.code

    @property
    def if_loaded(self) -> "IfLoaded":
        """The same model for callers that do not wait for it."""
        return IfLoaded(self)

    def _load(self) -> CachedEmbedder:
        from recollect.embed.minilm import load

        return CachedEmbedder(load(self._folder), time.monotonic)


class IfLoaded:
    """Gives the model without waiting; None if it is not loaded yet."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def problem(self) -> ModelError | None:
        return self._model.problem

    def __call__(self) -> CachedEmbedder | None:
        return self._model.loaded


def _folder_stamp(folder: Path) -> object:
    """Return a value that differs after any change of the folder."""
    try:
        return sorted((file.name, file.stat().st_mtime_ns) for file in folder.iterdir())
    except OSError as error:
        return error.errno
