"""Times and their middle: never one number, always a distribution."""

import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

NAME_CHARS = 64


@dataclass(frozen=True, slots=True)
class Times:
    p50_ms: float
    p95_ms: float
    cpu_ms: float = 0.0  # the middle of what this thread itself has computed: others share the machine

    def __str__(self) -> str:
        return f"{self.p50_ms:9.2f} {self.p95_ms:9.2f}"

    def __add__(self, other: "Times") -> "Times":
        return Times(self.p50_ms + other.p50_ms, self.p95_ms + other.p95_ms, self.cpu_ms + other.cpu_ms)


def timed(items: Iterable[T], action: Callable[[T], object]) -> Times:
    spent_ms, computed_ms = [], []
    for item in items:
        began, computed = time.perf_counter(), time.thread_time()
        action(item)
        spent_ms.append((time.perf_counter() - began) * 1000)
        computed_ms.append((time.thread_time() - computed) * 1000)
    ordered = sorted(spent_ms)
    p95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    return Times(statistics.median(ordered), p95, statistics.median(computed_ms))


def row(
    name: str,
    times: Times,
    yardstick: Times | None = None,
    *,
    target_ms: float | None = None,
    target_p95_ms: float | None = None,
) -> None:
    ratio = "" if yardstick is None else f"{times.p50_ms / yardstick.p50_ms:6.2f}"
    wanted = ""
    if target_ms is not None:
        wanted = (
            f"   {times.cpu_ms:.2f} ms of a processor; at most {target_ms:g} ms: {verdict(times.p50_ms <= target_ms)}"
        )
    if target_p95_ms is not None:
        wanted += f"; p95 at most {target_p95_ms:g} ms: {verdict(times.p95_ms <= target_p95_ms)}"
    print(f"{name:{NAME_CHARS}} {times}   {ratio}{wanted}", flush=True)


def verdict(met: bool) -> str:
    return "met" if met else "MISSED"
