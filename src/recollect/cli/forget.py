"""`recollect forget`"""

import sys

import click

from recollect.cli import completing, context, output
from recollect.cli.exits import EXIT_PARTLY
from recollect.cli.records import record_of
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Memory, ScopeLevel
from recollect.domain.search import Filters, Status
from recollect.engine.engine import Engine
from recollect.text.query import search_words
from recollect.text.words import words_of

MATCHES_AT_MOST = 1000


@click.command()
@click.argument("ids", nargs=-1, metavar="[ID]...", shell_complete=completing.memory_ids)
@click.option(
    "--match",
    metavar="WORDS",
    help="All memories of this project, and those that hold everywhere, that have every one of these words; also "
    "what no longer holds and stands in the history.",
)
@click.option("--now", is_flag=True, help="Gone for good at once, to the last byte; cannot be undone.")
@click.option("--dry-run", is_flag=True, help="Only say what would be forgotten.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@context.project_option
@context.language_option
@output.json_option
@click.pass_context
def forget(
    ctx: click.Context,
    ids: tuple[str, ...],
    match: str | None,
    now: bool,
    dry_run: bool,
    yes: bool,
    project: str | None,
    language: str | None,
    as_json: bool,
) -> None:
    """Forget memories: out of sight at once, and gone for good when the undo window ends (a day, by default)."""
    if bool(ids) == bool(match):
        raise click.UsageError("Name the memories by ID, or by --match WORDS.")
    with context.writing_engine() as engine:
        chosen = [engine.find(given) for given in ids] or _matching(engine, match or "", project, language)
        if not chosen or dry_run:
            _report(chosen, "would be forgotten" if chosen else "nothing matches", as_json)
            return
        if (now or match) and not yes and not _agreed(chosen, now):
            return
        wanted = [memory.id for memory in chosen]
        forget_them = engine.forget_now if now else engine.forget
        done = forget_them(wanted, at=context.now(), by=context.BY)
    back = "brings it back" if len(chosen) == 1 else "brings them back"
    _report(done.memories, "gone for good" if done.for_good else f"forgotten; `recollect undo` {back}", as_json)
    if not done.is_clean:
        output.warn(
            "Somebody is still reading an older state, so traces are left in the log. The next command cleans it."
        )
        ctx.exit(EXIT_PARTLY)


def _matching(engine: Engine, words: str, project: str | None, language: str | None) -> list[Memory]:
    wanted = set(search_words(words))
    if not wanted:
        raise InvalidValue(f"There is no word to look for in {words!r}.")
    viewer = context.viewer_of(engine, project, language)
    # Whoever wants something gone wants it gone from the history too.
    also_past = Filters(status=Status.ANY)
    hits = engine.recall(words, viewer, limit=MATCHES_AT_MOST, now=context.now(), filters=also_past)
    # What another project shares with this one is not this one's to forget.
    return [
        hit.memory
        for hit in hits
        if wanted <= set(words_of(hit.memory))
        and (hit.memory.scope.level is not ScopeLevel.PROJECT or hit.memory.scope.name == viewer.project)
    ]


def _agreed(chosen: list[Memory], now: bool) -> bool:
    if sys.stdin.isatty():
        output.show_memories(chosen)
    how = "for good" if now else "(undo is possible)"
    return output.confirmed(
        f"Forget {'this memory' if len(chosen) == 1 else f'these {len(chosen)} memories'} {how}?",
        "Nobody is there to be asked; add --yes, or --dry-run to see what it would be.",
    )


def _report(memories: list[Memory], what: str, as_json: bool) -> None:
    if as_json:
        output.say_json({"outcome": what.partition(";")[0], "memories": [record_of(memory) for memory in memories]})
    elif not memories:
        output.say("Nothing matches; nothing is forgotten.")
    else:
        output.show_memories(memories)
        output.say(f"{output.many(len(memories), 'memory', 'memories')} {what}.")
