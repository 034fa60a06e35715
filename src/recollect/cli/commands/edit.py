"""`recollect edit`"""

import sys
from typing import assert_never

import click

from recollect.api.edit import EDIT, Edit, EditedMemory
from recollect.api.show import SHOW, Show
from recollect.cli import client_call, complete_values, context, direct, editor
from recollect.cli.commands.remember import describe_omissions
from recollect.cli.commands.show import describe_edit
from recollect.cli.display import output
from recollect.cli.formats import memory_text
from recollect.cli.formats.memory_json import record_of
from recollect.domain.changes import ChangeId
from recollect.domain.memory import Kind, Memory
from recollect.domain.outcome import Edited, Unchanged, tag_of
from recollect.paths import find_paths


@click.command(
    epilog="""\b
Examples:
  recollect edit k7x2mn3p
  recollect edit k7x2 --text "Payment retries wait 5 seconds." --kind rule
  recollect edit k7x2 --scope universal --title "" --alias billing --alias payments
  echo "We deploy with Argo." | recollect edit k7x2 --text -"""
)
@click.argument("memory_id", metavar="ID", shell_complete=complete_values.memory_ids)
@click.option("--text", help='New text. "-" reads the text from standard input.')
@context.kind_option(f"New kind: {', '.join(Kind)}.")
@click.option(
    "--scope",
    help="Where the memory is valid: project (the project of this folder), universal (everywhere), language:NAME or "
    "project:ID.",
)
@click.option("--title", help='Short title, shown where the full text does not fit. "" removes the title.')
@click.option(
    "--alias",
    "aliases",
    multiple=True,
    help='Extra search word for this memory. May be repeated. Replaces all present aliases. "" removes all aliases.',
)
@direct.option
@output.json_option
def edit(
    memory_id: str,
    text: str | None,
    kind: Kind | None,
    scope: str | None,
    title: str | None,
    aliases: tuple[str, ...],
    as_json: bool,
) -> None:
    """Change a memory's text, kind, scope, title or aliases.

    The beginning of the ID is enough. Without options the memory opens in your editor ($VISUAL or $EDITOR). If you save
    an unchanged or empty text, nothing happens. The memory keeps its id. From then on Recollect treats it as your own
    statement. `recollect undo` reverts the edit. `recollect history` shows the old and the new text. Secrets are
    redacted before anything is stored."""
    asked = Edit(
        id=memory_id,
        text=context.read_stdin() if text == "-" else text,
        kind=kind,
        scope=scope,
        title=title,
        aliases=tuple(filter(None, aliases)) if aliases else None,
        folder=client_call.current_folder() if scope == "project" else context.folder_to_look_in(),
        by=context.BY,
    )
    if (text, kind, scope, title) != (None, None, None, None) or aliases:
        _report(client_call.run_operation(EDIT, asked), as_json)
        return
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError(
            "Say what to change: --text, --kind, --scope, --title or --alias. In a terminal, the command without "
            "options opens your editor."
        )
    _edit_in_editor(memory_id, as_json)


def _edit_in_editor(memory_id: str, as_json: bool) -> None:
    here = context.folder_to_look_in()
    memory = client_call.run_operation(SHOW, Show(id=memory_id, folder=here, by=context.BY)).memory
    with editor.edit_text(memory_text.format_memory(memory), f"{memory.id}.txt", find_paths().state) as draft:
        asked = memory_text.read_edit(draft, memory, folder=here, by=context.BY)
        if asked is None:
            output.say("The text is empty; nothing was changed. Use `recollect forget` to remove a memory.")
            return
        done = client_call.run_operation(EDIT, asked)
    _report(done, as_json)


def _report(done: EditedMemory, as_json: bool) -> None:
    match done.outcome:
        case Edited(memory, before, undo):
            if as_json:
                _say_json(done, before, undo)
                return
            output.say(f"Edited {memory.id}.")
            for line in describe_edit(before, memory):
                output.say_beside("  ", 2, line)
            for line in describe_omissions(done.omitted):
                output.say(line)
            output.say(f"`recollect undo {undo}` reverts this.")
        case Unchanged(memory):
            if as_json:
                _say_json(done, memory, None)
                return
            output.say(f"Nothing to change: {memory.id} already says this.")
        case _ as never:
            assert_never(never)


def _say_json(done: EditedMemory, before: Memory, undo: ChangeId | None) -> None:
    about = {"outcome": tag_of(done.outcome), **record_of(done.outcome.memory), "before": record_of(before)}
    output.say_json(about | {"undo": undo, "redacted": done.omitted.secrets})
