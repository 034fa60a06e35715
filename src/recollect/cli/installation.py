"""What `recollect doctor` says of this installation: its version, its place, and what hosts start the daemon with."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import recollect
from recollect import __version__
from recollect.client import DAEMON_COMMAND, DAEMON_ENV
from recollect.config import Places
from recollect.domain.health import Finding, fine, note, problem

ASKS = "import recollect.daemon; print(recollect.__version__)"
IMPORT_S = 20.0  # a cold disk; usually a tenth of a second
REINSTALL = "`recollect install opencode --project` writes it again, with the Python of now."


def installation_findings() -> Iterator[Finding]:
    python = sys.version.split()[0]
    yield fine("version", f"Recollect {__version__} in {Path(recollect.__file__).parent}, Python {python}")


def command_findings(places: Places) -> Iterator[Finding]:
    """Hooks and plugins do not search along PATH: they start the interpreter that they were given."""
    noted = _noted(places.command)
    if isinstance(noted, Finding):
        yield noted
        return
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


def _noted(file: Path) -> Sequence[str] | Finding | None:
    """The command that a host was given; None: none was."""
    try:
        command = json.loads(file.read_text(encoding="utf-8"))["command"]
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        command = None
    if not isinstance(command, list) or not command or not all(isinstance(word, str) for word in command):
        return problem("hooks", f"{file} cannot be read: hosts cannot start the daemon", REINSTALL)
    return command


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
