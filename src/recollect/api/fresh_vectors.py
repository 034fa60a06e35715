"""Embeds the newest memories before a search: only a few, and a search never fails because of it."""

import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recollect.domain.errors import StoreError
from recollect.domain.search import MissingVectors
from recollect.domain.vector import ModelId

if TYPE_CHECKING:
    from recollect.engine.engine import Engine

BRIEFLY_S = 0.3  # hardly noticed by the user
BRIEFLY_AT_ONCE = 2  # a long turn takes a tenth of a second
FEW_LEFT = 8  # taught a moment ago
BUSY_MS = 20  # if another process writes, the search goes on without


@dataclass(frozen=True, slots=True, kw_only=True)
class Bulk:
    model: ModelId
    turns: bool  # False: memories alone

    def count_waiting(self, engine: "Engine") -> int:
        waiting = engine.missing_vectors(self.model)
        return waiting.memories + (waiting.turns if self.turns else 0)


def embed_briefly(engine: "Engine", bulk: Bulk, *, has_background: bool) -> MissingVectors:
    """Embed a few, and return what still waits. If many wait, leave them to the background."""
    give_up = time.perf_counter() + BRIEFLY_S
    with suppress(StoreError):
        if has_background and bulk.count_waiting(engine) > FEW_LEFT:
            return engine.missing_vectors(bulk.model)
        while (left := bulk.count_waiting(engine)) and time.perf_counter() < give_up:
            if not engine.embed_some(limit=min(left, BRIEFLY_AT_ONCE), wait_ms=BUSY_MS):
                break
    return engine.missing_vectors(bulk.model)
