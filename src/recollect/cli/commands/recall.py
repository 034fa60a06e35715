"""`recollect recall`: search memories, or the archive of old sessions."""

import click

from recollect.api.recall import MOST, RECALL, Recall, Recalled
from recollect.cli import client_call, context, direct
from recollect.cli.display import hits, output
from recollect.cli.formats import recall_options
from recollect.domain.search import MAX_LISTED, Filters


@click.command()
@click.argument("query")
@context.limit_option(
    MOST,
    None,
    'Maximum number of results. Default: the setting search.hits (10). If QUERY asks for everything, as in "list all '
    'rules", there is no limit.',
)
@recall_options.options
@context.project_option
@context.language_option
@click.option("--archive", is_flag=True, help="Search the messages of old sessions, not the memories.")
@click.option("--why", is_flag=True, help="Show how Recollect calculated each score.")
@direct.option
@output.json_option
def recall(
    query: str,
    limit: int | None,
    filters: Filters,
    project: str | None,
    language: str | None,
    archive: bool,
    why: bool,
    as_json: bool,
) -> None:
    """Search memories by words and by meaning, best match first.

    DATE is a day such as 2026-05-31 or a time such as 2026-05-31T14:00. A day means 00:00 UTC of that day."""
    with context.usage_errors():
        asked = Recall(
            query=query,
            limit=limit,
            project=project,
            language=language,
            filters=filters,
            archive=archive,
            folder=client_call.current_folder(project or filters.project),
            by=context.BY,
        )
    found = client_call.run_operation(RECALL, asked)
    if as_json:
        from recollect.privacy.secrets import redact  # its many patterns take time to load

        output.say_json(
            {
                "query": redact(query).text,
                "by": "words and meaning" if found.by_meaning else "words",
                "by_words_only": found.by_words_only,
                "uncertain": found.uncertain,
                "hits": [*map(hits.memory_json, found.memories), *map(hits.turn_json, found.turns)],
            }
        )
        return
    if found.uncertain:
        output.say_nothing("No good match. The nearest results, which may be about something else:")
    if found.memories:
        hits.show_memory_hits(found.memories, why=why, uncertain=found.uncertain)
        if len(found.memories) == MAX_LISTED:
            output.remark(f"Only {MAX_LISTED:,} are listed; narrow the search, or use `recollect export`.")
    elif found.turns:
        hits.show_turn_hits(found.turns, query, why=why)
    else:
        output.say_nothing("Nothing found.")
    _remark_on_meaning(found, archive)


def _remark_on_meaning(found: Recalled, archive: bool) -> None:
    if found.model_missing:
        output.remark("Searched by words only; `recollect model build` adds search by meaning.")
    elif found.model_problem is not None:
        output.remark(found.model_problem)
    elif found.by_words_only:
        one, several = ("turn", "turns") if archive else ("memory", "memories")
        left = output.many(found.by_words_only, f"{one} has", f"{several} have")
        output.remark(f"In all projects, {left} no vector yet; `recollect model embed` adds search by meaning.")
