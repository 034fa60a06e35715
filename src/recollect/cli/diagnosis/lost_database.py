"""What `recollect doctor` says of processes that have open what is the database no more: what they write is lost."""

import os
from collections.abc import Iterator
from pathlib import Path

from recollect.config import Paths
from recollect.domain.health import Finding, problem

PROCESSES = Path("/proc")
GONE = " (deleted)"  # as Linux shows the name of an open file that has none any more


def split_findings(places: Paths) -> Iterator[Finding]:
    database = os.path.realpath(places.database)
    files = [f"{database}{suffix}" for suffix in ("", "-wal", "-shm")]
    for process in _processes():
        gone = sorted({Path(file).name for file in _gone(process, files)})
        if gone:
            says = f"process {process.name} has {', '.join(gone)} open as it was before it was deleted or replaced"
            yield problem(
                "database",
                f"{says}: what it writes is lost",
                f"`kill -9 {process.name}` ends it at once; if it ended by itself, it could write old pages into the "
                "database. Then run `recollect doctor` again.",
            )


def _processes() -> list[Path]:
    """Ours, where the system lets us look: others show us nothing of their files."""
    try:
        return sorted((one for one in PROCESSES.iterdir() if one.name.isdigit()), key=lambda one: int(one.name))
    except OSError:  # not Linux
        return []


def _gone(process: Path, files: list[str]) -> Iterator[str]:
    """Of these files, those that the process has open while another one, or none, has their name."""
    try:
        descriptors = list((process / "fd").iterdir())
    except OSError:
        return
    for descriptor in descriptors:
        try:
            name = str(descriptor.readlink())
            if name.removesuffix(GONE) in files and not _is_same(descriptor, name):
                yield name.removesuffix(GONE)
        except OSError:  # closed meanwhile
            continue


def _is_same(descriptor: Path, name: str) -> bool:
    try:
        return descriptor.samefile(name)
    except OSError:
        return False
