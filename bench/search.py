"""Memories written per second, and time to find ten of them by word and by meaning, for several sizes.

Embedding the question is left out where a row says so: it takes the same time at every size.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import numpy as np

from bench.corpus import NOW, PROJECTS, drafts, number_of, project, prompts
from bench.measure import Times, measure, row, verdict
from bench.plain import PlainSearch, PlainVectors
from bench.vectors import PreparedEmbedder, Reals, Vectors
from recollect.domain.memory import Viewer
from recollect.domain.search import Meaning, WordMatches
from recollect.domain.settings import Settings
from recollect.domain.vector import ModelId, Vector
from recollect.engine.engine import NO_MODEL, Engine, LoadedModel
from recollect.engine.memories.teaching import import_all, remember_one
from recollect.engine.ports import Embeds
from recollect.engine.search import recall_memories
from recollect.engine.upkeep import embed_some
from recollect.store.sqlite.store import SqliteStore
from recollect.store.sqlite.vector_cache import MIN_COSINE
from recollect.workspace import git

QUERIES = 200
FEWER_FROM = {1_000_000: 20, 100_000: 50}  # the plain join takes seconds there
PROJECTS_IN_TURN = 5  # projects used one after another, as by a user who stays in one for a while
AT_ONCE = 1000  # memories in one transaction, as in `recollect import`
ONE_BY_ONE = 1000
TARGETS_MS = {10_000: 3.0, 1_000_000: 15.0}  # without the embedding, in 50 projects
ROUNDING = 1e-4  # of cosines stored as float16: a smaller difference counts as equal


def run(
    folder: Path,
    sizes: Sequence[int],
    given: Vectors,
    questions: Reals,
    new_model: Callable[[], Embeds | None] = NO_MODEL,
) -> None:
    for size in sizes:
        _measure(folder, size, PROJECTS, given, questions, new_model())
        if size == 10_000:
            _measure(folder, size, 1, given, questions, new_model())


def database(folder: Path, size: int, projects: int = PROJECTS) -> Path:
    """Return the path of the database; other benchmarks reuse it."""
    return folder / f"{size}-{projects}.db"


@contextmanager
def open_store(database: Path, embeds: Embeds | None = None) -> Iterator[tuple[SqliteStore, Engine]]:
    """Open store and engine as `wiring` does; the store is needed to measure the vectors alone."""
    store = SqliteStore(database)
    try:
        yield store, engine_on(store, embeds)
    finally:
        store.close()


def engine_on(store: SqliteStore, embeds: Embeds | None) -> Engine:
    model = NO_MODEL if embeds is None else LoadedModel(embeds)
    return Engine(store=store, settings_for=lambda _: Settings(), folders=git, seconds=time.perf_counter, model=model)


def write(engine: Engine, size: int, projects: int = PROJECTS) -> None:
    waiting = drafts(size, projects=projects)
    while some := list(islice(waiting, AT_ONCE)):
        import_all(engine.context(None, NOW), some, by="bench")  # drafts with ids are not compared with the known ones


def write_vectors(store: SqliteStore, given: Vectors, size: int) -> None:
    """Write many vectors the way the model's are written."""
    writer = engine_on(store, PreparedEmbedder(given.model, given.newest_first(size), np.zeros((1, 1), np.float32)))
    while embed_some(writer.context(None, NOW), limit=AT_ONCE):
        pass


