"""The embedding model as others see it: is it there and whole, what is it, how far is its making."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from recollect.domain.vector import ModelId

# Called while a model is made: what is done now, and how much of all of it is behind us (0 to 1).
Progress = Callable[[str, float], None]


class Condition(StrEnum):
    READY = "ready"
    MISSING = "missing"  # nobody has built it
    INCOMPLETE = "incomplete"  # a file of it is not there
    DAMAGED = "damaged"  # a file is not what was built
    OTHER_VERSION = "other_version"  # built for another Recollect
    UNREADABLE = "unreadable"  # something is there that cannot be read


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """What the one who built it wrote down."""

    id: ModelId
    size_bytes: int  # of all its files
    worst_cosine: float  # of the int8 model to the float one, over the sentences of the build
    source: str  # the package that the weights come from, with its version
    built_at: str  # ISO 8601
    built_with: str  # the packages that converted it


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelState:
    condition: Condition
    folder: str
    says: str  # a sentence for people, without what to do
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
                return "Move it away, then `recollect model build`."
            case Condition.MISSING:
                return "`recollect model build` makes it."
            case Condition.INCOMPLETE | Condition.DAMAGED | Condition.OTHER_VERSION:
                return "`recollect model build` makes it anew."
