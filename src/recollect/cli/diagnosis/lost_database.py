"""Finding of `recollect doctor`: a process still has a deleted or replaced database open, and its writes are lost."""

import os
from collections.abc import Iterator
from pathlib import Path

from recollect.config import Paths
from recollect.domain.health import Finding, problem

PROCESSES = Path("/proc")
GONE = " (deleted)"  # how Linux names an open file that was deleted


def split_findings(places: Paths) -> Iterator[Finding]:
    database = os.path.realpath(places.database)
    files = [f"{database}{suffix}" for suffix in ("", "-wal", "-shm")]
    for process in _processes():
        names = sorted({Path(file).name for file in _find_lost_files(process, files)})
        if names:
            says = f"process {process.name} has a deleted or replaced file open: {', '.join(names)}"
            yield problem(
                "database",
                f"{says}; what it writes is lost",
                f"`kill -9 {process.name}` ends it at once; if it ended by itself, it could write old pages into the "
                "database. Then run `recollect doctor` again.",
            )


def _processes() -> list[Path]:
    """All processes; the open files are readable for our own alone."""
    try:
        processes = [one for one in PROCESSES.iterdir() if one.name.isdigit()]
    except OSError:  # not Linux
        return []
    return sorted(processes, key=lambda one: int(one.name))


def _find_lost_files(process: Path, files: list[str]) -> Iterator[str]:
    """Yield the files that the process has open, if now another file or none has their name."""
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
