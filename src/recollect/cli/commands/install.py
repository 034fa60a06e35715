"""`recollect install` and `recollect uninstall`"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import click

from recollect.cli import context
from recollect.cli.display import output
from recollect.client import DAEMON_COMMAND
from recollect.domain.errors import InstallError, InvalidSettings
from recollect.domain.settings import Provider
from recollect.install import changes, command, extractor_setting, opencode
from recollect.install.changes import ChangeKind, FileEdit
from recollect.install.opencode import OpenCodeFolder, Plan
from recollect.paths import find_paths
from recollect.workspace.git import root_of

COLOURS = {"+": "green", "-": "red", "@": "cyan"}
CHANGE_COLUMNS = 10
WOULD = "would "
INFINITIVES = {ChangeKind.CREATED: "create", ChangeKind.UPDATED: "update", ChangeKind.REMOVED: "remove"}
NOT_TO_COMMIT = (
    "The entry names {}, a path of this machine. Do not commit it; or put `recollect` on your PATH and install again."
)
OFFER = (
    "Recollect learns by rules alone. If you like, OpenCode's own small model also reads each session once, when the "
    "session is idle, and names what is worth keeping. This costs about 700 tokens of that model per session (nine in "
    "ten sessions below 1,200, never more than 4,500 with the answer), and at most 50,000 a day in total. The text "
    "goes only to the provider that OpenCode already uses. `recollect install opencode --no-extract` turns it off."
)
DOCTOR = "`recollect doctor` checks that everything works."

_host = click.argument("host", type=click.Choice(["opencode"]))
_project = click.option(
    "--project", "in_project", is_flag=True, help="Only for this folder's project, in its folder .opencode."
)
_user = click.option("--user", "for_user", is_flag=True, help="For all projects, in ~/.config/opencode (default).")
_dry_run = click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")


@click.command()
@_host
@_project
@_user
@_dry_run
@click.option(
    "--extract/--no-extract",
    default=None,
    help="Let the small language model of the host read each session once, to find more memories than the rules of "
    "Recollect find. This costs tokens. Default: off. In a terminal, Recollect asks you.",
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
    """Connect a host such as OpenCode to Recollect.

    Recollect installs the plugin and adds the tools of `recollect mcp` to the configuration of the host. It shows every
    changed line and keeps all other lines and comments. If you run the command again after an upgrade of Recollect, it
    updates the plugin and the configuration."""
    place = _place(in_project, for_user)
    absolute = command.bridge_command()
    named = command.bridge_command_by_name() if in_project else absolute
    commands = {"command": DAEMON_COMMAND, "mcp": absolute}
    notes = []
    if in_project and named == absolute:
        notes.append(NOT_TO_COMMIT.format(named[0]))
    settings = find_paths().settings
    provider = extractor_setting.provider_in(settings)
    if extract is None and provider is Provider.OFF and not (dry_run or as_json):
        extract = _wants_extraction() or None
    if extract is not None and provider not in (Provider.OFF, Provider.HOST):
        notes.append(f'{settings} sets another provider, "{provider}"; it was not changed.')
        extract = None

    def plan() -> Plan:
        file = find_paths().command
        planned = opencode.plan_install(place, named, file, _record_file(), commands)
        edits = list(planned.edits)
        if extract is not None:
            switch = extractor_setting.switch_provider(settings, on=extract)
            if switch.change is not ChangeKind.UNCHANGED:
                edits.insert(0, switch)
        return replace(planned, edits=tuple(edits), notes=(*planned.notes, *notes))

    done = _carry_out(plan, dry_run)
    with _surviving_closed_output(is_done=not dry_run):
        _report(place, done, dry_run, as_json, chosen=in_project or for_user)
        if not (dry_run or as_json):
            _say_how_to_try(place, is_new=_has_changes(done))


@click.command()
@_host
@_project
@_user
@_dry_run
@output.json_option
def uninstall(host: str, in_project: bool, for_user: bool, dry_run: bool, as_json: bool) -> None:  # noqa: ARG001
    """Disconnect a host: remove what `recollect install` added. Memories are kept."""
    place = _place(in_project, for_user)
    done = _carry_out(lambda: opencode.plan_uninstall(place, _record_file()), dry_run, place.folders)
    with _surviving_closed_output(is_done=not dry_run):
        _report(place, done, dry_run, as_json, chosen=in_project or for_user)
        if not (done.edits or as_json):
            output.say_beside("", 0, f"Recollect is not installed for OpenCode in {place.folder}.")
        elif not (dry_run or as_json):
            output.say("\nYour memories are kept. Restart OpenCode.")


def _wants_extraction() -> bool:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    output.say_beside("", 0, OFFER)
    return click.confirm("Turn it on?", default=False)


def _record_file() -> Path:
    """Return the file that lists the configurations that install made; it is beside the plugins' command file."""
    return find_paths().command.with_name("installed.json")


