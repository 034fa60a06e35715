"""`recollect data`: what is stored where, how much and how old; and `recollect data forget`: a whole project."""

import sys
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import click

from recollect import config, wiring
from recollect.api.data import DATA, FORGET_PROJECT, Data, ForgetProject, ForgottenProject
from recollect.cli import client_call, complete_values, context, direct
from recollect.cli.diagnosis.own_files import Stored, stored
from recollect.cli.display import output
from recollect.cli.exit_codes import EXIT_PARTLY
from recollect.domain.stored import Holding

COUNTED = (
    ("memories", "memory", "memories"),
    ("candidates", "candidate", None),
    ("past", "past memory", "past memories"),
    ("forgotten", "forgotten memory", "forgotten memories"),
    ("turns", "turn", None),
    ("sessions", "session", None),
    ("notes", "session with notes", "sessions with notes"),
    ("blocks", "block", None),
    ("waiting", "event to learn from", "events to learn from"),
)
PLACES = {
    "universal": "everywhere",
    "no project": "outside of every project",
    "forgotten": "of forgotten projects, until the undo window ends",
}
BESIDE = 10  # columns of a name


@click.group(
    invoke_without_command=True,
    epilog="""\b
Examples:
  recollect data
  recollect data --json
  recollect data forget git:github.com/acme/shop --dry-run
  recollect data forget --now""",
)
@direct.option
@output.json_option
@click.pass_context
def data(ctx: click.Context, as_json: bool) -> None:
    """What is stored where, how much it is and how old, for each project. `recollect data forget` forgets one."""
    if ctx.invoked_subcommand is not None:
        return
    places = config.places()
    files = stored(places)
    kept = []
    if wiring.database_to_read(places.database) is not None:
        kept = client_call.ask(DATA, Data(folder=context.folder_to_look_in(), by=context.BY)).holdings
    if as_json:
        output.say_json({"files": [*map(_file_json, files)], "projects": [*map(holding_json, kept)]})
    elif sys.stdout.isatty():
        _show(files, kept)
    else:
        if not kept:
            output.say_nothing("Nothing is kept yet.")
        for file in files:
            output.say("\t".join(["file", file.what, str(file.size_bytes), str(file.path)]))
        for one in kept:
            output.say("\t".join(["project", one.place, str(one.text_bytes), *counts(one), _time(one)]))


@data.command(
    epilog="""\b
Examples:
  recollect data forget git:github.com/acme/shop
  recollect data forget --now --yes"""
)
@click.argument("project", required=False, shell_complete=complete_values.project_ids)
@click.option("--now", is_flag=True, help="Gone for good at once, to the last byte; cannot be undone.")
@click.option("--dry-run", is_flag=True, help="Only say what would be forgotten.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@direct.option
@output.json_option
@click.pass_context
def forget(ctx: click.Context, project: str | None, now: bool, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Forget a whole PROJECT (default: that of this folder): its memories, candidates and history, the archive of its
    sessions with their notes and blocks, and what it is known as.

    All of it is out of sight at once, and gone for good when the undo window ends (a day, by default).
    """
    asked = ForgetProject(project=project, now=now, folder=client_call.here(project), by=context.BY)
    if dry_run or not yes:
        found = client_call.ask(FORGET_PROJECT, replace(asked, dry_run=True))
        if dry_run or not _agreed(found, now):
            if dry_run:
                _report(found, as_json)
            return
    done = client_call.ask(FORGET_PROJECT, asked)
    _report(done, as_json)
    if not done.is_clean:
        output.warn(
            "Another process is still reading an older state, so traces are left. The next command cleans them."
        )
        ctx.exit(EXIT_PARTLY)


def _agreed(found: ForgottenProject, now: bool) -> bool:
    if sys.stdin.isatty():
        _show_holding(found.holding)
    how = "for good" if now else "(undo is possible)"
    return output.confirmed(
        f"Forget everything of {found.project} {how}?",
        "There is no terminal to ask in; add --yes, or --dry-run to see what it would be.",
    )


def _report(done: ForgottenProject, as_json: bool) -> None:
    if as_json:
        about = {"outcome": done.outcome, "project": done.project, "undo": done.undo}
        output.say_json({**about, "held": holding_json(done.holding)})
        return
    back = "" if done.undo is None else f"; `recollect undo {done.undo}` brings it back"
    output.say(f"{', '.join(counts(done.holding)) or 'Its names'} of {done.project} {done.outcome}{back}.")


def _show(files: list[Stored], kept: list[Holding]) -> None:
    output.say(output.styled("Files", bold=True))
    for file in files:
        many = f", {file.files:,} files" if file.files > 1 else ""
        head = output.styled(f"{file.what:{BESIDE}}", dim=True)
        output.say_beside(head, BESIDE, f"{size(file.size_bytes)}{many}  {file.path}")
    output.heading("Kept" if kept else "Nothing is kept yet.")
    for one in kept:
        _show_holding(one)


def _show_holding(one: Holding) -> None:
    name = PLACES.get(one.place, one.place.replace("language:", "in every project of the language "))
    output.say(output.styled(name, fg="cyan"))
    told = [", ".join(counts(one)), size(one.text_bytes) + " of text" if one.text_bytes else "", _time(one)]
    output.say_beside("  ", 2, "; ".join(filter(None, told)) or "only its names")


def counts(one: Holding) -> list[str]:
    return [output.many(getattr(one, name), single, many) for name, single, many in COUNTED if getattr(one, name)]


def _time(one: Holding) -> str:
    if one.oldest is None or one.newest is None:
        return ""
    first, last = output.day(one.oldest), output.day(one.newest)
    return first if first == last else f"{first} to {last}"


def size(count: int) -> str:
    """`12.3 MB`, `4.0 kB`, `12 bytes`"""
    for unit, many in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= many:
            return f"{count / many:.1f} {unit}"
    return f"{count} bytes"


def _file_json(file: Stored) -> dict[str, Any]:
    changed = datetime.fromtimestamp(file.changed, UTC).isoformat()
    return {
        "what": file.what,
        "path": str(file.path),
        "files": file.files,
        "bytes": file.size_bytes,
        "changed": changed,
    }


def holding_json(one: Holding) -> dict[str, Any]:
    figures = {name: getattr(one, name) for name, _, _ in COUNTED}
    oldest, newest = (None if moment is None else moment.isoformat() for moment in (one.oldest, one.newest))
    return {"place": one.place, **figures, "text_bytes": one.text_bytes, "oldest": oldest, "newest": newest}