def _measure(folder: Path, size: int, projects: int, given: Vectors, questions: Reals, model: Embeds | None) -> None:
    in_projects = f"in {projects} projects" if projects > 1 else "in one project"
    name = f"{size:>9,} {in_projects}"
    file = database(folder, size, projects)
    prepared = PreparedEmbedder(given.model, iter(()), questions)
    with open_store(file, prepared) as (store, engine):
        _write(name, store, engine, size, projects, given)
        text = PlainSearch(folder / f"plain-{size}-{projects}.db", size, projects)
        vectors = PlainVectors(folder / f"plain-{size}-{projects}.vectors", given.blocks(size), projects)
        usual = _plain(name, text, vectors, size, projects, questions)
        asked = list(_stay(prompts(QUERIES), projects))
        by_word = engine_on(store, None)
        row(f"{name}: recall by word", _recalls(by_word, asked), usual)
        _recalls(engine, asked[:: QUERIES // PROJECTS_IN_TURN])  # warms the process up for the next rows
        target = TARGETS_MS.get(size) if projects > 1 else None
        row(f"{name}: recall, without embedding the question", _recalls(engine, asked), usual, target_ms=target)
        if projects > 1:
            row(f"{name}: the same, each in another project", _recalls(engine, _rotate(prompts(QUERIES))), usual)
        if model is not None:
            row(f"{name}: recall, the whole of it with the model", _recalls(engine_on(store, model), asked), usual)
        exactness(name, store, vectors, projects, given.model, questions)
        text.close()
    row(f"{name}: first search of a process", measure(range(5), lambda n: _first_search(file, prepared, n % projects)))


def _write(name: str, store: SqliteStore, engine: Engine, size: int, projects: int, given: Vectors) -> None:
    began = time.perf_counter()
    write(engine, size, projects)
    at_once = size / (time.perf_counter() - began)
    began = time.perf_counter()
    write_vectors(store, given, size)
    with_vectors = size / (time.perf_counter() - began)
    print(f"{name}: {at_once:,.0f} written per second; of vectors, {with_vectors:,.0f}", flush=True)


def one_by_one(folder: Path) -> None:
    with open_store(folder / "one-by-one.db") as (_, engine):
        alone = list(drafts(ONE_BY_ONE, seed=3))
        began = time.perf_counter()
        for draft in alone:
            remember_one(engine.context(None, NOW), draft)
        per_second = len(alone) / (time.perf_counter() - began)
    print(f"{ONE_BY_ONE:>9,} one by one, each acknowledged: {per_second:,.0f} written per second", flush=True)


def _plain(name: str, text: PlainSearch, vectors: PlainVectors, size: int, projects: int, questions: Reals) -> Times:
    count = FEWER_FROM.get(size, QUERIES)
    asked = [(number % projects, questions[number % len(questions)]) for number in range(count)]
    words = measure(enumerate(prompts(count)), lambda one: text.search(*one))
    before = measure(asked, lambda one: vectors.filter_first(*one))
    after = measure(asked, lambda one: vectors.filter_last(*one))
    usual = words + min(before, after, key=lambda times: times.p50_ms)
    row(f"{name}: plain FTS5 join", words, usual)
    row(f"{name}: plain numpy, the project's rows taken first", before, usual)
    row(f"{name}: plain numpy, the project looked at last", after, usual)
    return usual


def _stay(asked: Sequence[str], projects: int) -> Iterator[tuple[int, str]]:
    for number, prompt in enumerate(asked):
        yield min(number * PROJECTS_IN_TURN // len(asked), projects - 1), prompt


def _rotate(asked: Sequence[str]) -> list[tuple[int, str]]:
    return [(number % PROJECTS, prompt) for number, prompt in enumerate(asked)]


def _recalls(engine: Engine, asked: Sequence[tuple[int, str]]) -> Times:
    return measure(asked, lambda one: recall(engine, *one))


def recall(engine: Engine, number: int, prompt: str) -> None:
    recall_memories(engine.context(None, NOW), prompt, Viewer(project=project(number)), limit=10)


def _first_search(database: Path, embeds: Embeds, number: int) -> None:
    """Open the database and load the project's vectors; Python and numpy are loaded already."""
    with open_store(database, embeds) as (_, engine):
        recall(engine, number, "How does the worker retry?")


def exactness(
    name: str, store: SqliteStore, plain: PlainVectors, projects: int, model: ModelId, questions: Reals
) -> None:
    """Print how many of the ten nearest are found, compared with the vectors before any rounding."""
    shares: list[float] = []
    looked_in = min(projects, PROJECTS_IN_TURN)
    for number in range(looked_in):
        numbers, vectors = plain.of_project(number)
        at = {int(one): place for place, one in enumerate(numbers)}
        for asked in questions[number::looked_in]:
            cosines = vectors @ asked
            near = np.sort(cosines)[-10:]
            near = near[near >= MIN_COSINE + ROUNDING]
            meaning = Meaning(vector=Vector(asked.tobytes()), model=model)
            found = _nearest(store, Viewer(project=project(number)), meaning)
            if len(near):
                right = sum(bool(cosines[at[one]] >= near[0] - ROUNDING) for one in set(found))
                shares.append(min(right, len(near)) / len(near))
    share = float(np.mean(shares)) if shares else 0.0  # empty if no memory was near enough
    print(
        f"{name}: recall@10 of the vectors against exact float32: {share:.3f} over {len(shares)} questions "
        f"(cosines within {ROUNDING:g} count as equal, below {MIN_COSINE:g} as unrelated)   "
        f"1.000: {verdict(share > 0.9995)}",
        flush=True,
    )


def _nearest(store: SqliteStore, viewer: Viewer, meaning: Meaning) -> list[int]:
    seen = store.look_up([], viewer)
    by_meaning_alone = WordMatches(memories=seen.memories, places=seen.places)
    return [number_of(one.memory.valid_from) for one in store.search(by_meaning_alone, meaning, limit=10)]
