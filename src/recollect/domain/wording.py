"""What a person changes of a memory by hand, and what came of it."""

from dataclasses import dataclass

from recollect.domain.history import DeedId
from recollect.domain.memory import Kind, Memory, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """Other words for a memory. None leaves a part as it is."""

    text: str | None = None
    kind: Kind | None = None
    scope: Scope | None = None
    title: str | None = None  # "": it has none any more
    aliases: tuple[str, ...] | None = None  # in place of those that it has
    instead_of: str | None = None  # the text that was edited: if it is another one by now, nothing is changed


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    memory: Memory
    before: Memory
    deed: DeedId | None  # None: nothing was changed
