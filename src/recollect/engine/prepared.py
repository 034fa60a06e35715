"""Start blocks that are built before anybody asks, so that a session start is a look-up.

A block is used only while nothing was written since it was built, under the same settings, and for a few minutes: the
files that memories speak of may have changed meanwhile.
"""

from collections.abc import Callable
from dataclasses import dataclass

from recollect.domain.injection import Injection
from recollect.domain.memory import ProjectId
from recollect.domain.settings import Settings

MAX_PLACES = 8  # the last ones in which somebody worked


@dataclass(frozen=True, slots=True, kw_only=True)
class StartPlace:
    """Where sessions begin in the same way."""

    project: ProjectId | None
    language: str | None
    folder: str | None
    agent: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _PreparedBlock:
    injection: Injection
    revision: str
    settings: Settings
    built_at: float  # seconds of a running clock


class PreparedBlocks:
    def __init__(self) -> None:
        self._blocks: dict[
            StartPlace, _PreparedBlock | None
        ] = {}  # None: somebody works there, and nothing is built yet

    def note(self, place: StartPlace) -> None:
        """Somebody works there: the next session of this place is worth preparing."""
        self._blocks[place] = self._blocks.pop(place, None)
        if len(self._blocks) > MAX_PLACES:
            del self._blocks[next(iter(self._blocks))]

    def get(self, place: StartPlace, *, revision: str, settings: Settings, now: float) -> Injection | None:
        """None: there is none, or it is no longer what would be built."""
        block = self._blocks.get(place)
        return block.injection if block and _is_current(block, revision, settings, now, share=1.0) else None

    def renew(
        self,
        build: Callable[[StartPlace], Injection],
        settings_for: Callable[[str | None], Settings],
        *,
        revision: str,
        now: float,
    ) -> int:
        """Builds what is missing or about to be too old; how many."""
        built = 0
        for place, block in list(self._blocks.items()):
            settings = settings_for(place.folder)
            if settings.start.prepared_minutes and not (
                block and _is_current(block, revision, settings, now, share=0.5)
            ):
                self._blocks[place] = _PreparedBlock(
                    injection=build(place), revision=revision, settings=settings, built_at=now
                )
                built += 1
        return built


def _is_current(block: _PreparedBlock, revision: str, settings: Settings, now: float, *, share: float) -> bool:
    """Before this share of the time that it may be used for has passed."""
    young = now - block.built_at <= settings.start.prepared_minutes * 60 * share
    return young and block.revision == revision and block.settings == settings
