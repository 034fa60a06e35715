"""Results of asking Recollect to remember something."""

from dataclasses import dataclass

from recollect.domain.memory import Memory


@dataclass(frozen=True, slots=True)
class New:
    """It was not known; it is stored."""

    memory: Memory


@dataclass(frozen=True, slots=True)
class Same:
    """It was already known; the known memory counts one more mention."""

    memory: Memory


@dataclass(frozen=True, slots=True)
class Updates:
    """It is stored; the memories that it replaces are no longer valid and stay in the history."""

    memory: Memory
    replaced: tuple[Memory, ...]  # as they are now


@dataclass(frozen=True, slots=True)
class Contradicts:
    """It is stored, and so is what it contradicts: a person decides in `review`."""

    memory: Memory
    known: tuple[Memory, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """It is not stored: marked as private, for example, or nothing but a secret."""

    why: str


Stored = New | Same | Updates | Contradicts
Outcome = Stored | Refused
