"""`recollect recall`"""

import click

from recollect.cli import context, output


@click.command()
@click.argument("query")
@click.option("--limit", "-n", type=click.IntRange(1, 1000), default=10, show_default=True, help="At most so many.")
@context.project_option
@context.language_option
@output.json_option
def recall(query: str, limit: int, project: str | None, language: str | None, as_json: bool) -> None:
    """Find what is known about QUERY, best first."""
    with context.engine() as engine:
        hits = engine.recall(query, context.viewer_of(engine, project, language), limit=limit, now=context.now())
    if as_json:
        output.say_json({"query": query, "hits": [output.hit_json(hit) for hit in hits]})
    elif not hits:
        output.say_nothing("Nothing found.")
    else:
        output.show_memories([hit.memory for hit in hits], [f"relevance {hit.relevance:.2f}" for hit in hits])
