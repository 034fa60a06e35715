"""State of the embedding model: whether it is there and complete, its facts, and the progress of a build."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from recollect.domain.vector import ModelId

# Called during a build with the current step and the part of the whole that is done (0 to 1).
Progress = Callable[[str, float], None]


class Condition(StrEnum):
    READY = "ready"
    MISSING = "missing"  # never built
    INCOMPLETE = "incomplete"  # a file is missing
    DAMAGED = "damaged"  # a file differs from the one that was built
    OTHER_VERSION = "other_version"  # built for another Recollect
    UNREADABLE = "unreadable"  # something is there that cannot be read


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """Facts that the build wrote down."""

    id: ModelId
    size_bytes: int  # of all its files
    worst_cosine: float  # between the int8 and the float model, over the sentences of the build
    source: str  # the package that the weights come from, with its version
    built_at: str  # ISO 8601
    built_with: str  # the packages that converted it


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelState:
    condition: Condition
    folder: str
    says: str  # a sentence for people, without advice
    facts: ModelFacts | None = None  # None: not ready

    @property
    def is_ready(self) -> bool:
        return self.condition is Condition.READY

    @property
    def advice(self) -> str:
        match self.condition:
            case Condition.READY:
                return ""
            case Condition.UNREADABLE:
                return "Move it away, then run `recollect model build`."
            case Condition.MISSING:
                return "Build it with `recollect model build`."
            case Condition.INCOMPLETE | Condition.DAMAGED | Condition.OTHER_VERSION:
                return "Rebuild it with `recollect model build`."
