"""`recollect feedback`"""

import click

from recollect.api.feedback import FEEDBACK, Feedback
from recollect.cli import client_call, complete_values, context, direct
from recollect.cli.display import output
from recollect.cli.formats.memory_json import record_of
from recollect.domain.memory import Memory
from recollect.text.block import visible


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...", shell_complete=complete_values.memory_ids)
@click.option("--useful/--not-useful", default=None, help="It helped, or it did not.")
@direct.option
@output.json_option
def feedback(ids: tuple[str, ...], useful: bool | None, as_json: bool) -> None:
    """Say whether memories that were shown helped: what fits a prompt is ordered by it, a little.

    One word counts for several replies that used a memory, or did not. The opposite word takes it back. What is wrong
    is better corrected (`recollect remember`) or forgotten (`recollect forget`).
    """
    if useful is None:
        raise click.UsageError("Say --useful or --not-useful.")
    asked = Feedback(ids=ids, useful=useful, folder=context.folder_to_look_in(), by=context.BY)
    told = client_call.ask(FEEDBACK, asked)
    if as_json:
        output.say_json({"memories": [record_of(memory) for memory in told.memories]})
    else:
        for memory in told.memories:
            output.say(_line(memory, useful=useful))


def _line(memory: Memory, *, useful: bool) -> str:
    word = "useful" if useful else "not useful"
    return f"{memory.id} is {word} (feedback {memory.use.feedback:+d} in all): {visible(memory.text)}"
