"""The commands of this installation that hosts start. Absolute: a host has another PATH and folder."""

import os
import shutil
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

NAME = "recollect"
# Slower than the script. `-P` prevents a `json.py` in the user's project from replacing Python's.
WITHOUT_SCRIPT = ("-P", "-m", "recollect.mcp.bridge")


def bridge_command() -> list[str]:
    """Return the command of the stdio bridge for MCP; it works in any folder and environment."""
    script = _script()
    return [sys.executable, *WITHOUT_SCRIPT] if script is None else [str(script), "mcp"]


def bridge_command_by_name() -> list[str]:
    """Return the same for a file that is shared: by name, if the name finds this installation."""
    found, script = shutil.which(NAME), _script()
    if found is None or script is None or not Path(found).samefile(script):
        return bridge_command()
    return [NAME, "mcp"]


def is_bridge_command(words: Sequence[object]) -> bool:
    """Recognise the commands above, of any installation."""
    first, *others = words or [""]
    if not isinstance(first, str) or not _can_be_a_path(first):
        return False
    return (Path(first).name == NAME and others == ["mcp"]) or others == [*WITHOUT_SCRIPT]


def _can_be_a_path(text: str) -> bool:
    """A NUL or an unpaired surrogate in a file name raises an error."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def _script() -> Path | None:
    folders = (Path(sys.executable).parent, Path(sysconfig.get_path("scripts")), Path(sys.argv[0]).parent)
    for folder in folders:
        if folder.is_absolute() and os.access(folder / NAME, os.X_OK):
            return folder / NAME
    return None
