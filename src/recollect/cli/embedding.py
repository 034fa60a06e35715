"""What is kept gets its vectors while a command waits: all of it with a bar, or a little before a search.

What is done stays done, whatever ends it; the rest is done by the daemon, or by `recollect model embed`.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from recollect.cli import output
from recollect.domain.errors import StoreError
from recollect.domain.search import Waiting
from recollect.domain.vector import ModelId
from recollect.engine.engine import Engine

BRIEFLY_S = 0.3  # whoever asks hardly notices
BRIEFLY_AT_ONCE = 2  # a long turn takes a tenth of a second
BUSY_MS = 20  # somebody else writes: search goes on without
AT_ONCE = 32
LINES_FROM = 200  # fewer are done before a line about them is read
LATER = "The rest gets its vectors later: while the daemon runs, or by `recollect model embed`."

Watch = Callable[[int], None]  # called with how many are done


@dataclass(frozen=True, slots=True, kw_only=True)
class Bulk:
    """What is to be done: memories alone, or turns too."""

    model: ModelId
    turns: bool

    def left(self, engine: Engine) -> int:
        waiting = engine.waiting(self.model)
        return waiting.memories + (waiting.turns if self.turns else 0)


def embed_all(engine: Engine, bulk: Bulk, watch: Watch) -> None:
    """Until nothing of it waits."""
    total = left = bulk.left(engine)
    while left and engine.embed_some(limit=min(left, AT_ONCE)):
        left = bulk.left(engine)
        watch(max(0, total - left))


def embed_briefly(engine: Engine, bulk: Bulk) -> Waiting:
    """What was taught a moment ago is found by its meaning. What waits afterwards; a search never fails for it."""
    give_up = time.perf_counter() + BRIEFLY_S
    with suppress(StoreError), engine.giving_up_after(BUSY_MS):
        while (left := bulk.left(engine)) and time.perf_counter() < give_up:
            if not engine.embed_some(limit=min(left, BRIEFLY_AT_ONCE)):
                break
    return engine.waiting(bulk.model)


@contextmanager
def watching(total: int, *, silent: bool) -> Iterator[Watch]:
    """On standard error: a bar in a terminal, else a line for each tenth."""
    if silent or not total:
        yield lambda _done: None
    elif sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("Embedding", total=total)
            yield lambda done: bar.update(task, completed=done)
    else:
        yield _line_by_line(total)


def _line_by_line(total: int) -> Watch:
    if total < LINES_FROM:
        return lambda _done: None
    output.warn(f"Embedding {total:,} texts ...")
    told = 0

    def watch(done: int) -> None:
        nonlocal told
        tenth = 10 * done // total
        if tenth > told:
            told = tenth
            output.warn(f"{done / total:4.0%} {done:,} of {total:,}")

    return watch
