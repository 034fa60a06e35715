"""What became of the files that a memory speaks of. Only what was looked at is claimed."""

from dataclasses import dataclass
from enum import StrEnum


class FileState(StrEnum):
    FRESH = "fresh"  # as it was
    CHANGED = "changed"
    GONE = "gone"
    UNKNOWN = "unknown"  # not looked at, not allowed, or not in time: counts as fresh


@dataclass(frozen=True, slots=True)
class SeenFile:
    path: str
    state: FileState
    moved_to: str | None = None  # of one that is gone: where the same content lies now, if git knows

    @property
    def is_stale(self) -> bool:
        return self.state in (FileState.CHANGED, FileState.GONE)


@dataclass(frozen=True, slots=True)
class Freshness:
    """Of one memory: its files, in the order of its anchors."""

    files: tuple[SeenFile, ...] = ()

    @property
    def stale(self) -> tuple[SeenFile, ...]:
        return tuple(file for file in self.files if file.is_stale)

    @property
    def is_stale(self) -> bool:
        return any(file.is_stale for file in self.files)

    @property
    def is_gone(self) -> bool:
        return any(file.state is FileState.GONE and file.moved_to is None for file in self.files)


NOT_LOOKED_AT = Freshness()
