"""An embedder that remembers: a question that is asked again, on the next turn or by the next tool, costs nothing."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.domain.vector import ModelId, Vector

if TYPE_CHECKING:
    from recollect.embed.minilm import MiniLm

ENTRIES = 1000
SECONDS = 3600.0
MAX_CHARS = 2000  # a longer text is hardly asked for twice


class Remembering:
    """Thread-safe. What was not asked for longest goes first; after an hour, everything goes."""

    def __init__(
        self, embedder: "MiniLm", seconds: Callable[[], float], *, entries: int = ENTRIES, lifetime: float = SECONDS
    ) -> None:
        self._embedder = embedder
        self._seconds = seconds
        self._entries = entries
        self._lifetime = lifetime
        self._known: OrderedDict[str, tuple[float, Vector]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def model(self) -> ModelId:
        return self._embedder.model

    def embed(self, text: str) -> Vector:
        """Once: what is kept for good is not asked for again."""
        return self._embedder.embed(text)

    def embed_question(self, text: str) -> Vector:
        now = self._seconds()
        with self._lock:
            known = self._known.get(text)
            if known is not None and now - known[0] < self._lifetime:
                self._known.move_to_end(text)
                return known[1]
        vector = self._embedder.embed(text)
        if len(text) <= MAX_CHARS:
            with self._lock:
                self._known[text] = (now, vector)
                self._known.move_to_end(text)
                while len(self._known) > self._entries:
                    self._known.popitem(last=False)
        return vector

    def knows(self, word: str) -> bool:
        return self._embedder.knows(word)
