"""A progress bar for a person who watches files being read."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

STEP_BYTES = 1 << 16  # read between two steps of the bar

Watch = Callable[[int], None]  # called with the number of bytes that were just read


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
