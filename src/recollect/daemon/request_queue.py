"""Who goes first where all need the same interpreter: a few at a time, those whom a person waits for before the others.

The line never keeps anybody for long: after a while one goes on without a place, so that a few who hang (on a disk,
say) hang alone.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from heapq import heappop, heappush
from itertools import count

PLACES = 4  # more would only take turns with each other
HANDICAP_S = 0.25  # who is not waited for counts as having come so much later: they are overtaken, but not for ever
MAX_WAIT_S = 1.0


class RequestQueue:
    """For one event loop."""

    def __init__(self, places: int = PLACES, *, most_s: float = MAX_WAIT_S) -> None:
        self._free = places
        self._most_s = most_s
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
        """False: none was free for too long."""
        if self._free:
            self._free -= 1
            return True
        loop = asyncio.get_running_loop()
        called: asyncio.Future[None] = loop.create_future()
        heappush(self._waiting, (loop.time() + (0.0 if first else HANDICAP_S), next(self._number), called))
        try:
            await asyncio.wait([called], timeout=self._most_s)
        except asyncio.CancelledError:
            if called.done():
                self._leave()
            called.cancel()
            raise
        is_called = called.done()
        called.cancel()  # else whoever leaves passes over it
        return is_called

    def _leave(self) -> None:
        """The place goes to the next in line."""
        while self._waiting:
            _, _, called = heappop(self._waiting)
            if not called.done():
                called.set_result(None)
                return
        self._free += 1
