"""What `recollect doctor` says of this installation: its version, its place, what hosts start, and how OpenCode is
connected. Starts no host: that takes a second and leaves folders behind."""

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
from recollect.config import Paths
from recollect.domain.errors import InstallError
from recollect.domain.health import Finding, fine, note, problem
from recollect.install import opencode
from recollect.install.opencode import ConfigEntry, OpenCodeFolder
from recollect.workspace.git import root_of

ASKS = "import recollect.daemon; print(recollect.__version__)"
IMPORT_S = 20.0  # a cold disk; usually a tenth of a second
TRIED = (1, 18)  # the OpenCode that every moment is tried with
REINSTALL = "`recollect install opencode` writes it again, with the Python of now."


def installation_findings() -> Iterator[Finding]:
    python = sys.version.split()[0]
    yield fine("version", f"Recollect {__version__} in {Path(recollect.__file__).parent}, Python {python}")


def command_findings(places: Paths) -> Iterator[Finding]:
    """Hooks and plugins do not search along PATH: they start the interpreter that they were given."""
    noted = _noted(places.command, "command")
    if isinstance(noted, Finding):
        yield noted
        return
    yield from _bridge(places.command)
    interpreter = Path((noted or DAEMON_COMMAND)[0])
    advice = REINSTALL if noted else "Install Recollect again."
    who = "hosts start" if noted else "hooks and commands start"
    if not os.access(interpreter, os.X_OK):
        yield problem("hooks", f"{interpreter}, which {who} the daemon with, is not there any more", advice)
        return
    version = _version_of(interpreter)
    if version is None:
        yield problem("hooks", f"{interpreter}, which {who} the daemon with, cannot load Recollect", advice)
    elif version != __version__:
        yield note("hooks", f"hosts start the daemon of Recollect {version}, with {interpreter}", advice)
    else:
        yield fine("hooks", f"{'' if noted else 'no plugin is installed yet; '}{who} the daemon with {interpreter}")


def _noted(file: Path, name: str) -> Sequence[str] | Finding | None:
    """The command that hosts were given under this name; None: none was."""
    try:
        noted = json.loads(file.read_text(encoding="utf-8"))
        command = noted[name]
    except FileNotFoundError:
        return None
    except KeyError:
        if name != "command":
            return None  # an older version noted the daemon alone
        command = None
    except (OSError, ValueError, TypeError):
        command = None
    if not isinstance(command, list) or not command or not all(isinstance(word, str) for word in command):
        return problem("hooks", f"{file} cannot be read: hosts cannot start the daemon", REINSTALL)
    return command


def _bridge(file: Path) -> Iterator[Finding]:
    noted = _noted(file, "mcp")
    if isinstance(noted, Finding):
        yield noted
    elif noted and not os.access(noted[0], os.X_OK):
        yield problem("hooks", f"{noted[0]}, which plugins start the tools with, is not there any more", REINSTALL)


def _version_of(interpreter: Path) -> str | None:
    """As the daemon is started: elsewhere, and with no more of the environment than it gets."""
    try:
        done = subprocess.run(
            [interpreter, "-c", ASKS],
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
    """The client, the plugin and the entry of the tools: for the user and in this project."""
    yield from _client()
    folder = context.folder_to_look_in()
    here = [opencode.of_user(places.settings.parent.parent)]
    here += [opencode.of_project(root_of(Path(folder)))] if folder else []
    connected = [place for place in here if place.plugin.exists()]
    if not connected:
        advice = "`recollect install opencode` connects it in every project, with `--project` in this one alone."
        yield note("opencode", "not connected", advice)
    for place in connected:
        yield _plugin(place)
    if len(connected) > 1:
        says = "connected twice, for you and in this project: one of the two stays silent"
        yield note("opencode", says, "That does no harm; `recollect uninstall opencode --project` takes one out.")
    yield from _tools(here, is_connected=bool(connected))


def _client() -> Iterator[Finding]:
    found = shutil.which("opencode")
    if found is None:
        yield note("opencode", "`opencode` is not on your PATH", "If you use it: `npm install -g opencode-ai`.")
        return
    version = _client_version(Path(found))
    if version is None:
        yield fine("opencode", f"{found}")
    elif version[:1] > TRIED[:1]:
        says = f"{found} is version {_dotted(version)}; Recollect was tried with {_dotted(TRIED)}"
        yield note("opencode", says, "If nothing is remembered there, upgrade Recollect; the client itself is safe.")
    elif version < TRIED:
        says = f"{found} is version {_dotted(version)}; Recollect was tried with {_dotted(TRIED)}"
        yield note("opencode", says, "`npm install -g opencode-ai` upgrades it.")
    else:
        yield fine("opencode", f"{found}, version {_dotted(version)}")


def _client_version(found: Path) -> tuple[int, ...] | None:
    """As its package says; None: it came another way, and asking it would start it."""
    try:
        package = json.loads((found.resolve().parent.parent / "package.json").read_text(encoding="utf-8"))
        return tuple(int(part) for part in package["version"].split("-")[0].split("."))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _dotted(version: Sequence[int]) -> str:
    return ".".join(map(str, version))


def _plugin(place: OpenCodeFolder) -> Finding:
    again = f"`recollect install opencode --{place.name}`"
    installed = opencode.installed(place)
    if place.plugin not in installed:
        return problem("opencode", f"{place.plugin} {opencode.NOT_OURS}", f"Move it away, then {again}.")
    wanted = {place.plugin.parent / path: held for path, held in opencode.plugin_files().items()}
    if installed == wanted:
        return fine("opencode", f"{place.plugin}")
    (first, *_) = [path for path in (*installed, *wanted) if installed.get(path) != wanted.get(path)]
    if first.exists() and first not in installed:  # install refuses it, too
        return problem("opencode", f"{first} {opencode.NOT_OURS}", f"Move it away, then {again}.")
    return problem("opencode", f"{first} is of another version, or was edited", f"{again} renews it.")


def _tools(here: Sequence[OpenCodeFolder], *, is_connected: bool) -> Iterator[Finding]:
    found: list[ConfigEntry] = []
    for place in here:
        try:
            entries = opencode.entries(place)
        except InstallError as error:
            yield problem("tools", str(error), "OpenCode may not start with it, either.")
            return
        yield from (_entry(entry, place, is_connected=is_connected) for entry in entries)
        found += entries
    if is_connected and not found:
        says = 'no configuration has "mcp.recollect": the plugin brings the tools by itself'
        yield note("tools", says, "`recollect install opencode` writes it, so that you can see and switch it.")


def _entry(entry: ConfigEntry, place: OpenCodeFolder, *, is_connected: bool) -> Finding:
    again = f"`recollect install opencode --{place.name}`"
    if entry.is_off:
        return note("tools", f"switched off in {entry.path}", 'Take `"enabled": false` out there to have them.')
    if not entry.is_ours:
        says = f'{entry.path} has an entry "mcp.recollect" of its own, which stays as it is'
        return note("tools", says, f"For ours instead, take it out, then {again}.")
    if shutil.which(entry.command[0]) is None:
        says = f"{entry.command[0]}, as {entry.path} has it, is not there"
        if is_connected:
            return note("tools", f"{says}: the plugin starts this machine's own instead", f"{again} renews it.")
        return problem("tools", says, f"{again} renews it.")
    return fine("tools", f"in {entry.path}, started by {entry.command[0]}")
