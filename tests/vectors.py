"""Made-up vectors, with the cosines that a test wants, and an embedder that needs no model."""

import math
from collections.abc import Callable, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from recollect.domain.memory import Memory
from recollect.domain.search import EmbeddedItem, Meaning, UnembeddedItem
from recollect.domain.session import Turn
from recollect.domain.vector import DIMENSIONS, ModelId, Vector
from recollect.engine.ports import Store
from recollect.text.query import content_words

MODEL, OTHER_MODEL = ModelId("made-up"), ModelId("another")


def vector_of(values: NDArray[np.float64]) -> Vector:
    return Vector((values / np.linalg.norm(values)).astype("<f4").tobytes())


def axis(number: int) -> Vector:
    return at_cosine(1.0, to=number)


def at_cosine(cosine: float, *, to: int = 0, beside: int = DIMENSIONS - 1) -> Vector:
    """As near as that to one axis, and to `beside` for the rest."""
    values = np.zeros(DIMENSIONS)
    values[to], values[beside] = cosine, math.sqrt(1 - cosine**2)
    return vector_of(values)


def any_vector(chance: np.random.Generator) -> Vector:
    """Around the first axis, so that some are near to it and some are not."""
    values = chance.normal(size=DIMENSIONS) / math.sqrt(DIMENSIONS)
    values[0] += chance.uniform(-0.5, 2.0)
    return vector_of(values)


def as_halves(vector: Vector) -> bytes:
    """As the store has it."""
    return np.frombuffer(vector, "<f4").astype("<f2").tobytes()


def cosine(one: Vector, other: Vector) -> float:
    a, b = (np.frombuffer(as_halves(vector), "<f2").astype(np.float64) for vector in (one, other))
    return float(a @ b)


def asking(vector: Vector | None = None, model: ModelId = MODEL) -> Meaning:
    return Meaning(vector=axis(0) if vector is None else vector, model=model)


def embed_all(
    store: Store, vectors_of: Callable[[Memory | Turn], Vector | Sequence[Vector]], model: ModelId = MODEL
) -> list[str]:
    """Gives everything that waits its vectors; answers with what it says."""
    done: list[str] = []
    while waiting := store.next_unembedded(model, limit=1000):
        store.keep_vectors(model, [embedded(what, vectors_of(what.of)) for what in waiting])
        done += [what.of.text for what in waiting]
    return done


def embedded(what: UnembeddedItem, vectors: Vector | Sequence[Vector]) -> EmbeddedItem:
    return EmbeddedItem(what=what, vectors=(vectors,) if isinstance(vectors, bytes) else tuple(vectors))


class ConceptModel:
    """Words that mean the same have the same direction; every other word has its own."""

    SAME = (
        {"car", "vehicl", "automobil"},
        {"deploy", "rollout", "releas", "ship"},
        {"databas", "postgr", "sqlite"},
        {"secret", "credenti", "password"},
    )

    def __init__(self, model: ModelId = MODEL) -> None:
        self.model = model
        self.asked: list[str] = []

    def embed(self, text: str) -> Vector:
        values = np.zeros(DIMENSIONS)
        values[DIMENSIONS - 1] = 1e-6  # a text without a word means something too
        for word in content_words(text):
            concept = next((min(same) for same in self.SAME if word in same), word)
            values[int.from_bytes(blake2b(f"{self.model} {concept}".encode()).digest()[:4], "big") % 380] += 1
        return vector_of(values)

    def embed_question(self, text: str) -> Vector:
        self.asked.append(text)
        return self.embed(text)

    def knows(self, word: str) -> bool:  # noqa: ARG002
        return True  # no finger slips
