"""Progress bars for a person who watches files being read, or vectors being computed.

Finished vectors stay stored if this is interrupted; the daemon or `recollect model embed` computes the rest.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from recollect.cli.display import output
from recollect.domain.vector import ModelId
from recollect.engine.context import Context
from recollect.engine.memories.embedding import count_waiting
from recollect.engine.upkeep import embed_some

STEP_BYTES = 1 << 16  # read between two steps of the bar
BATCH = 32
LINES_FROM = 200  # fewer texts are done before a line about them is read
LATER = "The daemon computes the remaining vectors while it runs, or use `recollect model embed`."

Watch = Callable[[int], None]  # called with the number of bytes that were just read, or of all finished texts


@contextmanager
def reading(total: int, label: str = "Reading") -> Iterator[Watch]:
    if not total or not sys.stderr.isatty():
        yield lambda _read: None
        return
    with click.progressbar(length=total, label=label, file=sys.stderr) as bar:
        waiting = 0

        def watch(read: int) -> None:
            nonlocal waiting
            waiting += read
            if waiting > STEP_BYTES:
                bar.update(waiting)
                waiting = 0

        yield watch
        bar.update(waiting)


def embed_all(ctx: Context, model: ModelId, watch: Watch, *, turns: bool) -> None:
    total = left = count_waiting(ctx.store, model, turns=turns)
    while left and embed_some(ctx, limit=min(left, BATCH)):
        left = count_waiting(ctx.store, model, turns=turns)
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
