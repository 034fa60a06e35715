"""Caches the vectors of questions: the same question on the next turn or from the next tool costs nothing."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.domain.vector import ModelId, Vector

if TYPE_CHECKING:
    from recollect.embed.minilm import MiniLm

MAX_ENTRIES = 1000
LIFETIME_SECONDS = 3600.0
MAX_CHARS = 2000  # longer texts are rarely asked twice


class CachedEmbedder:
    """Thread-safe. Drops the least recently used entry first, and every entry after an hour."""

    def __init__(self, embedder: "MiniLm", clock_s: Callable[[], float], *, max_entries: int = MAX_ENTRIES) -> None:
        self._embedder = embedder
        self.knows = embedder.knows  # asked for every word of a prompt
        self._clock_s = clock_s
        self._max_entries = max_entries
        self._known: OrderedDict[str, tuple[float, Vector]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def model(self) -> ModelId:
        return self._embedder.model

    def embed(self, text: str) -> Vector:
        """Embed a text to store, which happens once. It may have been a question a moment ago: a prompt is archived too."""
        return self._find(text, self._clock_s()) or self._embedder.embed(text)

    def embed_question(self, text: str) -> Vector:
        now = self._clock_s()
        known = self._find(text, now)
        if known is not None:
            return known
        vector = self._embedder.embed(text)
        if len(text) <= MAX_CHARS:
            with self._lock:
                self._known[text] = (now, vector)
                self._known.move_to_end(text)
                while len(self._known) > self._max_entries:
                    self._known.popitem(last=False)
        return vector

    def _find(self, text: str, now: float) -> Vector | None:
        with self._lock:
            if text in self._known:
                embedded_at, vector = self._known[text]
                if now - embedded_at < LIFETIME_SECONDS:
                    self._known.move_to_end(text)
                    return vector
        return None
