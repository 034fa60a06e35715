"""Start blocks that are built in advance, so that a session start is a look-up. A block is used only for a few minutes
(anchors may change), under the same settings, and while nothing was written since it was built."""

from dataclasses import dataclass
from threading import Lock

from recollect.domain.injection import Injection
from recollect.domain.memory import ProjectId
from recollect.domain.settings import Settings

MAX_PLACES = 8  # most recent places where sessions began


@dataclass(frozen=True, slots=True, kw_only=True)
class StartBlockKey:
    """All that a start block depends on for a new session."""

    project: ProjectId | None
    language: str | None
    folder: str | None
    agent: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _PreparedBlock:
    injection: Injection
    revision: str
    settings: Settings
    built_at: float  # seconds of a monotonic clock

    def is_current(self, revision: str, settings: Settings, now: float, *, share: float) -> bool:
        is_young = now - self.built_at <= settings.start.prepared_minutes * 60 * share
        return is_young and self.revision == revision and self.settings == settings


class PreparedBlocks:
    def __init__(self) -> None:
        self._blocks: dict[StartBlockKey, _PreparedBlock | None] = {}  # None: not built yet
        self._lock = Lock()

    def note(self, place: StartBlockKey) -> None:
        """Prepare the next session of this place: an agent works there."""
        with self._lock:
            self._blocks[place] = self._blocks.pop(place, None)
            if len(self._blocks) > MAX_PLACES:
                del self._blocks[next(iter(self._blocks))]

    def places(self) -> list[StartBlockKey]:
        with self._lock:
            return list(self._blocks)

    def get(
        self, place: StartBlockKey, *, revision: str, settings: Settings, now: float, share: float = 1.0
    ) -> Injection | None:
        """Return the block while it is current. `share`: of the time for which a block may be used."""
        block = self._blocks.get(place)
        if block is None or not block.is_current(revision, settings, now, share=share):
            return None
        return block.injection

    def keep(
        self, place: StartBlockKey, injection: Injection, *, revision: str, settings: Settings, now: float
    ) -> None:
        block = _PreparedBlock(injection=injection, revision=revision, settings=settings, built_at=now)
        with self._lock:
            if place in self._blocks:
                self._blocks[place] = block
