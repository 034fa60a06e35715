"""Finds the project folder for a folder name below `~/.claude/projects`.

Claude Code replaces everything but letters and digits of the path by `-`, so a name can mean several folders. The one
that exists is taken; if there is none, or more than one, nothing is guessed.
"""

import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

MAX_FOLDERS = 2000  # folders that are listed


def name_of(folder: Path) -> str:
    return re.sub(r"[^A-Za-z0-9]", "-", str(folder))


def folder_of(name: str) -> Path | None:
    """None: there is no such folder, or more than one."""
    if not name.startswith("-"):
        return None
    found = list(islice(_matching_folders(Path("/"), name.removeprefix("-"), [MAX_FOLDERS]), 2))
    return found[0] if len(found) == 1 else None


def _matching_folders(folder: Path, rest: str, left: list[int]) -> Iterator[Path]:
    """`left`: how many folders may still be listed, shared by all calls."""
    left[0] -= 1
    if left[0] < 0:
        return
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if entry.is_dir())
    except OSError:
        return
    for name in names:
        spelled = name_of(Path(name))
        if rest == spelled:
            yield folder / name
        elif rest.startswith(f"{spelled}-"):
            yield from _matching_folders(folder / name, rest[len(spelled) + 1 :], left)
