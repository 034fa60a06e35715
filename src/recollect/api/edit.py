"""Changing a memory's text, kind, scope, title or aliases by hand."""

from dataclasses import dataclass

from recollect.api.operation import Operation, Request
from recollect.domain.memory import Kind
from recollect.domain.outcome import Edited, Omissions, Unchanged


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit(Request):
    id: str  # or the beginning of it
    text: str | None = None  # None: unchanged; the same for the other fields
    kind: Kind | None = None
    scope: str | None = None  # "project": the folder's project
    title: str | None = None  # "": remove the title
    aliases: tuple[str, ...] | None = None  # all of them; they replace the present ones
    instead_of: str | None = None  # the text that was edited: if the memory has another text by now, nothing changes


@dataclass(frozen=True, slots=True, kw_only=True)
class EditedMemory:
    outcome: Edited | Unchanged
    omitted: Omissions


EDIT = Operation("edit", "Changes a memory; `undo` reverts it.", Edit, EditedMemory, writes=True)
