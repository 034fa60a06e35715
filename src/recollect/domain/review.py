"""Cases that wait for a person's decision, and the decisions."""

from dataclasses import dataclass

from recollect.domain.changes import ChangeId
from recollect.domain.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    memory: Memory
    against: tuple[Memory, ...] = ()  # the valid memories that it contradicts, the newest first
    is_doubted: bool = False  # an agent proposes to forget it


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedCase:
    memory: Memory
    ended: tuple[Memory, ...] = ()  # memories that are no longer valid


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """Decisions that a person made at once; undone as a whole."""

    deed: ChangeId
    decided: tuple[DecidedCase, ...]
