"""Changing a memory's words, kind, scope, title or aliases by hand."""

from dataclasses import dataclass

from recollect.api.operation import Desk, Operation, Request
from recollect.api.places import scope_named
from recollect.domain.history import DeedId
from recollect.domain.memory import Kind, Memory
from recollect.domain.wording import Wording


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit(Request):
    id: str  # or the beginning of it
    text: str | None = None  # None: as it is; so with the others
    kind: Kind | None = None
    scope: str | None = None  # "project" is that of the folder
    title: str | None = None  # "": none any more
    aliases: tuple[str, ...] | None = None  # all of them, in place of those that it has
    instead_of: str | None = None  # the text that was edited: if it is another one by now, nothing is changed


@dataclass(frozen=True, slots=True, kw_only=True)
class EditedMemory:
    outcome: str  # edited or unchanged
    memory: Memory
    before: Memory
    undo: DeedId | None  # takes it back


def edit(desk: Desk, asked: Edit) -> EditedMemory:
    wording = Wording(
        text=asked.text,
        kind=asked.kind,
        scope=None if asked.scope is None else scope_named(desk.engine, asked.scope, asked.folder, desk.now),
        title=asked.title,
        aliases=asked.aliases,
        instead_of=asked.instead_of,
    )
    done = desk.engine.edit(desk.engine.find(asked.id).id, wording, at=desk.now, by=asked.by)
    outcome = "unchanged" if done.deed is None else "edited"
    return EditedMemory(outcome=outcome, memory=done.memory, before=done.before, undo=done.deed)


EDIT = Operation("edit", "Changes what a memory says; `undo` takes it back.", Edit, EditedMemory, edit, writes=True)
