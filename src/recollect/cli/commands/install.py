"""`recollect install` and `recollect uninstall`"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import click

from recollect import config
from recollect.cli import context
from recollect.cli.display import output
from recollect.client import DAEMON_COMMAND
from recollect.domain.errors import InstallError, InvalidSettings
from recollect.domain.settings import Provider
from recollect.install import changes, command, extraction, opencode
from recollect.install.changes import ChangeKind, FileEdit
from recollect.install.opencode import OpenCodeFolder, Plan
from recollect.workspace.git import root_of

COLOURS = {"+": "green", "-": "red", "@": "cyan"}
CHANGE_COLUMNS = 10
WOULD = "would "
INFINITIVES = {ChangeKind.CREATED: "create", ChangeKind.UPDATED: "update", ChangeKind.REMOVED: "remove"}
NOT_TO_COMMIT = (
    "The entry names {}, a path of this machine. Do not commit it; or put `recollect` on your PATH and install again."
)
OFFER = (
    "Recollect learns by rules alone. If you like, OpenCode's own small model reads each session too, once, when it is "
    "quiet, and names what is worth keeping. The question costs about 700 tokens of that model a session (nine in ten "
    "below 1,200, never more than 4,500 with its answer), and all of them at most 50,000 a day. It goes to the "
    "provider that OpenCode uses anyway, and nowhere else. `recollect install opencode --no-extract` switches it off."
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
@click.option(
    "--extract/--no-extract",
    default=None,
    help="Let HOST's own small model read each session once, or no more. Without it you are asked; unasked, it is off.",
)
@output.json_option
def install(
    host: str,  # noqa: ARG001
    in_project: bool,
    for_user: bool,
    dry_run: bool,
    extract: bool | None,
    as_json: bool,
) -> None:
    """Connect HOST with Recollect: its plugin, and the tools of `recollect mcp` in its configuration.

    Every changed line of your configuration is shown, comments and all else in it stay. A second time updates what is
    older, or changes nothing.
    """
    place = _place(in_project, for_user)
    absolute = command.bridge_command()
    named = command.bridge_command_by_name() if in_project else absolute
    commands = {"command": DAEMON_COMMAND, "mcp": absolute}
    notes = [NOT_TO_COMMIT.format(named[0])] if in_project and named == absolute else []
    settings = config.places().settings
    provider = extraction.provider_in(settings)
    if extract is None and provider is Provider.OFF and not (dry_run or as_json):
        extract = _wants_extraction() or None
    if extract is not None and provider not in (Provider.OFF, Provider.HOST):
        notes.append(f'{settings} names a provider of its own, "{provider}", which stays.')
        extract = None

    def plan() -> Plan:
        file = config.places().command
        planned = opencode.plan_install(place, named, file, _record(), commands)
        switch = [] if extract is None else [extraction.switched(settings, on=extract)]
        switch = [edit for edit in switch if edit.change is not ChangeKind.UNCHANGED]
        return replace(planned, edits=(*switch, *planned.edits), notes=(*planned.notes, *notes))

    done = _carried_out(plan, dry_run)
    with _perhaps_unheard(is_done=not dry_run):
        _tell(place, done, dry_run, as_json, chosen=in_project or for_user)
        if not (dry_run or as_json):
            _say_how_to_try(place, is_new=_changes(done))


@click.command()
@_host
@_project
@_user
@_dry_run
@output.json_option
def uninstall(host: str, in_project: bool, for_user: bool, dry_run: bool, as_json: bool) -> None:  # noqa: ARG001
    """Disconnect HOST from Recollect: takes out what install put in. Memories are kept."""
    place = _place(in_project, for_user)
    done = _carried_out(lambda: opencode.plan_uninstall(place, _record()), dry_run, place.folders)
    with _perhaps_unheard(is_done=not dry_run):
        _tell(place, done, dry_run, as_json, chosen=in_project or for_user)
        if not (done.edits or as_json):
            output.say_beside("", 0, f"Nothing of Recollect is installed for OpenCode in {place.folder}.")
        elif not (dry_run or as_json):
            output.say("\nYour memories are kept. Restart OpenCode.")


def _wants_extraction() -> bool:
    """Asked where a person can answer; nobody else is taken to agree."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    output.say_beside("", 0, OFFER)
    return click.confirm("Switch it on?", default=False)


def _record() -> Path:
    """Which configurations install made: beside what it notes for plugins."""
    return config.places().command.with_name("installed.json")


