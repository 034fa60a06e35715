"""What hosts start of this installation. Absolute: a host's PATH and folder are not ours."""

import os
import shutil
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

NAME = "recollect"
# Without the script: not as quick, and `-P` keeps a `json.py` in the user's project from being taken for Python's.
WITHOUT_SCRIPT = ("-P", "-m", "recollect.mcp.bridge")


def bridge_command() -> list[str]:
    """The stdio bridge of MCP, from anywhere, in any environment."""
    script = _script()
    return [sys.executable, *WITHOUT_SCRIPT] if script is None else [str(script), "mcp"]


def bridge_command_by_name() -> list[str]:
    """The same for a file that others may get too: by its name, where the name leads to this installation."""
    found, script = shutil.which(NAME), _script()
    if found is None or script is None or not Path(found).samefile(script):
        return bridge_command()
    return [NAME, "mcp"]


def is_bridge_command(words: Sequence[object]) -> bool:
    """One of the two above, of whatever installation."""
    first, *others = words or [""]
    if not isinstance(first, str) or not _can_be_a_path(first):
        return False
    return (Path(first).name == NAME and others == ["mcp"]) or others == [*WITHOUT_SCRIPT]


def _can_be_a_path(text: str) -> bool:
    """No file has half a character (a lone surrogate) or a NUL in its name, and asking for one is an error."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def _script() -> Path | None:
    places = (Path(sys.executable).parent, Path(sysconfig.get_path("scripts")), Path(sys.argv[0]).parent)
    return next((place / NAME for place in places if place.is_absolute() and os.access(place / NAME, os.X_OK)), None)
