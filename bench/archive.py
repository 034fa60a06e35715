"""Time to find ten old turns by word and by meaning, for several archive sizes of one project."""

from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

from bench.corpus import NOW, project, prompts, turns
from bench.measure import measure, row
from bench.search import engine_on, open_store
from bench.vectors import PreparedEmbedder, Reals, Vectors
from recollect.domain.event import Prompt
from recollect.domain.memory import MessageId, SessionId
from recollect.engine.engine import Engine
from recollect.engine.moments.handle import handle
from recollect.engine.search import recall_archive
from recollect.engine.upkeep import archive_turns, embed_some
from recollect.store.sqlite.store import SqliteStore

AT_ONCE = 1000
QUERIES = 100
VECTORS_PER_TURN = 20  # more than any turn has


def run(folder: Path, sizes: tuple[int, ...], given: Vectors, questions: Reals) -> None:
    for size in sizes:
        _measure(folder, size, given, questions)


def _measure(folder: Path, size: int, given: Vectors, questions: Reals) -> None:
    database = folder / f"{size}.db"
    prepared = PreparedEmbedder(given.model, iter(()), questions)
    with open_store(database, prepared) as (store, engine):
        _write(store, size, given)
        by_word = measure(prompts(QUERIES), lambda prompt: _recall(engine_on(store, None), prompt))
        row(f"{size:>9,} turns of one project: by word", by_word, by_word)
        _recall(engine, "How does the worker retry?")
        both = measure(prompts(QUERIES), lambda prompt: _recall(engine, prompt))
        row(f"{size:>9,} turns of one project: without embedding the question", both, by_word)
        quoting = measure(_first_prompts(), partial(handle, engine))
        row(f"{size:>9,} turns of one project: a prompt that may quote them", quoting, by_word)
    row(
        f"{size:>9,} turns of one project: first search",
        measure(range(3), lambda _: _first_search(database, prepared)),
    )


def _first_prompts() -> Iterator[Prompt]:
    """Yield prompts, each in a new session where nothing was quoted yet."""
    for number, text in enumerate(prompts(QUERIES)):
        session = SessionId(f"quoting-{number}")
        yield Prompt(session=session, at=NOW, project=project(0), message=MessageId("m"), text=text)


def _write(store: SqliteStore, size: int, given: Vectors) -> None:
    waiting = turns(size)
    while some := list(islice(waiting, AT_ONCE)):
        archive_turns(store, some)
    writer = engine_on(store, PreparedEmbedder(given.model, _make_vectors(given, size), np.zeros((1, 1), np.float32)))
    while embed_some(writer.context(None, NOW), limit=AT_ONCE):
        pass


def _make_vectors(given: Vectors, size: int) -> Iterator[Reals]:
    return given.blocks(size * VECTORS_PER_TURN)


def _recall(engine: Engine, prompt: str) -> None:
    recall_archive(engine.context(None, NOW), prompt, project(0), limit=10)


def _first_search(database: Path, prepared: PreparedEmbedder) -> None:
    with open_store(database, prepared) as (_, engine):
        _recall(engine, "How does the worker retry?")
