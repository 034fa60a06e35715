"""`recollect install` and `recollect uninstall`"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from recollect import config
from recollect.cli import context, output
from recollect.client import DAEMON_COMMAND
from recollect.install import changes, command, opencode
from recollect.install.changes import Change, Edit
from recollect.install.opencode import Place, Plan
from recollect.workspace.git import root_of

COLOURS = {"+": "green", "-": "red", "@": "cyan"}
CHANGE_COLUMNS = 10
NOT_TO_COMMIT = (
    "The entry names {}, a path of this machine. Do not commit it; or put `recollect` on your PATH and install again."
)

_host = click.argument("host", type=click.Choice(["opencode"]))
_project = click.option(
    "--project", "in_project", is_flag=True, help="In the project of this folder alone: .opencode at its top."
)
_user = click.option(
    "--user", "for_user", is_flag=True, help="For you, in every project: ~/.config/opencode. The default."
)
_dry_run = click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")


@click.command()
@_host
@_project
@_user
@_dry_run
@output.json_option
def install(host: str, in_project: bool, for_user: bool, dry_run: bool, as_json: bool) -> None:  # noqa: ARG001
    """Connect HOST with Recollect: its plugin, and the tools of `recollect mcp` in its configuration.

    Every changed line of your configuration is shown, comments and all else in it stay. A second time updates what is
    older, or changes nothing.
    """
    place = _place(in_project, for_user)
    absolute = command.bridge_command()
    named = command.bridge_command_by_name() if in_project else absolute
    commands = {"command": DAEMON_COMMAND, "mcp": absolute}
    plan = opencode.plan_install(place, named, config.places().command, commands)
    if in_project and named == absolute:
        plan = replace(plan, notes=(*plan.notes, NOT_TO_COMMIT.format(named[0])))
    _carry_out(place, plan, dry_run, as_json, chosen=in_project or for_user)
    if not (dry_run or as_json):
        _say_how_to_try(place)


@click.command()
@_host
@_project
@_user
@_dry_run
@output.json_option
def uninstall(host: str, in_project: bool, for_user: bool, dry_run: bool, as_json: bool) -> None:  # noqa: ARG001
    """Disconnect HOST from Recollect: takes out what install put in. Memories are kept."""
    place = _place(in_project, for_user)
    plan = opencode.plan_uninstall(place)
    _carry_out(place, plan, dry_run, as_json, chosen=in_project or for_user, emptied=place.folders)
    if as_json:
        return
    if not plan.edits:
        output.say(f"Nothing of Recollect is installed for OpenCode in {place.folder}.")
    elif not dry_run:
        output.say("\nYour memories are kept. Restart OpenCode.")


def _place(in_project: bool, for_user: bool) -> Place:
    if in_project and for_user:
        raise click.UsageError("Either --project or --user: one place at a time.")
    if in_project:
        return opencode.of_project(root_of(context.folder()))
    return user_place()


def user_place() -> Place:
    return opencode.of_user(config.places().settings.parent.parent)  # ours lies beside those of all programs


def _carry_out(
    place: Place, plan: Plan, dry_run: bool, as_json: bool, *, chosen: bool, emptied: Sequence[Path] = ()
) -> None:
    """People see the changes before they are made, scripts when they are."""
    changes.check(plan.edits)
    if not as_json:
        _show(place, plan, dry_run, chosen)
    if not dry_run and plan.edits:
        changes.make(plan.edits, emptied)
    if as_json:
        steps = [_as_json(edit) for edit in plan.edits]
        output.say_json({"place": place.name, "dry_run": dry_run, "steps": steps, "notes": list(plan.notes)})


def _show(place: Place, plan: Plan, dry_run: bool, chosen: bool) -> None:
    if plan.edits:
        whose = "this project alone" if place.name == "project" else "you, in every project"
        other = "" if chosen else " (`--project`: for this one alone)"
        output.say(f"OpenCode for {whose}{other}{', nothing is changed yet' if dry_run else ''}:\n")
    for edit in plan.edits:
        _say_edit(edit)
    for note in plan.notes:
        output.warn(note)


def _as_json(edit: Edit) -> dict[str, object]:
    told: dict[str, object] = {"change": edit.change, "path": str(edit.path)}
    return told if edit.is_ours else told | {"diff": changes.diff_of(edit)}


def _say_edit(edit: Edit) -> None:
    held = (edit.after or edit.before or b"").count(b"\n")
    sign = {Change.CREATED: f" (+ new file, {output.many(held, 'line')})", Change.REMOVED: f" (- {held} lines)"}
    output.say(f"{edit.change:{CHANGE_COLUMNS}}{edit.path}{sign.get(edit.change, '') if edit.is_ours else ''}")
    if edit.is_ours or edit.change is Change.UNCHANGED:
        return
    for line in changes.diff_of(edit):
        output.say(f"  {output.styled(line, fg=COLOURS.get(line[:1]))}")


def _say_how_to_try(place: Place) -> None:
    where = " in this project" if place.name == "project" else ""
    output.say(f'\nTry it: restart `opencode`{where} and tell it "Remember that we deploy with Helm."')
    output.say("Then begin a new session and ask how you deploy. `recollect doctor` says whether all is well.")
