"""What is asked of the store, and what it answers. The ranking is not done here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Kind, Memory, ProjectId, Scope, check_time
from recollect.domain.session import Turn
from recollect.domain.vector import ModelId, Vector

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    Reals = NDArray[np.float32]
    Flags = NDArray[np.bool_]


class MemoryStatus(StrEnum):
    LIVE = "live"  # what holds
    SUPERSEDED = "superseded"  # what has held, and does no longer
    STALE = "stale"  # what holds, and whose files are not as they were
    ANY = "any"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What is not asked about. Every field narrows the answer; the defaults ask about all that holds."""

    kinds: frozenset[Kind] = frozenset()  # empty: of every kind
    scope: Scope | None = None  # None: every scope that the viewer sees
    since: datetime | None = None  # said then or later
    until: datetime | None = None  # said before
    as_of: datetime | None = None  # what held at that time, whether or not it still does
    status: MemoryStatus = MemoryStatus.LIVE

    def __post_init__(self) -> None:
        for moment in (self.since, self.until, self.as_of):
            if moment is not None:
                check_time(moment)
        if self.since is not None and self.until is not None and self.until <= self.since:
            raise InvalidValue("Nothing can be found: the time asked about ends before it begins.")
        if self.as_of is not None and self.status is not MemoryStatus.LIVE:
            raise InvalidValue("`as of` asks what held at that time; a status cannot be asked for beside it.")

    @property
    def looks_back(self) -> bool:
        """Whether what is no longer true is asked about too."""
        return self.as_of is not None or self.status in (MemoryStatus.SUPERSEDED, MemoryStatus.ANY)

    @property
    def are_about_memories(self) -> bool:
        """Turns have no kind, scope or status."""
        return bool(self.kinds or self.scope) or self.status is not MemoryStatus.LIVE


EVERYTHING = Filters()
MAX_LISTED = 10_000  # where a question asks for all of something
ANY_WORD = ""  # every text has it


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What a question means, to one model."""

    vector: Vector
    model: ModelId


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """What the words of a question find in what a viewer sees, before any row is read."""

    having: Mapping[str, Sequence[int]] = field(default_factory=dict)  # for each word, the memories that have it
    memories: int = 0  # how many the viewer sees
    places: Sequence[str] = ()  # where they are found, in the words of the store

    @property
    def occurrences(self) -> dict[str, int]:
        return {word: len(numbers) for word, numbers in self.having.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMemory:
    memory: Memory
    cosine: float | None  # None: nothing is known of its meaning


@dataclass(frozen=True, slots=True, kw_only=True)
class SightedTurns:
    """Every turn of a project, session by session in its order, with what a question finds in each of them."""

    project: ProjectId | None
    numbers: "Numbers"  # of the store
    sessions: "Numbers"  # equal numbers: the same session
    at_ms: "Numbers"
    from_user: "Flags"
    by_asked: "Flags"  # spoken by somebody whom the question names
    wanted: "Flags"  # passes the filters
    first: int = 0  # the lowest number that was looked at
    having: Mapping[str, "Numbers"]  # for each word, the positions of the turns that have it

    @property
    def occurrences(self) -> dict[str, int]:
        return {word: len(positions) for word, positions in self.having.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Unembedded:
    """Something whose meaning is not known yet."""

    number: int
    hash: str  # of its row: what changes meanwhile is asked about again
    of: Memory | Turn
    before: Turn | None = None  # what was said just before the turn


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingVectors:
    """How much is found by its words alone so far, and what made the vectors that there are."""

    memories: int
    turns: int
    stored: ModelId | None  # None: there are no vectors yet


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    what: Unembedded
    vectors: tuple[Vector, ...]  # of a memory, one; of a turn, that of its context, then those of its passages
