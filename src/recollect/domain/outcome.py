"""What became of something that somebody wanted to be remembered."""

from dataclasses import dataclass

from recollect.domain.memory import Memory


@dataclass(frozen=True, slots=True)
class New:
    """It was not known; it is stored."""

    memory: Memory


@dataclass(frozen=True, slots=True)
class Same:
    """It was known; the known one has been seen once more."""

    memory: Memory


@dataclass(frozen=True, slots=True)
class Updates:
    """It is stored, and what it replaces no longer holds: that stays in the history."""

    memory: Memory
    replaced: tuple[Memory, ...]  # as they are now


@dataclass(frozen=True, slots=True)
class Contradicts:
    """It is stored, and so is what it contradicts: a person decides in `review`."""

    memory: Memory
    known: tuple[Memory, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """It is not stored: it was marked as private, say, or held nothing but a secret."""

    why: str


Stored = New | Same | Updates | Contradicts
Outcome = Stored | Refused
