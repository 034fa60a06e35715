"""Questions to the store and its answers. The ranking is done elsewhere."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Kind, Memory, ProjectId, Scope, ScopeLevel, check_time

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from recollect.domain.session import Turn
    from recollect.domain.vector import ModelId, Vector

    Numbers = NDArray[np.int64]
    Reals = NDArray[np.float32]
    Flags = NDArray[np.bool_]


class MemoryStatus(StrEnum):
    LIVE = "live"  # valid now
    SUPERSEDED = "superseded"  # was valid once
    STALE = "stale"  # valid now, but its files have changed
    ANY = "any"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Limits of a search, the same for every caller. Each field narrows the answer; the defaults search all valid
    memories."""

    kinds: frozenset[Kind] = frozenset()  # empty: every kind
    scope: str | None = None  # "project": the caller's project; None: every scope that the viewer sees
    since: datetime | None = None  # said at this time or later
    until: datetime | None = None  # said before this time
    as_of: datetime | None = None  # memories that were valid at this time, whether or not they still are
    status: MemoryStatus = MemoryStatus.LIVE

    def __post_init__(self) -> None:
        if self.named_scope is not None:
            object.__setattr__(self, "scope", str(self.named_scope))
        for moment in (self.since, self.until, self.as_of):
            if moment is not None:
                check_time(moment)
        if self.since is not None and self.until is not None and self.until <= self.since:
            raise InvalidValue("Nothing can match: `until` is not after `since`.")
        if self.as_of is not None and self.status is not MemoryStatus.LIVE:
            raise InvalidValue("`as of` finds what was valid at that time; do not combine it with a status.")

    @property
    def includes_past(self) -> bool:
        return self.as_of is not None or self.status in (MemoryStatus.SUPERSEDED, MemoryStatus.ANY)

    @property
    def named_scope(self) -> Scope | None:
        """None: no scope, or the caller's project, which only the engine knows."""
        return None if self.scope is None or self.is_of_own_project else Scope.parse(self.scope)

    @property
    def is_of_own_project(self) -> bool:
        return self.scope == ScopeLevel.PROJECT

    @property
    def project(self) -> str | None:
        """Return the named project: a search in its scope counts as a search from there."""
        return self._name_of(ScopeLevel.PROJECT)

    @property
    def language(self) -> str | None:
        """Return the named language: a search in its scope is a search by a caller who uses that language."""
        return self._name_of(ScopeLevel.LANGUAGE)

    def _name_of(self, level: ScopeLevel) -> str | None:
        scope = self.named_scope
        return scope.name if scope is not None and scope.level is level else None

    @property
    def are_about_memories(self) -> bool:
        return bool(self.kinds or self.scope) or self.status is not MemoryStatus.LIVE

    def check_for_turns(self) -> None:
        if self.are_about_memories:
            raise InvalidValue(
                "Turns have no kind, scope or status; leave these filters out, or search the memories instead of the archive."
            )


def check_query(query: str) -> None:
    if not query.strip():
        raise InvalidValue("The query is empty; say what to look for.")


EVERYTHING = Filters()
MAX_LISTED = 10_000  # results of a question that asks for all of something
ANY_WORD = ""  # matches every text


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """The vector of a question, and the model that made it."""

    vector: "Vector"
    model: "ModelId"


@dataclass(frozen=True, slots=True, kw_only=True)
class WordMatches:
    """Where the words of a question occur in the memories that a viewer may see, before any row is read."""

    numbers_by_word: Mapping[str, Sequence[int]] = field(default_factory=dict)  # the memories with each word
    memories: int = 0  # how many memories the viewer may see
    places: Sequence[str] = ()  # the store's own description of the rows that the viewer may see

    @property
    def occurrences(self) -> dict[str, int]:
        return {word: len(numbers) for word, numbers in self.numbers_by_word.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMemory:
    memory: Memory
    cosine: float | None  # None: it has no vector yet


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnMatches:
    """Every turn of a project, session by session in order, with the matches of a question."""

    project: ProjectId | None
    numbers: "Numbers"  # row numbers in the store
    sessions: "Numbers"  # equal numbers mean the same session
    at_ms: "Numbers"
    from_user: "Flags"
    by_named_speaker: "Flags"  # spoken by a person whom the question names
    passes_filters: "Flags"
    first_number: int = 0  # the lowest row number that was searched
    positions_by_word: Mapping[str, "Numbers"]  # for each word, the positions of the turns with it

    @property
    def occurrences(self) -> dict[str, int]:
        return {word: len(positions) for word, positions in self.positions_by_word.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class UnembeddedItem:
    """A memory or turn without a vector."""

    number: int
    hash: str  # of its row: if the row changes meanwhile, it is embedded again
    of: "Memory | Turn"
    before: "Turn | None" = None  # the turn just before it


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingVectors:
    """How many memories and turns have no vector yet, and the model of the vectors that exist."""

    memories: int
    turns: int
    stored: "ModelId | None"  # None: there are no vectors yet


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedItem:
    what: UnembeddedItem
    # One for a memory; for a turn, one of the turn in its context, then one for each passage.
    vectors: "tuple[Vector, ...]"
