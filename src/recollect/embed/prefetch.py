"""Embeds expected texts in other threads while the engine works, with the same vectors as without it.

Used when all texts are known in advance, as when old sessions are read. If no thread has started on a text, the thread
that asks for it embeds it, so that every core has work.
"""

import os
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor

from recollect.domain.vector import ModelId, Vector
from recollect.embed.cached import CachedEmbedder

MAX_THREADS = 4


class PrefetchingEmbedder:
    def __init__(self, embedder: CachedEmbedder) -> None:
        self._embedder = embedder
        self._threads = ThreadPoolExecutor(max(1, min(MAX_THREADS, (os.cpu_count() or 1) - 1)))
        self._waiting: dict[str, Future[Vector]] = {}

    @property
    def model(self) -> ModelId:
        return self._embedder.model

    def expect(self, texts: Iterable[str]) -> None:
        for text in texts:
            if text not in self._waiting:
                self._waiting[text] = self._threads.submit(self._embedder.embed, text)

    def embed(self, text: str) -> Vector:
        expected = self._waiting.pop(text, None)
        if expected is None or expected.cancel():
            return self._embedder.embed(text)
        return expected.result()

    def embed_question(self, text: str) -> Vector:
        return self._embedder.embed_question(text)

    def knows(self, word: str) -> bool:
        return self._embedder.knows(word)

    def close(self) -> None:
        """Drop the expected texts that no thread has started on."""
        self._threads.shutdown(cancel_futures=True)
