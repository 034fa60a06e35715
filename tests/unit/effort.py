"""How the work on a text grows with it."""

import time
from collections.abc import Callable

LIMIT = 3.5  # times as much for twice the text; quadratic work would be four


def growth(work: Callable[[str], object], piece: str) -> float:
    """A ratio, of the least of several runs, in time of this thread alone."""
    size = 5_000
    while True:
        once, twice = (piece * (times * size // len(piece)) for times in (1, 2))
        ratio = least(work, twice) / least(work, once)
        if ratio < LIMIT or size > 160_000:
            return ratio
        size *= 2  # a small text may have been lucky


def least(work: Callable[[str], object], text: str) -> float:
    """Nanoseconds of the quickest of several runs."""
    spent: list[int] = []
    while len(spent) < 3 and sum(spent) < 300_000_000:  # what takes long is told well enough by one run
        began = time.thread_time_ns()
        work(text)
        spent.append(time.thread_time_ns() - began)
    return max(min(spent), 1_000_000)  # a millisecond: below it, clocks are coarse
