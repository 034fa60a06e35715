"""State of the files that a memory is about. Only files that were checked are reported as changed or gone."""

from dataclasses import dataclass
from enum import StrEnum


class FileState(StrEnum):
    FRESH = "fresh"  # unchanged
    CHANGED = "changed"
    GONE = "gone"
    UNKNOWN = "unknown"  # not checked, not allowed, or not in time: counts as fresh


@dataclass(frozen=True, slots=True)
class SeenFile:
    path: str
    state: FileState
    moved_to: str | None = None  # of a file that is gone: where git has the same content now

    @property
    def is_stale(self) -> bool:
        return self.state in (FileState.CHANGED, FileState.GONE)


@dataclass(frozen=True, slots=True)
class Freshness:
    """The files of one memory, in the order of its anchors."""

    files: tuple[SeenFile, ...] = ()

    @property
    def stale(self) -> tuple[SeenFile, ...]:
        return tuple(file for file in self.files if file.is_stale)

    @property
    def is_stale(self) -> bool:
        return bool(self.stale)

    @property
    def is_gone(self) -> bool:
        return any(file.state is FileState.GONE and file.moved_to is None for file in self.files)


NOT_CHECKED = Freshness()
