"""Cases that wait for a person's decision, and the decisions."""

from dataclasses import dataclass
from enum import StrEnum

from recollect.domain.changes import ChangeId
from recollect.domain.memory import Memory


class Decision(StrEnum):
    ACCEPT = "accept"  # it is valid, and what it contradicts is not any more
    KEEP = "keep"  # both are valid
    REJECT = "reject"  # it is not valid


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
