"""Where Claude Code keeps what it knows of a project: which folder a name below `~/.claude/projects` stands for.

The name is the path with everything but letters and digits as `-`: it can mean several folders. The one that is
there is taken; where there is none, or more than one, nothing is guessed.
"""

import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

MAX_FOLDERS = 2000  # folders that are looked into


def name_of(folder: Path) -> str:
    return re.sub(r"[^A-Za-z0-9]", "-", str(folder))


def folder_of(name: str) -> Path | None:
    """None: it is not there, or cannot be told."""
    found = (
        list(islice(_matching_folders(Path("/"), name.removeprefix("-"), [MAX_FOLDERS]), 2))
        if name.startswith("-")
        else []
    )
    return found[0] if len(found) == 1 else None


def _matching_folders(folder: Path, rest: str, steps: list[int]) -> Iterator[Path]:
    steps[0] -= 1
    if steps[0] < 0:
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
            yield from _matching_folders(folder / name, rest[len(spelled) + 1 :], steps)
