"""How many memories are written in a second, and what a search by word takes among how many."""

import time
from itertools import islice
from pathlib import Path

from bench.corpus import NOW, PROJECTS, drafts, project, prompts
from bench.measure import row, timed
from bench.plain import PlainSearch
from recollect import wiring
from recollect.domain.settings import Settings
from recollect.engine.engine import Engine

QUERIES = 200
LARGE, QUERIES_WHEN_LARGE = 1_000_000, 20  # the plain join takes seconds there
AT_ONCE = 1000  # memories in one transaction, as `recollect import` has it
ONE_BY_ONE = 1000


def run(folder: Path, sizes: tuple[int, ...]) -> None:
    for size in sizes:
        _at(folder, size)


def _at(folder: Path, size: int) -> None:
    with wiring.open_engine(lambda _: Settings(), folder / f"{size}.db") as engine:
        _write(engine, size)
        plain = PlainSearch(folder / f"plain-{size}.db", size)
        asked_plain = prompts(QUERIES if size < LARGE else QUERIES_WHEN_LARGE)
        usual = timed(enumerate(asked_plain), lambda asked: plain.search(*asked))
        row(f"{size:>9,} memories: plain FTS5 join", usual, usual)
        ours = timed(enumerate(prompts(QUERIES)), lambda asked: _recall(engine, *asked))
        row(f"{size:>9,} memories: recall by word, ten best", ours, usual)
        plain.close()


def _write(engine: Engine, size: int) -> None:
    waiting = drafts(size)
    began = time.perf_counter()
    while some := list(islice(waiting, AT_ONCE)):
        engine.remember_all(some)
    at_once = size / (time.perf_counter() - began)
    alone = list(drafts(ONE_BY_ONE, seed=3))
    began = time.perf_counter()
    for draft in alone:
        engine.remember(draft)
    one_by_one = len(alone) / (time.perf_counter() - began)
    print(f"{size:>9,} memories: {at_once:,.0f} written per second; {one_by_one:,.0f} one by one, each acknowledged")


def _recall(engine: Engine, number: int, prompt: str) -> None:
    engine.recall(prompt, engine.viewer(project(number % PROJECTS)), limit=10, now=NOW)
