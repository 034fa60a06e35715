"""Vectors for measuring: those of the model, if there is one, and random variations of them.

Their cosines are spread like those of real texts. That matters: among random vectors, none is near another.
"""

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from recollect.domain.vector import DIMENSIONS, ModelId, Vector

Reals: TypeAlias = NDArray[np.float32]

AT_ONCE = 1000
TURN_NOISE = 0.5  # about 27 degrees: near, but not a copy
TOPICS = 200
IN_COMMON, OF_TOPIC, OF_ITS_OWN = 0.45, 0.6, 0.66  # gives cosines of about .2, and .56 within a topic, as with MiniLM
NO_MODEL = ModelId("bench-synthetic")


class Vectors:
    """Any number of vectors: first the originals, then variations of them."""

    def __init__(self, model: ModelId, originals: Reals) -> None:
        self.model = model
        self._originals = originals

    def blocks(self, count: int, seed: int = 1) -> Iterator[Reals]:
        for first in range(0, count, AT_ONCE):
            yield self._block(first, min(AT_ONCE, count - first), seed)

    def newest_first(self, count: int, seed: int = 1) -> Iterator[Reals]:
        """Yield the same in the order in which the store asks for them."""
        for first in reversed(range(0, count, AT_ONCE)):
            yield self._block(first, min(AT_ONCE, count - first), seed)[::-1]

    def _block(self, first: int, count: int, seed: int) -> Reals:
        numbers = np.arange(first, first + count)
        noise = np.random.default_rng([seed, first]).standard_normal((count, DIMENSIONS), np.float32)
        noise[numbers < len(self._originals)] = 0
        return unit(self._originals[numbers % len(self._originals)] + noise * np.float32(TURN_NOISE / DIMENSIONS**0.5))


def synthetic(count: int, seed: int = 5) -> Reals:
    """Return vectors of texts or questions; all seeds have the same topics."""
    world, chance = np.random.default_rng(0), np.random.default_rng(seed)
    in_common, topics = _some(world, 1), _some(world, TOPICS)
    its_topic = topics[chance.integers(TOPICS, size=count)]
    return unit(IN_COMMON * in_common + OF_TOPIC * its_topic + OF_ITS_OWN * _some(chance, count))


def _some(chance: np.random.Generator, count: int) -> Reals:
    return unit(chance.standard_normal((count, DIMENSIONS), np.float32))


def unit(vectors: Reals) -> Reals:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


class PreparedEmbedder:
    """An embedder without cost: it returns prepared vectors in order."""

    def __init__(self, model: ModelId, texts: Iterator[Reals], questions: Reals) -> None:
        self._model = model
        self._texts = (vector for some in texts for vector in some)
        self._questions = questions
        self._asked = 0

    @property
    def model(self) -> ModelId:
        return self._model

    def embed(self, text: str) -> Vector:  # noqa: ARG002 - the order decides, not the text
        return Vector(next(self._texts).tobytes())

    def embed_question(self, text: str) -> Vector:  # noqa: ARG002
        self._asked += 1
        return Vector(self._questions[self._asked % len(self._questions)].tobytes())

    def knows(self, word: str) -> bool:  # noqa: ARG002
        return True