def _place(in_project: bool, for_user: bool) -> OpenCodeFolder:
    if in_project and for_user:
        raise click.UsageError("Use either --project or --user.")
    if os.environ.get("HOME") == "":  # Python would use / then
        raise InvalidSettings("HOME is empty; set it to the absolute path of your home folder.")
    if in_project:
        return opencode.project_folder(root_of(context.folder()))
    return opencode.user_folder(find_paths().settings.parent.parent)  # the folder of all programs' settings


def _carry_out(plan: Callable[[], Plan], dry_run: bool, emptied: Sequence[Path] = ()) -> Plan:
    """Make all changes before the first line of output: with `| head -3`, printing may be cut short."""
    state = find_paths().command.parent
    if dry_run or not state.is_dir():  # a refused plan leaves no trace, not even the folder of the lock
        planned = plan()
        changes.check_edits(planned.edits)
        if dry_run or not _has_changes(planned):
            return planned
    with changes.lock_installation(state):
        planned = plan()
        if _has_changes(planned):
            changes.apply_edits(planned.edits, emptied)
    return planned


def _has_changes(plan: Plan) -> bool:
    return any(edit.change is not ChangeKind.UNCHANGED for edit in plan.edits)


@contextmanager
def _surviving_closed_output(*, is_done: bool) -> Iterator[None]:
    """Ignore a reader that stops reading; report any other write error, together with the outcome."""
    try:
        yield
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115  # stays open until the end
    except OSError as error:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115
        outcome = "All changes were made" if is_done else "Nothing was changed"
        raise InstallError(f"{outcome}, but the output cannot be written: {error.strerror}.") from error


def _report(place: OpenCodeFolder, plan: Plan, dry_run: bool, as_json: bool, *, chosen: bool) -> None:
    if as_json:
        steps = list(map(_edit_json, plan.edits))
        output.say_json({"place": place.name, "dry_run": dry_run, "steps": steps, "notes": list(plan.notes)})
        return
    if plan.edits:
        whose = f"this project only, {place.root}" if place.root else "you, in every project"
        other = "" if chosen else " (`--project`: only for this one)"
        output.say_beside("", 0, f"OpenCode for {whose}{other}{', nothing is changed yet' if dry_run else ''}:")
        output.say("")
    for edit in plan.edits:
        _say_edit(edit, dry_run)
    for note in plan.notes:
        output.remark(note)
    if place.root and not (place.root / ".git").exists():
        what = "your home folder" if place.root == Path.home() else "not in a git repository"
        output.remark(f"{place.root} is {what}: the folder itself is used as the project.")


def _edit_json(edit: FileEdit) -> dict[str, object]:
    record: dict[str, object] = {"change": edit.change, "path": str(edit.path)}
    return record if edit.is_ours else record | {"diff": changes.diff_of(edit)}


def _say_edit(edit: FileEdit, dry_run: bool) -> None:
    head, columns = str(edit.change), CHANGE_COLUMNS
    if dry_run:
        columns += len(WOULD)
        if edit.change is not ChangeKind.UNCHANGED:
            head = f"{WOULD}{INFINITIVES[edit.change]}"
    output.say_beside(f"{head:{columns}}", columns, f"{edit.path}{_size(edit) if edit.is_ours else ''}")
    if edit.is_ours or edit.change is ChangeKind.UNCHANGED:
        return
    for line in changes.diff_of(edit):
        output.say(f"  {output.style_text(line, fg=COLOURS.get(line[:1]))}")


def _size(edit: FileEdit) -> str:
    lines = (edit.after or edit.before or b"").count(b"\n")
    if edit.change is ChangeKind.CREATED:
        return f" (+ new file, {output.many(lines, 'line')})"
    return f" (- {lines} lines)" if edit.change is ChangeKind.REMOVED else ""


def _say_how_to_try(place: OpenCodeFolder, *, is_new: bool) -> None:
    output.say("")
    if not is_new:
        output.say_beside("", 0, f"Already connected. {DOCTOR}")
        return
    where = " in this project" if place.root else ""
    output.say_beside("", 0, f'Try it: restart `opencode`{where} and tell it "Remember that we deploy with Helm."')
    output.say_beside("", 0, f"Then begin a new session and ask how you deploy. {DOCTOR}")
