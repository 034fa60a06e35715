"""Measures times and prints them as distributions, never as one number."""

import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

NAME_CHARS = 64


@dataclass(frozen=True, slots=True)
class Times:
    p50_ms: float
    p95_ms: float
    cpu_ms: float = 0.0  # median processor time of this thread: other processes share the machine
    p99_ms: float = 0.0

    def __str__(self) -> str:
        return f"{self.p50_ms:9.2f} {self.p95_ms:9.2f}"

    def __add__(self, other: "Times") -> "Times":
        return Times(
            self.p50_ms + other.p50_ms,
            self.p95_ms + other.p95_ms,
            self.cpu_ms + other.cpu_ms,
            self.p99_ms + other.p99_ms,
        )


def measure(items: Iterable[T], action: Callable[[T], object]) -> Times:
    spent_ms, computed_ms = [], []
    for item in items:
        began, computed = time.perf_counter(), time.thread_time()
        action(item)
        spent_ms.append((time.perf_counter() - began) * 1000)
        computed_ms.append((time.thread_time() - computed) * 1000)
    return times(spent_ms, statistics.median(computed_ms))


def times(spent_ms: Sequence[float], cpu_ms: float = 0.0) -> Times:
    ordered = sorted(spent_ms)
    p95, p99 = (ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0.95, 0.99))
    return Times(statistics.median(ordered), p95, cpu_ms, p99)


def row(
    name: str,
    times: Times,
    yardstick: Times | None = None,
    *,
    target_ms: float | None = None,
    target_p95_ms: float | None = None,
    target_ratio: float | None = None,
    with_p99: bool = False,
) -> None:
    ratio = "" if yardstick is None else f"{times.p50_ms / yardstick.p50_ms:6.2f}"
    wanted = ""
    if target_ms is not None:
        wanted = (
            f"   {times.cpu_ms:.2f} ms of a processor; at most {target_ms:g} ms: {verdict(times.p50_ms <= target_ms)}"
        )
    if target_p95_ms is not None:
        wanted += f"; p95 at most {target_p95_ms:g} ms: {verdict(times.p95_ms <= target_p95_ms)}"
    if target_ratio is not None and yardstick is not None:
        wanted += f"   at most {target_ratio:g}: {verdict(times.p50_ms / yardstick.p50_ms <= target_ratio)}"
    if with_p99:
        wanted += f"   p99 {times.p99_ms:.2f}"
    print(f"{name:{NAME_CHARS}} {times}   {ratio}{wanted}", flush=True)


def amount(name: str, value: float, unit: str, *, less_than: float | None = None) -> None:
    """Print a value that is not a time."""
    wanted = "" if less_than is None else f"   less than {less_than:g} {unit}: {verdict(value < less_than)}"
    print(f"{name:{NAME_CHARS}} {value:9.1f} {unit}{wanted}", flush=True)


def verdict(met: bool) -> str:
    return "met" if met else "MISSED"
