"""What was taught a moment ago gets its meaning before a search: a little of it, and no search fails for it."""

import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recollect.domain.errors import StoreError
from recollect.domain.search import MissingVectors
from recollect.domain.vector import ModelId

if TYPE_CHECKING:
    from recollect.engine.engine import Engine

BRIEFLY_S = 0.3  # whoever asks hardly notices
BRIEFLY_AT_ONCE = 2  # a long turn takes a tenth of a second
A_FEW = 8  # taught a moment ago
BUSY_MS = 20  # somebody else writes: search goes on without


@dataclass(frozen=True, slots=True, kw_only=True)
class Bulk:
    """What is to be done: memories alone, or turns too."""

    model: ModelId
    turns: bool

    def left(self, engine: "Engine") -> int:
        waiting = engine.waiting(self.model)
        return waiting.memories + (waiting.turns if self.turns else 0)


def embed_briefly(engine: "Engine", bulk: Bulk, *, has_background: bool) -> MissingVectors:
    """What waits afterwards; a search never fails for it. Where many wait, that is the background's work."""
    give_up = time.perf_counter() + BRIEFLY_S
    with suppress(StoreError):
        if has_background and bulk.left(engine) > A_FEW:
            return engine.waiting(bulk.model)
        while (left := bulk.left(engine)) and time.perf_counter() < give_up:
            if not engine.embed_some(limit=min(left, BRIEFLY_AT_ONCE), wait_ms=BUSY_MS):
                break
    return engine.waiting(bulk.model)
