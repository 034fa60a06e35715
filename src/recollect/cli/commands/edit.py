"""`recollect edit`"""

import sys

import click

from recollect import config
from recollect.api.edit import EDIT, Edit, EditedMemory
from recollect.api.show import SHOW, Show
from recollect.cli import client_call, complete_values, context, direct, editor
from recollect.cli.commands.remember import describe_omissions, find_secret_rules
from recollect.cli.commands.show import describe_edit
from recollect.cli.display import output
from recollect.cli.formats import memory_text
from recollect.cli.formats.memory_json import record_of
from recollect.domain.memory import Kind


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
@click.option("--kind", type=click.Choice([kind.value for kind in Kind]), help="New kind.")
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
    kind: str | None,
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
        kind=None if kind is None else Kind(kind),
        scope=scope,
        title=title,
        aliases=tuple(filter(None, aliases)) if aliases else None,
        folder=client_call.current_folder() if scope == "project" else context.folder_to_look_in(),
        by=context.BY,
    )
    if (text, kind, scope, title) != (None, None, None, None) or aliases:
        _report(client_call.run_operation(EDIT, asked), asked, as_json)
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
    with editor.edit_text(memory_text.format_memory(memory), f"{memory.id}.txt", config.find_paths().state) as draft:
        asked = memory_text.read_edit(draft, memory, folder=here, by=context.BY)
        if asked is None:
            output.say("The text is empty; nothing was changed. Use `recollect forget` to remove a memory.")
            return
        done = client_call.run_operation(EDIT, asked)
    _report(done, asked, as_json)


def _report(done: EditedMemory, asked: Edit, as_json: bool) -> None:
    given = [text for text in (asked.text, asked.title, *(asked.aliases or ())) if text]
    if as_json:
        about = {"outcome": done.outcome, **record_of(done.memory), "before": record_of(done.before)}
        output.say_json(about | {"undo": done.undo, "redacted": find_secret_rules(given)})
    elif done.undo is None:
        output.say(f"Nothing to change: {done.memory.id} already says this.")
    else:
        output.say(f"Edited {done.memory.id}.")
        for line in describe_edit(done.before, done.memory):
            output.say_beside("  ", 2, line)
        for line in describe_omissions(given):
            output.say(line)
        output.say(f"`recollect undo {done.undo}` reverts this.")
