"""Puts the OpenCode plugin into a project and takes it out again. Touches its own file only."""

import json
import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from recollect.domain.errors import InstallError

MARK = "Recollect for OpenCode"  # stands in the first line of the plugin: a file without it is not ours
PLUGIN = "recollect.ts"


class Change(StrEnum):
    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Step:
    change: Change
    path: Path


def install(project: Path, command_file: Path, daemon_command: Sequence[str]) -> list[Step]:
    """The plugin into the project; the absolute command that starts the daemon into the user's own state folder."""
    if not project.is_dir():
        raise InstallError(f"There is no folder {project}.")
    target = plugin_path(project)
    _check_ours(target)
    command = json.dumps({"command": list(daemon_command)}, indent=2) + "\n"
    # The command first: a plugin without it could never start its daemon.
    noted = _put(command_file, command, private_folder=True)  # the daemon's log will lie there too
    source = plugin_source()
    parts = sorted((source.parent / "recollect").glob("*.ts"))
    steps = [_put(target.parent / "recollect" / part.name, part.read_text(encoding="utf-8")) for part in parts]
    return [*steps, _put(target, source.read_text(encoding="utf-8")), noted]


def uninstall(project: Path) -> list[Step]:
    target = plugin_path(project)
    if not target.exists():
        return [Step(Change.UNCHANGED, target)]
    _check_ours(target)
    target.unlink()
    for folder in (target.parent, target.parent.parent):
        with suppress(OSError):  # somebody else's files are in it
            folder.rmdir()
    return [Step(Change.REMOVED, target)]


def plugin_path(project: Path) -> Path:
    return project / ".opencode" / "plugin" / PLUGIN


def plugin_source() -> Path:
    """In a wheel the plugin is package data; in a checkout it lies beside `src`."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "plugins", package.parent.parent / "plugins"):
        if (folder / "opencode" / PLUGIN).is_file():
            return folder / "opencode" / PLUGIN
    raise InstallError("The OpenCode plugin is missing from this installation; install Recollect again.")


def _check_ours(target: Path) -> None:
    if not target.exists() and not target.is_symlink():
        return
    if not target.is_file():
        raise InstallError(f"{target} is not a file of ours; move it away first. Nothing was changed.")
    with target.open(encoding="utf-8", errors="replace") as file:
        if MARK not in file.readline():
            raise InstallError(f"{target} is not ours; move it away first. Nothing was changed.")


def _put(path: Path, text: str, *, private_folder: bool = False) -> Step:
    """Whole or not at all: a half-written plugin would silently be no plugin."""
    change = Change.UPDATED if path.exists() else Change.CREATED
    try:
        if change is Change.UPDATED and path.read_text(encoding="utf-8") == text:
            return Step(Change.UNCHANGED, path)
        path.parent.mkdir(mode=0o700 if private_folder else 0o777, parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".recollect-")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
            Path(name).chmod(0o644)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InstallError(f"{path} cannot be written: {error.strerror or error}.") from error
    return Step(change, path)
