"""The project's own file, `.recollect.toml`: it may name the project and hold its settings. Found, not read, here."""

import os
from pathlib import Path

NAME = ".recollect.toml"


def find(folder: Path) -> Path | None:
    """The nearest one, from the folder up to the top of its working tree; outside of git up to the root."""
    for place in (folder, *folder.parents):
        marker = place / NAME
        if marker.is_file() and _is_trusted(marker):
            return marker
        if (place / ".git").exists():
            return None
    return None


def _is_trusted(marker: Path) -> bool:
    """In a folder that all may write into, such as a temporary one, somebody else's file says nothing about us."""
    return marker.stat().st_uid in (os.getuid(), 0, marker.parent.stat().st_uid)
