"""`recollect feedback`"""

import click

from recollect.api.feedback import FEEDBACK, Feedback
from recollect.cli import client_call, complete_values, context, direct
from recollect.cli.display import output
from recollect.cli.formats.memory_json import record_of
from recollect.text.block import visible


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...", shell_complete=complete_values.memory_ids)
@click.option(
    "--useful/--not-useful", default=None, help="Whether the memories helped. You must give one of these options."
)
@direct.option
@output.json_option
def feedback(ids: tuple[str, ...], useful: bool | None, as_json: bool) -> None:
    """Say whether memories that were shown helped.

    If several memories fit a prompt, Recollect shows useful memories earlier and useless memories later. The effect is
    small. The opposite feedback cancels an earlier feedback. If a memory is wrong, use `recollect edit` or
    `recollect forget` instead."""
    if useful is None:
        raise click.UsageError("Add --useful or --not-useful.")
    asked = Feedback(ids=ids, useful=useful, folder=context.folder_to_look_in(), by=context.BY)
    memories = client_call.run_operation(FEEDBACK, asked).memories
    if as_json:
        output.say_json({"memories": list(map(record_of, memories))})
        return
    word = "useful" if useful else "not useful"
    for memory in memories:
        output.say(f"{memory.id} is {word} (feedback {memory.use.feedback:+d} in total): {visible(memory.text)}")
