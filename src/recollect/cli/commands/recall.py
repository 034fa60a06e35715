"""`recollect recall`: what is known about something, or what was said about it in old sessions."""

import click

from recollect.api.recall import MOST, RECALL, Recall, Recalled
from recollect.cli import client_call, context, direct
from recollect.cli.display import hits, output
from recollect.cli.formats import recall_options
from recollect.cli.formats.recall_options import Narrowing
from recollect.domain.search import MAX_LISTED
from recollect.privacy.secrets import redact


@click.command()
@click.argument("query")
@click.option(
    "--limit",
    "-n",
    type=click.IntRange(1, MOST),
    help="At most so many; default: search.hits (10), or all where QUERY asks to list all of something.",
)
@recall_options.options
@context.project_option
@context.language_option
@click.option("--archive", is_flag=True, help="Search what was said in this project's old sessions instead.")
@click.option("--why", is_flag=True, help="Show what each score is made of.")
@direct.option
@output.json_option
def recall(
    query: str,
    limit: int | None,
    narrowed: Narrowing,
    project: str | None,
    language: str | None,
    archive: bool,
    why: bool,
    as_json: bool,
) -> None:
    """Find what is known about QUERY, by its words and by its meaning, best first.

    A DATE is a day, 2026-05-31, which means its beginning in UTC, or a time, 2026-05-31T14:00."""
    if archive and narrowed.is_about_memories:
        raise click.UsageError("Turns have no kind, scope or status; leave these out, or leave out --archive.")
    found = client_call.ask(
        RECALL,
        Recall(
            query=query,
            limit=limit,
            project=project,
            language=language,
            archive=archive,
            folder=client_call.here(project or narrowed.project),
            by=context.BY,
            **narrowed.given,
        ),
    )
    if as_json:
        listed = [*map(hits.memory_json, found.memories), *map(hits.turn_json, found.turns)]
        by = "words and meaning" if found.by_meaning else "words"
        about = {"query": redact(query).text, "by": by, "by_words_only": found.by_words_only}
        output.say_json({**about, "uncertain": found.uncertain, "hits": listed})
        return
    if found.uncertain:
        output.say_nothing("Nothing found that fits; the nearest, which may be about something else:")
    if found.memories:
        hits.show_memory_hits(found.memories, why=why, uncertain=found.uncertain)
        if len(found.memories) == MAX_LISTED:
            output.remark(f"Only {MAX_LISTED:,} are listed; narrow it down, or use `recollect export`.")
    elif found.turns:
        hits.show_turn_hits(found.turns, query, why=why)
    else:
        output.say_nothing("Nothing found.")
    _remark(found, "turn" if archive else "memory", "turns" if archive else "memories")


def _remark(found: Recalled, one: str, several: str) -> None:
    if found.model_missing:
        output.remark("Searched by words alone; `recollect model build` adds meaning.")
    elif found.model_problem is not None:
        output.remark(found.model_problem)
    elif found.by_words_only:
        left = output.many(found.by_words_only, one, several)
        output.remark(f"By words alone so far, in all projects: {left}; `recollect model embed` adds their meaning.")
