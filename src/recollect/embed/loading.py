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
        self._loaded: CachedEmbedder | None = None
        self.problem: ModelError | None = None  # why it could not be loaded

    def __call__(self) -> CachedEmbedder | None:
        """Return the model; load it first (up to half a second) if the folder has changed. None if it cannot be loaded."""
        with self._loading:
            stamp = _folder_stamp(self._folder)
            if stamp != self._tried_stamp:
                self._tried_stamp = stamp
                try:
                    self._loaded = self._load()
                except ModelError as error:  # keep the model that is loaded: its vectors are still correct
                    self.problem = error
                else:
                    self.problem = None
        return self._loaded

    def status_word(self) -> str:
        """Return the state in one word or error code."""
        if self._loaded is not None:
            return "loaded"
        return "not loaded yet" if self.problem is None else self.problem.code

    def if_loaded(self) -> CachedEmbedder | None:
        """Return the model without waiting; None if it is not loaded yet."""
        return self._loaded

    def _load(self) -> CachedEmbedder:
        from recollect.embed.minilm import load

        return CachedEmbedder(load(self._folder), time.monotonic)


def _folder_stamp(folder: Path) -> object:
    """Return a value that differs after any change of the folder."""
    try:
        return sorted((file.name, file.stat().st_mtime_ns) for file in folder.iterdir())
    except OSError as error:
        return error.errno
