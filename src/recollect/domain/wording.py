"""An edit of a memory by hand, and its result."""

from dataclasses import dataclass

from recollect.domain.history import ChangeId
from recollect.domain.memory import Kind, Memory, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """New words for a memory. None leaves a part unchanged."""

    text: str | None = None
    kind: Kind | None = None
    scope: Scope | None = None
    title: str | None = None  # "": remove the title
    aliases: tuple[str, ...] | None = None  # replace all its aliases
    instead_of: str | None = None  # the text that the user edited; if the memory says something else by now, refuse


@dataclass(frozen=True, slots=True, kw_only=True)
class EditResult:
    memory: Memory
    before: Memory
    deed: ChangeId | None  # None: nothing was changed
