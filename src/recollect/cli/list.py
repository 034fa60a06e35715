"""`recollect list`"""

import click

from recollect.cli import context, output
from recollect.cli.records import seen_record_of


@click.command("list")
@click.option("--limit", "-n", type=click.IntRange(1, 100_000), default=50, show_default=True, help="At most so many.")
@context.project_option
@context.language_option
@output.json_option
def list_memories(limit: int, project: str | None, language: str | None, as_json: bool) -> None:
    """The memories of this project and those that hold everywhere, newest first."""
    with context.engine() as engine:
        viewer = context.viewer_of(engine, project, language)
        memories = engine.newest(viewer, limit=limit)
        seen = engine.freshness(memories, context.folder_to_look_in())
        elsewhere = not memories and any(known.memories for known in engine.projects())
    if as_json:
        output.say_json({"memories": [seen_record_of(memory, seen.get(memory.id)) for memory in memories]})
    elif not memories:
        output.say_nothing('Nothing is remembered here yet. Try: recollect remember "We deploy with Helm"')
        if elsewhere:
            output.say_nothing(f"This is {viewer.project}; `recollect project list` shows the others.")
    else:
        output.show_memories(memories, seen=seen)
