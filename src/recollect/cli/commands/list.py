"""`recollect list`"""

import click

from recollect.api.list import LIST, MOST, List
from recollect.cli import client_call, context, direct
from recollect.cli.display import output
from recollect.cli.formats import recall_options
from recollect.cli.formats.memory_json import seen_record_of
from recollect.domain.memory import Kind


@click.command("list")
@click.option("--limit", "-n", type=click.IntRange(1, MOST), default=50, show_default=True, help="At most so many.")
@recall_options.kinds_option
@context.project_option
@context.language_option
@direct.option
@output.json_option
def list_memories(
    limit: int, kinds: tuple[Kind, ...], project: str | None, language: str | None, as_json: bool
) -> None:
    """The memories of this project and those that hold everywhere, newest first."""
    here = client_call.here(project)
    asked = List(limit=limit, kinds=frozenset(kinds), project=project, language=language, folder=here, by=context.BY)
    found = client_call.ask(LIST, asked)
    if as_json:
        records = [seen_record_of(memory, found.seen.get(memory.id)) for memory in found.memories]
        output.say_json({"memories": records})
    elif kinds and not found.memories:
        output.say_nothing(f"Nothing of that kind is remembered here: {', '.join(kinds)}.")
    elif not found.memories:
        output.say_nothing('Nothing is remembered here yet. Try: recollect remember "We deploy with Helm"')
        if found.elsewhere:
            output.say_nothing(f"This is {found.project}; `recollect project list` shows the others.")
    else:
        output.show_memories(found.memories, seen=found.seen)
