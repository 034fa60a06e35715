"""What waits for a person to decide, and what became of it."""

from dataclasses import dataclass

from recollect.domain.history import DeedId
from recollect.domain.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One that waits, with what it contradicts."""

    memory: Memory
    against: tuple[Memory, ...] = ()  # those that hold, the newest first
    is_doubted: bool = False  # an agent proposes to forget it


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What became of one that waited."""

    memory: Memory  # as it is now
    ended: tuple[Memory, ...] = ()  # what no longer holds


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What a person decided in one go; undone as a whole."""

    deed: DeedId
    decided: tuple[Decided, ...]
