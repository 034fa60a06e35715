"""The model, loaded when somebody first needs it; without one, everything is found by its words."""

import threading
import time
from pathlib import Path

from recollect.domain.errors import ModelError
from recollect.embed.cached import Remembering


class Model:
    """That of a folder. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._loading = threading.Lock()
        self._tried: object = None  # the state of the folder when it was last tried
        self._loaded: Remembering | None = None
        self.problem: ModelError | None = None  # why there is none

    def __call__(self) -> Remembering | None:
        """Waits until it is loaded, half a second at most. One that is built later, or another one, is found then."""
        with self._loading:
            state = _stamp(self._folder)
            if state != self._tried:
                self._tried = state
                try:
                    self._loaded = self._load()
                except ModelError as error:  # one that is loaded goes on: its vectors are as good as before
                    self.problem = error
                else:
                    self.problem = None
        return self._loaded

    def says(self) -> str:
        """In a word."""
        if self._loaded is not None:
            return "loaded"
        return "not loaded yet" if self.problem is None else self.problem.code

    def if_loaded(self) -> Remembering | None:
        """For whoever cannot wait."""
        return self._loaded

    def _load(self) -> Remembering:
        from recollect.embed.minilm import load

        return Remembering(load(self._folder), time.monotonic)


def _stamp(folder: Path) -> object:
    """Tells a folder from what it was before."""
    try:
        return sorted((file.name, file.stat().st_mtime_ns) for file in folder.iterdir())
    except OSError as error:
        return error.errno
