"""Speed of embedding memories with the real model, and the time of a search by word meanwhile."""

import threading
import time
from pathlib import Path

import numpy as np

from bench.corpus import NOW, PROJECTS, drafts, prompts
from bench.measure import measure, row, verdict
from bench.search import engine_on, open_store, recall
from bench.vectors import Reals
from recollect.domain.vector import ModelId, Vector
from recollect.engine.engine import Engine
from recollect.engine.memories.teaching import import_all
from recollect.engine.ports import Embeds
from recollect.engine.upkeep import embed_some

TEXTS = 1000
MEANWHILE = 400
MIN_PER_SECOND = 50  # per second of processor time


class RecordingEmbedder:
    """Returns the vectors of the model and records them."""

    def __init__(self, embeds: Embeds) -> None:
        self._embeds = embeds
        self.made: list[Vector] = []

    @property
    def model(self) -> ModelId:
        return self._embeds.model

    def embed(self, text: str) -> Vector:
        self.made.append(self._embeds.embed(text))
        return self.made[-1]

    def embed_question(self, text: str) -> Vector:
        return self._embeds.embed_question(text)

    def knows(self, word: str) -> bool:
        return self._embeds.knows(word)


def run(folder: Path, model: Embeds) -> Reals:
    """Return the vectors, one for each of the first memories of the corpus."""
    recording = RecordingEmbedder(model)
    with open_store(folder / "embedding.db") as (store, by_word):
        background = engine_on(store, recording)
        import_all(by_word.context(None, NOW), drafts(TEXTS), by="bench")
        began, computed = time.perf_counter(), time.process_time()
        _embed_all(background)
        per_second = TEXTS / (time.perf_counter() - began)
        per_cpu_second = TEXTS / (time.process_time() - computed)
        print(
            f"{TEXTS:>9,} memories embedded: {per_cpu_second:,.0f} for each second of a processor, {per_second:,.0f} "
            f"for each second of the clock   at least {MIN_PER_SECOND}: {verdict(per_cpu_second >= MIN_PER_SECOND)}",
            flush=True,
        )
        made = as_rows(recording.made)
        asked = [(number % PROJECTS, prompt) for number, prompt in enumerate(prompts(200))]
        alone = measure(asked, lambda one: recall(by_word, *one))
        row(f"{TEXTS:>9,} in {PROJECTS} projects: recall by word", alone, alone)
        import_all(by_word.context(None, NOW), drafts(MEANWHILE, seed=6), by="bench")
        embedding = threading.Thread(target=_embed_all, args=[background])
        embedding.start()
        while_embedding = measure(
            (one for one in asked * 10 if embedding.is_alive()), lambda one: recall(by_word, *one)
        )
        embedding.join()
        row(f"{TEXTS:>9,} in {PROJECTS} projects: the same while {MEANWHILE} are embedded", while_embedding, alone)
    return made


def as_rows(vectors: list[Vector]) -> Reals:
    return np.frombuffer(b"".join(vectors), "<f4").reshape(len(vectors), -1)


def _embed_all(engine: Engine) -> None:
    while embed_some(engine.context(None, NOW)):
        pass
