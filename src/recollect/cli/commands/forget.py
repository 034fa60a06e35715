"""`recollect forget`"""

import sys
from dataclasses import replace

import click

from recollect.api.forget import FORGET, Forget, Forgotten
from recollect.cli import client_call, complete_values, context, direct
from recollect.cli.display import output
from recollect.cli.exit_codes import EXIT_PARTLY
from recollect.cli.formats.memory_json import record_of
from recollect.domain.memory import Memory


@click.command()
@click.argument("ids", nargs=-1, metavar="[ID]...", shell_complete=complete_values.memory_ids)
@click.option(
    "--match",
    metavar="WORDS",
    help="All memories of this project, and those that hold everywhere, that have every one of these words; also "
    "what no longer holds and is in the history; with --now also what was forgotten or undone before.",
)
@click.option("--now", is_flag=True, help="Gone for good at once, to the last byte; cannot be undone.")
@click.option("--dry-run", is_flag=True, help="Only say what would be forgotten.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@context.project_option
@context.language_option
@direct.option
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
    asked = Forget(
        ids=ids,
        match=match,
        now=now,
        dry_run=dry_run,
        project=project,
        language=language,
        folder=client_call.here(project) if match else context.folder_to_look_in(),
        by=context.BY,
    )
    asks_first = bool(now or match) and not yes and not dry_run
    done = client_call.ask(FORGET, replace(asked, dry_run=True) if asks_first else asked)
    if asks_first and done.memories:
        if not _agreed(done.memories, now):
            return
        # What was agreed to, and nothing that came since.
        agreed = tuple(memory.id for memory in done.memories)
        hidden = done.out_of_sight
        done = replace(client_call.ask(FORGET, replace(asked, match=None, ids=agreed)), out_of_sight=hidden)
    _report(done, as_json)
    if done.out_of_sight and not as_json:
        more = output.many(done.out_of_sight, "more that matches is", "more that match are")
        output.remark(f"{more} out of sight already, forgotten or undone; `--now` deletes them for good.")
    if not done.is_clean:
        output.warn(
            "Somebody is still reading an older state, so traces are left in the log. The next command cleans it."
        )
        ctx.exit(EXIT_PARTLY)


def _agreed(chosen: list[Memory], now: bool) -> bool:
    if sys.stdin.isatty():
        output.show_memories(chosen)
    how = "for good" if now else "(undo is possible)"
    return output.confirmed(
        f"Forget {'this memory' if len(chosen) == 1 else f'these {len(chosen)} memories'} {how}?",
        "Nobody is there to be asked; add --yes, or --dry-run to see what it would be.",
    )


def _report(done: Forgotten, as_json: bool) -> None:
    memories = done.memories
    if as_json:
        told = [record_of(memory) for memory in memories]
        output.say_json({"outcome": done.outcome, "out_of_sight": done.out_of_sight, "memories": told})
    elif not memories:
        output.say("Nothing matches; nothing is forgotten.")
    else:
        back = f"; `recollect undo` brings {'it' if len(memories) == 1 else 'them'} back"
        output.show_memories(memories)
        many = output.many(len(memories), "memory", "memories")
        output.say(f"{many} {done.outcome}{back if done.outcome == 'forgotten' else ''}.")
