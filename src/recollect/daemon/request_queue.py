"""Lets a few requests run at a time, since all share one interpreter; those that a user waits for go first.

No request waits long: after MAX_WAIT_S it runs without a place, so that a few that hang (on a disk, say) hang alone.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from heapq import heappop, heappush
from itertools import count

PLACES = 4  # more would only share the processor
HANDICAP_S = 0.25  # a request that no user waits for counts as having come this much later: overtaken, but not for ever
MAX_WAIT_S = 1.0
CALM_S = 0.03


class RequestQueue:
    def __init__(self, places: int = PLACES, *, max_wait_s: float = MAX_WAIT_S) -> None:
        self._free = places
        self._max_wait_s = max_wait_s
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []
        self._number = count()

    @asynccontextmanager
    async def place(self, *, first: bool) -> AsyncIterator[None]:
        has_place = await self._take(first)
        try:
            yield
        finally:
            if has_place:
                self._leave()

    async def _take(self, first: bool) -> bool:
        """False if no place became free in time."""
        if self._free:
            self._free -= 1
            return True
        loop = asyncio.get_running_loop()
        called: asyncio.Future[None] = loop.create_future()
        due = loop.time() if first else loop.time() + HANDICAP_S
        heappush(self._waiting, (due, next(self._number), called))
        try:
            await asyncio.wait([called], timeout=self._max_wait_s)
        except asyncio.CancelledError:
            if called.done():
                self._leave()
            called.cancel()
            raise
        is_called = called.done()
        called.cancel()  # so that _leave skips it
        return is_called

    def _leave(self) -> None:
        while self._waiting:
            _, _, called = heappop(self._waiting)
            if not called.done():
                called.set_result(None)
                return
        self._free += 1


class Activity:
    def __init__(self) -> None:
        self.started = self._last = time.monotonic()
        self.requests = 0
        self.under_way = 0  # changed only by the event loop
        self.wake_background: Callable[[], None] = lambda: None  # called when an agent works, or something was written

    def note(self) -> None:
        self._last = time.monotonic()
        self.requests += 1

    @contextmanager
    def answering(self) -> Iterator[None]:
        self.note()
        self.under_way += 1
        try:
            yield
        finally:
            self.under_way -= 1
            self._last = time.monotonic()

    def is_calm(self) -> bool:
        return not self.under_way and self.idle_seconds() > CALM_S

    def idle_seconds(self) -> float:
        return time.monotonic() - self._last

    def uptime_seconds(self) -> float:
        return time.monotonic() - self.started
