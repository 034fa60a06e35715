"""The project's own file, `.recollect.toml`: it may name the project and hold its settings. Found, not read, here."""

from pathlib import Path

NAME = ".recollect.toml"


def find(folder: Path) -> Path | None:
    """The nearest one, from the folder up to the top of its working tree; outside of git up to the root."""
    for place in (folder, *folder.parents):
        marker = place / NAME
        if marker.is_file():
            return marker
        if (place / ".git").exists():
            return None
    return None
