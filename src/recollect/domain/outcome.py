"""Results of asking Recollect to remember, edit or forget. They travel as they are, each with its tag."""

from dataclasses import dataclass

from msgspec import Struct  # a union of dataclasses cannot be read back from JSON, a union of tagged structs can

from recollect.domain.changes import ChangeId
from recollect.domain.memory import Memory


class New(Struct, frozen=True, tag="new"):
    """It was not known; it is stored."""

    memory: Memory


class Same(Struct, frozen=True, tag="same"):
    """It was already known; the known memory counts one more mention."""

    memory: Memory


class Updates(Struct, frozen=True, tag="updates"):
    """It is stored; the memories that it replaces are no longer valid and stay in the history."""

    memory: Memory
    replaced: tuple[Memory, ...]  # as they are now


class Contradicts(Struct, frozen=True, tag="contradicts"):
    """It is stored, and so is what it contradicts: a person decides in `review`."""

    memory: Memory
    known: tuple[Memory, ...]


class Refused(Struct, frozen=True, tag="refused"):
    """It is not stored: marked as private, for example, or nothing but a secret."""

    why: str


Stored = New | Same | Updates | Contradicts
Outcome = Stored | Refused


class Edited(Struct, frozen=True, tag="edited"):
    memory: Memory
    before: Memory
    undo: ChangeId  # the change to undo


class Unchanged(Struct, frozen=True, tag="unchanged"):
    """The memory says this already."""

    memory: Memory


class NoMatch(Struct, frozen=True, tag="nothing matches"):
    """There is nothing to forget."""


class Planned(Struct, frozen=True, tag="would be forgotten"):
    """A dry run: nothing was changed."""


class Hidden(Struct, frozen=True, tag="forgotten"):
    undo: ChangeId  # the change to undo


class Deleted(Struct, frozen=True, tag="gone for good"):
    is_clean: bool = True  # False: bytes of the deleted data may be left in the file


Removal = Planned | Hidden | Deleted


def tag_of(outcome: Outcome | Edited | Unchanged | NoMatch | Removal) -> str:
    """Return the name of an outcome in JSON."""
    return str(outcome.__struct_config__.tag)


@dataclass(frozen=True, slots=True, kw_only=True)
class Omissions:
    """Parts of a text that are not stored."""

    secrets: tuple[str, ...] = ()  # the rules that found one; it is redacted
    private: bool = False  # text that is marked as private
    blocks: bool = False  # text that looks like a block of Recollect
