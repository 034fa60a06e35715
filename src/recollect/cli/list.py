"""`recollect list`"""

import click

from recollect.cli import context, output
from recollect.cli.records import record_of


@click.command("list")
@click.option("--limit", "-n", type=click.IntRange(1, 100_000), default=50, show_default=True, help="At most so many.")
@context.project_option
@context.language_option
@output.json_option
def list_memories(limit: int, project: str | None, language: str | None, as_json: bool) -> None:
    """The memories of this project and those that hold everywhere, newest first."""
    with context.engine() as engine:
        memories = engine.newest(context.viewer_of(engine, project, language), limit=limit)
    if as_json:
        output.say_json({"memories": [record_of(memory) for memory in memories]})
    elif not memories:
        output.say('Nothing is remembered here yet. Try: recollect remember "We deploy with Helm"')
    else:
        output.show_memories(memories)
