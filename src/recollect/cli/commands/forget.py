"""`recollect forget`"""

import sys
from dataclasses import replace
from typing import assert_never

import click

from recollect.api.forget import FORGET, Forget, Forgotten
from recollect.cli import client_call, complete_values, context, direct
from recollect.cli.display import output
from recollect.cli.exit_codes import EXIT_PARTLY
from recollect.cli.formats.memory_json import record_of
from recollect.domain.memory import Memory
from recollect.domain.outcome import Deleted, Hidden, NoMatch, Planned, Removal, tag_of

NOT_A_TERMINAL = "Not a terminal: pass --yes to confirm, or --dry-run to see what would be forgotten."
TRACES_LEFT = "Another process still reads older data, so traces are left in the log. The next command removes them."

now_option = click.option(
    "--now", is_flag=True, help="Delete immediately from all files of Recollect. Cannot be undone."
)
dry_run_option = click.option("--dry-run", is_flag=True, help="Only show what would be forgotten.")


@click.command()
@click.argument("ids", nargs=-1, metavar="[ID]...", shell_complete=complete_values.memory_ids)
@click.option(
    "--match",
    metavar="WORDS",
    help="Forget every memory that contains all of these words. Recollect searches the memories of this project and "
    "those valid everywhere, including replaced memories. With --now, it also deletes matching memories that were "
    "forgotten or undone before.",
)
@now_option
@dry_run_option
@context.yes_option
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
    """Forget memories, by ID or by words.

    Recollect hides the memories immediately and deletes them after the undo time: a day, unless you change the setting
    forget.undo_hours. Until then `recollect undo` restores the memories. The beginning of an ID is enough."""
    if bool(ids) == bool(match):
        raise click.UsageError(
            "Give either the IDs of the memories or --match WORDS. `recollect data forget` forgets a whole project."
        )
    asked = Forget(
        ids=ids,
        match=match,
        now=now,
        dry_run=dry_run,
        project=project,
        language=language,
        folder=client_call.current_folder(project) if match else context.folder_to_look_in(),
        by=context.BY,
    )
    if (now or match) and not yes and not dry_run:
        done = client_call.run_operation(FORGET, replace(asked, dry_run=True))
        if done.memories:
            if not _confirm(done.memories, now):
                return
            # Only the memories that the user confirmed, not those that matched since.
            confirmed = replace(asked, match=None, ids=tuple(memory.id for memory in done.memories))
            done = replace(client_call.run_operation(FORGET, confirmed), out_of_sight=done.out_of_sight)
    else:
        done = client_call.run_operation(FORGET, asked)
    _report(done, as_json)
    warn_of_traces(ctx, done.outcome)


def warn_of_traces(ctx: click.Context, outcome: NoMatch | Removal) -> None:
    if isinstance(outcome, Deleted) and not outcome.is_clean:
        output.warn(TRACES_LEFT)
        ctx.exit(EXIT_PARTLY)


def _confirm(chosen: list[Memory], now: bool) -> bool:
    if sys.stdin.isatty():
        output.show_memories(chosen)
    what = "this memory" if len(chosen) == 1 else f"these {len(chosen)} memories"
    how = "for good" if now else "(undo is possible)"
    return output.confirm(f"Forget {what} {how}?", NOT_A_TERMINAL)


def _report(done: Forgotten, as_json: bool) -> None:
    memories = done.memories
    if as_json:
        records = list(map(record_of, memories))
        output.say_json({"outcome": tag_of(done.outcome), "out_of_sight": done.out_of_sight, "memories": records})
        return
    if memories:
        output.show_memories(memories)
    many = output.many(len(memories), "memory", "memories")
    match done.outcome:
        case NoMatch():
            output.say("No memory matches; nothing was forgotten.")
        case Hidden():
            them = "it" if len(memories) == 1 else "them"
            output.say(f"{many} {tag_of(done.outcome)}; `recollect undo` brings {them} back.")
        case Planned() | Deleted():
            output.say(f"{many} {tag_of(done.outcome)}.")
        case _ as never:
            assert_never(never)
    if done.out_of_sight:
        more = output.many(done.out_of_sight, "more match is", "more matches are")
        output.remark(f"{more} already hidden (forgotten or undone); `--now` deletes them for good.")
