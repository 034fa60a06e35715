"""Compute vectors while a command waits, with a progress bar.

Finished vectors stay stored if this is interrupted; the daemon or `recollect model embed` computes the rest.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from recollect.api.fresh_vectors import Bulk
from recollect.cli.display import output
from recollect.engine.engine import Engine

BATCH = 32
LINES_FROM = 200  # fewer texts are done before a line about them is read
LATER = "The daemon computes the remaining vectors while it runs, or use `recollect model embed`."

Watch = Callable[[int], None]  # called with the number of finished texts


def embed_all(engine: Engine, bulk: Bulk, watch: Watch) -> None:
    total = left = bulk.count_waiting(engine)
    while left and engine.embed_some(limit=min(left, BATCH)):
        left = bulk.count_waiting(engine)
        watch(max(0, total - left))


@contextmanager
def watching(total: int, *, silent: bool) -> Iterator[Watch]:
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
    last_tenth = 0

    def watch(done: int) -> None:
        nonlocal last_tenth
        tenth = 10 * done // total
        if tenth > last_tenth:
            last_tenth = tenth
            output.warn(f"{done / total:4.0%} {done:,} of {total:,}")

    return watch
