"""`recollect recall`: what is known about something, or what was said about it in old sessions."""

from dataclasses import dataclass

import click

from recollect.cli import context, hits, narrowing, output
from recollect.cli.embedding import Bulk, embed_briefly
from recollect.cli.filters import language_of
from recollect.cli.narrowing import Narrowing
from recollect.domain.errors import ModelError, ModelMissing
from recollect.domain.memory import Hit, ScopeLevel, Viewer
from recollect.domain.search import Filters
from recollect.domain.session import TurnHit
from recollect.engine.engine import Engine
from recollect.engine.recall import MAX_LISTED
from recollect.privacy.secrets import redact
from recollect.wiring import Model


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """How it was searched."""

    by_meaning: bool
    by_words_only: int  # so many memories, or turns, had no vector yet
    problem: ModelError | None  # why there is no model


@click.command()
@click.argument("query")
@click.option(
    "--limit",
    "-n",
    type=click.IntRange(1, 1000),
    help="At most so many; default: search.hits (10), or all where QUERY asks to list all of something.",
)
@narrowing.options
@context.project_option
@context.language_option
@click.option("--archive", is_flag=True, help="Search what was said in this project's old sessions instead.")
@click.option("--why", is_flag=True, help="Show what each score is made of.")
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
    model = context.model()
    memories: list[Hit] = []
    turns: list[TurnHit] = []
    with context.engine(model) as engine:
        filters = narrowed.filters(engine, project)
        if archive and filters.are_about_memories:
            raise click.UsageError("Turns have no kind, scope or status; leave these out, or leave out --archive.")
        viewer = _viewer(engine, project, language, filters)
        how = _caught_up(engine, model, archive=archive)
        if archive:
            at_most = limit or context.settings().search.hits
            turns = engine.recall_turns(query, viewer.project, limit=at_most, filters=filters, fitting=True)
        else:
            memories = engine.recall(
                query,
                viewer,
                limit=limit,
                now=context.now(),
                filters=filters,
                folder=context.folder_to_look_in(),
            )
    if as_json:
        found = [*map(hits.memory_json, memories), *map(hits.turn_json, turns)]
        by = "words and meaning" if how.by_meaning else "words"
        output.say_json({"query": redact(query).text, "by": by, "by_words_only": how.by_words_only, "hits": found})
        return
    if memories:
        hits.show_memory_hits(memories, why=why)
        if len(memories) == MAX_LISTED:
            output.remark(f"Only {MAX_LISTED:,} are listed; narrow it down, or use `recollect export`.")
    elif turns:
        hits.show_turn_hits(turns, query, why=why)
    else:
        output.say_nothing("Nothing found.")
    _remark(how, "turn" if archive else "memory", "turns" if archive else "memories")


def _viewer(engine: Engine, project: str | None, language: str | None, filters: Filters) -> Viewer:
    """Whoever asks for what holds in a project or for a language asks from within it."""
    scope = filters.scope
    if project is None and scope is not None and scope.level is ScopeLevel.PROJECT:
        project = scope.name
    return context.viewer_of(engine, project, language_of(scope, language))


def _caught_up(engine: Engine, model: Model, *, archive: bool) -> How:
    loaded = model()
    bulk = None if loaded is None else Bulk(model=loaded.model, turns=archive)
    waiting = engine.waiting(None) if bulk is None else embed_briefly(engine, bulk)
    left = waiting.turns if archive else waiting.memories
    by_meaning = loaded is not None and (waiting.stored == loaded.model or not left)
    return How(by_meaning=by_meaning, by_words_only=left, problem=model.problem)


def _remark(how: How, one: str, several: str) -> None:
    if isinstance(how.problem, ModelMissing):
        output.remark("Searched by words alone; `recollect model build` adds meaning.")
    elif how.problem is not None:
        output.remark(str(how.problem))
    elif how.by_words_only:
        left = output.many(how.by_words_only, one, several)
        output.remark(f"By words alone so far, in all projects: {left}; `recollect model embed` adds their meaning.")
