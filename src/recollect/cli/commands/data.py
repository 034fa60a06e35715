"""`recollect data`: how much is stored where, and how old it is; `recollect data forget`: forget a whole project."""

import sys
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, assert_never

import click

from recollect import wiring
from recollect.api.data import DATA, FORGET_PROJECT, Data, ForgetProject, ForgottenProject
from recollect.cli import client_call, complete_values, context, direct
from recollect.cli.commands.forget import NOT_A_TERMINAL, dry_run_option, now_option, warn_of_traces
from recollect.cli.diagnosis.own_files import Stored, measure_files
from recollect.cli.display import output
from recollect.domain.outcome import Deleted, Hidden, Planned, tag_of
from recollect.domain.project import StoredCounts
from recollect.paths import find_paths

# Fields of StoredCounts, with their names for one and for several.
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
    "universal": "universal, for every project",
    "no project": "outside any project",
    "forgotten": "forgotten projects, until the undo window ends",
}
NAME_COLUMNS = 10


@click.group(
    invoke_without_command=True,
    epilog="""\b
Examples:
  recollect data
  recollect data --json
  recollect data forget git:github.com/acme/shop --dry-run""",
)
@direct.option
@output.json_option
@click.pass_context
def data(ctx: click.Context, as_json: bool) -> None:
    """Show what Recollect stores, with size and age.

    `recollect data forget` forgets a whole project."""
    if ctx.invoked_subcommand is not None:
        return
    places = find_paths()
    files = measure_files(places)
    holdings = []
    if wiring.existing_database(places.database) is not None:
        holdings = client_call.run_operation(DATA, Data(folder=context.folder_to_look_in(), by=context.BY)).holdings
    if as_json:
        output.say_json({"files": list(map(_file_json, files)), "projects": list(map(holding_json, holdings))})
    elif sys.stdout.isatty():
        _show(files, holdings)
    else:
        if not holdings:
            output.say_nothing("Nothing is stored yet.")
        for file in files:
            output.say("\t".join(["file", file.what, str(file.size_bytes), str(file.path)]))
        for one in holdings:
            output.say("\t".join(["project", one.place, str(one.text_bytes), *counts(one), _dates(one)]))


@data.command(
    epilog="""\b
Examples:
  recollect data forget --dry-run
  recollect data forget git:github.com/acme/shop"""
)
@click.argument("project", required=False, shell_complete=complete_values.project_ids)
@now_option
@dry_run_option
@context.yes_option
@direct.option
@output.json_option
@click.pass_context
def forget(ctx: click.Context, project: str | None, now: bool, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Forget a whole project (default: this folder's project).

    Recollect forgets the memories of the project with their history, the stored messages and summaries of its sessions,
    the log of what models saw, and the names of the project. Recollect hides these data immediately and deletes them
    after the undo time: a day, unless you change the setting forget.undo_hours. Until then `recollect undo` restores
    the project."""
    asked = ForgetProject(project=project, now=now, folder=client_call.current_folder(project), by=context.BY)
    if dry_run or not yes:
        found = client_call.run_operation(FORGET_PROJECT, replace(asked, dry_run=True))
        if dry_run:
            _report(found, as_json)
            return
        if not _confirm(found, now):
            return
    done = client_call.run_operation(FORGET_PROJECT, asked)
    _report(done, as_json)
    warn_of_traces(ctx, done.outcome)


def _confirm(found: ForgottenProject, now: bool) -> bool:
    if sys.stdin.isatty():
        _show_holding(found.holding)
    how = "for good" if now else "(undo is possible)"
    return output.confirm(f"Forget everything of {found.project} {how}?", NOT_A_TERMINAL)


def _report(done: ForgottenProject, as_json: bool) -> None:
    if as_json:
        undo = done.outcome.undo if isinstance(done.outcome, Hidden) else None
        about = {"outcome": tag_of(done.outcome), "project": done.project, "undo": undo}
        output.say_json({**about, "held": holding_json(done.holding)})
        return
    what = f"{', '.join(counts(done.holding)) or 'Its names'} of {done.project} {tag_of(done.outcome)}"
    match done.outcome:
        case Hidden(undo):
            output.say(f"{what}; `recollect undo {undo}` brings it back.")
        case Planned() | Deleted():
            output.say(f"{what}.")
        case _ as never:
            assert_never(never)


def _show(files: list[Stored], holdings: list[StoredCounts]) -> None:
    output.say(output.style_text("Files", bold=True))
    for file in files:
        many = f", {file.files:,} files" if file.files > 1 else ""
        head = output.style_text(f"{file.what:{NAME_COLUMNS}}", dim=True)
        output.say_beside(head, NAME_COLUMNS, f"{size(file.size_bytes)}{many}  {file.path}")
    output.heading("Stored" if holdings else "Nothing is stored yet.")
    for one in holdings:
        _show_holding(one)


def _show_holding(one: StoredCounts) -> None:
    name = PLACES.get(one.place, one.place.replace("language:", "every project in the language "))
    output.say(output.style_text(name, fg="cyan"))
    parts = [", ".join(counts(one)), _dates(one)]
    if one.text_bytes:
        parts.insert(1, f"{size(one.text_bytes)} of text")
    output.say_beside("  ", 2, "; ".join(filter(None, parts)) or "only its names")


def counts(one: StoredCounts) -> list[str]:
    return [output.many(getattr(one, name), single, many) for name, single, many in COUNTED if getattr(one, name)]


def _dates(one: StoredCounts) -> str:
    if one.oldest is None or one.newest is None:
        return ""
    first, last = output.day(one.oldest), output.day(one.newest)
    return first if first == last else f"{first} to {last}"


def size(count: int) -> str:
    for unit, many in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= many:
            return f"{count / many:.1f} {unit}"
    return f"{count} bytes"


def _file_json(file: Stored) -> dict[str, Any]:
    return {
        "what": file.what,
        "path": str(file.path),
        "files": file.files,
        "bytes": file.size_bytes,
        "changed": datetime.fromtimestamp(file.changed, UTC).isoformat(),
    }


def holding_json(one: StoredCounts) -> dict[str, Any]:
    return {
        "place": one.place,
        **{name: getattr(one, name) for name, _, _ in COUNTED},
        "text_bytes": one.text_bytes,
        "oldest": one.oldest and one.oldest.isoformat(),
        "newest": one.newest and one.newest.isoformat(),
    }
