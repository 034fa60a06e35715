"""An embedder that is told beforehand what it will be asked: other threads embed it while the engine goes on.

For much that is read at once and known as a whole, such as old sessions. The vectors are the same as without it. A text
that no thread has begun with is embedded by the one that asks for it, so that every core has work.
"""

import os
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor

from recollect.domain.vector import ModelId, Vector
from recollect.embed.cached import Remembering

MAX_THREADS = 4


class Ahead:
    def __init__(self, embedder: Remembering) -> None:
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
        known = self._waiting.pop(text, None)
        return self._embedder.embed(text) if known is None or known.cancel() else known.result()

    def embed_question(self, text: str) -> Vector:
        return self._embedder.embed_question(text)

    def knows(self, word: str) -> bool:
        return self._embedder.knows(word)

    def close(self) -> None:
        """Nothing that was expected and not asked for is done any more."""
        self._threads.shutdown(cancel_futures=True)
