"""Changing a memory's text, kind, scope, title or aliases by hand."""

from dataclasses import dataclass

from recollect.api.operation import Operation, OperationContext, Request
from recollect.api.request_scope import scope_to_store
from recollect.domain.changes import ChangeId, Wording
from recollect.domain.memory import Kind, Memory


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
    outcome: str  # edited or unchanged
    memory: Memory
    before: Memory
    undo: ChangeId | None  # the change to undo


def edit(desk: OperationContext, asked: Edit) -> EditedMemory:
    scope = None
    if asked.scope is not None:
        scope = scope_to_store(desk.engine, asked.scope, asked.folder, desk.now)
    wording = Wording(
        text=asked.text,
        kind=asked.kind,
        scope=scope,
        title=asked.title,
        aliases=asked.aliases,
        instead_of=asked.instead_of,
    )
    done = desk.engine.edit(desk.engine.find(asked.id).id, wording, at=desk.now, by=asked.by)
    outcome = "unchanged" if done.deed is None else "edited"
    return EditedMemory(outcome=outcome, memory=done.memory, before=done.before, undo=done.deed)


EDIT = Operation("edit", "Changes a memory; `undo` reverts it.", Edit, EditedMemory, edit, writes=True)
