"""Findings of `recollect doctor` about this installation: version, folder, the command that hosts start, and OpenCode.

It starts no host: that takes a second and leaves folders behind."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import recollect
from recollect import __version__
from recollect.cli import context
from recollect.client import DAEMON_COMMAND, DAEMON_ENV
from recollect.domain.errors import InstallError
from recollect.domain.health import Finding, fine, note, problem
from recollect.install import opencode
from recollect.install.opencode import ConfigEntry, OpenCodeFolder
from recollect.paths import Paths
from recollect.workspace.git import root_of

PRINT_VERSION = "import recollect.daemon; print(recollect.__version__)"
IMPORT_S = 20.0  # for a cold disk; usually it takes a tenth of a second
TESTED = (1, 18)  # the OpenCode version that every moment is tested with
REINSTALL = "`recollect install opencode` writes it again, with the current Python."


def installation_findings() -> Iterator[Finding]:
    python = sys.version.split()[0]
    yield fine("version", f"Recollect {__version__} in {Path(recollect.__file__).parent}, Python {python}")


def command_findings(places: Paths) -> Iterator[Finding]:
    """Hooks and plugins do not search PATH: they start the interpreter that `install` wrote down for them."""
    command = _read_command(places.command, "command")
    if isinstance(command, Finding):
        yield command
        return
    yield from _mcp_findings(places.command)
    interpreter = Path((command or DAEMON_COMMAND)[0])
    advice = REINSTALL if command else "Install Recollect again."
    who = "hosts start" if command else "hooks and commands start"
    if not os.access(interpreter, os.X_OK):
        yield problem("hooks", f"{interpreter}, with which {who} the daemon, no longer exists", advice)
        return
    version = _version_of(interpreter)
    if version is None:
        yield problem("hooks", f"{interpreter}, with which {who} the daemon, cannot load Recollect", advice)
    elif version != __version__:
        yield note("hooks", f"hosts start the daemon of Recollect {version}, with {interpreter}", advice)
    else:
        installed = "" if command else "no plugin is installed yet; "
        yield fine("hooks", f"{installed}{who} the daemon with {interpreter}")


def _read_command(file: Path, name: str) -> Sequence[str] | Finding | None:
    """Read the command that hosts start under this name; None: none is written down."""
    try:
        command = json.loads(file.read_text(encoding="utf-8"))[name]
    except FileNotFoundError:
        return None
    except KeyError:
        if name != "command":
            return None  # an older version wrote only the daemon's command
        command = None
    except (OSError, ValueError, TypeError):
        command = None
    if not isinstance(command, list) or not command or not all(isinstance(word, str) for word in command):
        return problem("hooks", f"{file} cannot be read: hosts cannot start the daemon", REINSTALL)
    return command


def _mcp_findings(file: Path) -> Iterator[Finding]:
    command = _read_command(file, "mcp")
    if isinstance(command, Finding):
        yield command
    elif command and not os.access(command[0], os.X_OK):
        yield problem("hooks", f"{command[0]}, with which plugins start the tools, no longer exists", REINSTALL)


def _version_of(interpreter: Path) -> str | None:
    """Ask the interpreter as the daemon is started: in another folder, and with the daemon's environment alone."""
    try:
        done = subprocess.run(
            [interpreter, "-c", PRINT_VERSION],
            capture_output=True,
            cwd="/",
            env={name: value for name, value in os.environ.items() if DAEMON_ENV.fullmatch(name)},
            timeout=IMPORT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace").strip()


def opencode_findings(places: Paths) -> Iterator[Finding]:
    yield from _client()
    folder = context.folder_to_look_in()
    here = [opencode.user_folder(places.settings.parent.parent)]
    if folder:
        here.append(opencode.project_folder(root_of(Path(folder))))
    connected = [place for place in here if place.plugin.exists()]
    if not connected:
        advice = "`recollect install opencode` connects it in every project; with `--project`, only in this one."
        yield note("opencode", "not connected", advice)
    for place in connected:
        yield _plugin(place)
    if len(connected) > 1:
        says = "connected twice, for you and in this project: one of the two stays silent"
        yield note("opencode", says, "That does no harm; `recollect uninstall opencode --project` removes one.")
    yield from _tools(here, is_connected=bool(connected))


def _client() -> Iterator[Finding]:
    found = shutil.which("opencode")
    if found is None:
        yield note("opencode", "`opencode` is not on your PATH", "If you use it: `npm install -g opencode-ai`.")
        return
    version = _client_version(Path(found))
    if version is None:
        yield fine("opencode", f"{found}")
        return
    says = f"{found} is version {_version_text(version)}; Recollect was tested with {_version_text(TESTED)}"
    if version[:1] > TESTED[:1]:
        yield note("opencode", says, "If nothing is remembered there, upgrade Recollect; the client itself is safe.")
    elif version < TESTED:
        yield note("opencode", says, "`npm install -g opencode-ai` upgrades it.")
    else:
        yield fine("opencode", f"{found}, version {_version_text(version)}")


def _client_version(found: Path) -> tuple[int, ...] | None:
    """Read its package file; None: it was installed another way, and asking it would start it."""
    try:
        package = json.loads((found.resolve().parent.parent / "package.json").read_text(encoding="utf-8"))
        return tuple(map(int, package["version"].split("-")[0].split(".")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _version_text(version: Sequence[int]) -> str:
    return ".".join(map(str, version))


def _plugin(place: OpenCodeFolder) -> Finding:
    again = f"`recollect install opencode --{place.name}`"
    installed = opencode.find_installed_files(place)
    if place.plugin not in installed:
        return problem("opencode", f"{place.plugin} {opencode.NOT_OURS}", f"Move it away, then {again}.")
    wanted = {place.plugin.parent / path: content for path, content in opencode.plugin_files().items()}
    for path in (*installed, *wanted):
        if installed.get(path) == wanted.get(path):
            continue
        if path.exists() and path not in installed:  # install refuses it, too
            return problem("opencode", f"{path} {opencode.NOT_OURS}", f"Move it away, then {again}.")
        return problem("opencode", f"{path} is from another version, or was edited", f"{again} renews it.")
    return fine("opencode", f"{place.plugin}")


def _tools(here: Sequence[OpenCodeFolder], *, is_connected: bool) -> Iterator[Finding]:
    found: list[ConfigEntry] = []
    for place in here:
        try:
            entries = opencode.entries(place)
        except InstallError as error:
            yield problem("tools", str(error), "OpenCode may not start with it either.")
            return
        for entry in entries:
            yield _entry(entry, place, is_connected=is_connected)
        found += entries
    if is_connected and not found:
        says = 'no configuration has "mcp.recollect": the plugin adds the tools itself'
        yield note("tools", says, "`recollect install opencode` writes it, so that you can see it and switch it off.")


def _entry(entry: ConfigEntry, place: OpenCodeFolder, *, is_connected: bool) -> Finding:
    again = f"`recollect install opencode --{place.name}`"
    if entry.is_off:
        return note("tools", f"switched off in {entry.path}", 'Remove `"enabled": false` there to use them.')
    if not entry.is_ours:
        says = f'{entry.path} has its own entry "mcp.recollect", which Recollect does not change'
        return note("tools", says, f"To use ours instead, remove it, then {again}.")
    if shutil.which(entry.command[0]) is None:
        says = f"{entry.command[0]}, named in {entry.path}, does not exist"
        if is_connected:
            return note("tools", f"{says}: the plugin starts this machine's own instead", f"{again} renews it.")
        return problem("tools", says, f"{again} renews it.")
    return fine("tools", f"in {entry.path}, started by {entry.command[0]}")