def _place(in_project: bool, for_user: bool) -> OpenCodeFolder:
    if in_project and for_user:
        raise click.UsageError("Either --project or --user: one place at a time.")
    if os.environ.get("HOME") == "":  # Python takes / for it then
        raise InvalidSettings("HOME is empty; it takes the whole path of a folder, from / on.")
    if in_project:
        return opencode.of_project(root_of(context.folder()))
    return user_place()


def user_place() -> OpenCodeFolder:
    return opencode.of_user(config.places().settings.parent.parent)  # ours lies beside those of all programs


def _carried_out(plan: Callable[[], Plan], dry_run: bool, emptied: Sequence[Path] = ()) -> Plan:
    """Done before a word is said of it: who does not read on (`| head -3`) gets all of it, too."""
    state = config.places().command.parent
    if dry_run or not state.is_dir():  # what is refused leaves no trace, not even the folder of the lock
        planned = plan()
        changes.check(planned.edits)
        if dry_run or not _changes(planned):
            return planned
    with changes.alone(state):
        planned = plan()
        if _changes(planned):
            changes.make(planned.edits, emptied)
    return planned


def _changes(plan: Plan) -> bool:
    return any(edit.change is not ChangeKind.UNCHANGED for edit in plan.edits)


@contextmanager
def _perhaps_unheard(*, is_done: bool) -> Iterator[None]:
    """Nobody reads on: that is no error. What cannot be written for another reason does not undo what is done."""
    try:
        yield
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115  # it stays open to the end
    except OSError as error:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115
        outcome = "All of it is done" if is_done else "Nothing was changed"
        raise InstallError(f"{outcome}, but what was to be said cannot be written: {error.strerror}.") from error


def _tell(place: OpenCodeFolder, plan: Plan, dry_run: bool, as_json: bool, *, chosen: bool) -> None:
    if as_json:
        steps = [_as_json(edit) for edit in plan.edits]
        output.say_json({"place": place.name, "dry_run": dry_run, "steps": steps, "notes": list(plan.notes)})
    else:
        _show(place, plan, dry_run, chosen)


def _show(place: OpenCodeFolder, plan: Plan, dry_run: bool, chosen: bool) -> None:
    if plan.edits:
        whose = f"this project alone, {place.root}" if place.root else "you, in every project"
        other = "" if chosen else " (`--project`: for this one alone)"
        output.say_beside("", 0, f"OpenCode for {whose}{other}{', nothing is changed yet' if dry_run else ''}:")
        output.say("")
    for edit in plan.edits:
        _say_edit(edit, dry_run)
    notes = [*plan.notes]
    if place.root and not (place.root / ".git").exists():
        what = "your home folder" if place.root == Path.home() else "in no git repository"
        notes.append(f"{place.root} is {what}: this folder itself is taken for the project.")
    for note in notes:
        output.remark(note)


def _as_json(edit: FileEdit) -> dict[str, object]:
    told: dict[str, object] = {"change": edit.change, "path": str(edit.path)}
    return told if edit.is_ours else told | {"diff": changes.diff_of(edit)}


def _say_edit(edit: FileEdit, dry_run: bool) -> None:
    held = (edit.after or edit.before or b"").count(b"\n")
    sign = {ChangeKind.CREATED: f" (+ new file, {output.many(held, 'line')})", ChangeKind.REMOVED: f" (- {held} lines)"}
    would = dry_run and edit.change is not ChangeKind.UNCHANGED
    columns = CHANGE_COLUMNS + (len(WOULD) if dry_run else 0)
    head = f"{WOULD}{INFINITIVES[edit.change]}" if would else edit.change
    output.say_beside(f"{head:{columns}}", columns, f"{edit.path}{sign.get(edit.change, '') if edit.is_ours else ''}")
    if edit.is_ours or edit.change is ChangeKind.UNCHANGED:
        return
    for line in changes.diff_of(edit):
        output.say(f"  {output.styled(line, fg=COLOURS.get(line[:1]))}")


def _say_how_to_try(place: OpenCodeFolder, *, is_new: bool) -> None:
    if not is_new:
        output.say("")
        output.say_beside("", 0, "It was connected already. `recollect doctor` says whether all is well.")
        return
    where = " in this project" if place.root else ""
    output.say("")
    output.say_beside("", 0, f'Try it: restart `opencode`{where} and tell it "Remember that we deploy with Helm."')
    output.say_beside(
        "", 0, "Then begin a new session and ask how you deploy. `recollect doctor` says whether all is well."
    )
