"""`recollect list`"""

import click

from recollect.api.list import LIST, MOST, List
from recollect.cli import client_call, context, direct
from recollect.cli.display import output
from recollect.cli.formats import recall_options
from recollect.cli.formats.memory_json import record_with_freshness
from recollect.domain.memory import Kind


@click.command("list")
@context.limit_option(MOST, 50)
@recall_options.kinds_option
@context.project_option
@context.language_option
@direct.option
@output.json_option
def list_memories(
    limit: int, kinds: tuple[Kind, ...], project: str | None, language: str | None, as_json: bool
) -> None:
    """List memories of this project and general ones, newest first.

    General memories are valid in every project."""
    here = client_call.current_folder(project)
    asked = List(limit=limit, kinds=frozenset(kinds), project=project, language=language, folder=here, by=context.BY)
    found = client_call.run_operation(LIST, asked)
    if as_json:
        records = [record_with_freshness(memory, found.seen.get(memory.id)) for memory in found.memories]
        output.say_json({"memories": records})
    elif found.memories:
        output.show_memories(found.memories, seen=found.seen)
    elif kinds:
        output.say_nothing(f"No memories of this kind here: {', '.join(kinds)}.")
    else:
        output.say_nothing('No memories here yet. Try: recollect remember "We deploy with Helm"')
        if found.elsewhere:
            output.say_nothing(f"This is project {found.project}; `recollect project list` shows the others.")
