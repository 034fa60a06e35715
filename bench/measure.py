"""Times and their middle: never one number, always a distribution."""

import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Times:
    p50_ms: float
    p95_ms: float

    def __str__(self) -> str:
        return f"{self.p50_ms:9.2f} {self.p95_ms:9.2f}"


def timed(items: Iterable[T], action: Callable[[T], object]) -> Times:
    spent_ms = []
    for item in items:
        began = time.perf_counter()
        action(item)
        spent_ms.append((time.perf_counter() - began) * 1000)
    ordered = sorted(spent_ms)
    return Times(statistics.median(ordered), ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))])


def row(name: str, times: Times, yardstick: Times) -> None:
    print(f"{name:44} {times}   {times.p50_ms / yardstick.p50_ms:6.2f}")
