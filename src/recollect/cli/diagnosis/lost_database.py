"""Finding of `recollect doctor`: a process still has a deleted or replaced database open, and its writes are lost."""

import os
from collections.abc import Iterator
from pathlib import Path

from recollect.config import Paths
from recollect.domain.health import Finding, problem
from recollect.system import find_replaced_files


def lost_database_findings(places: Paths) -> Iterator[Finding]:
    database = os.path.realpath(places.database)
    names_by_process: dict[int, set[str]] = {}
    for process, file in find_replaced_files([f"{database}{suffix}" for suffix in ("", "-wal", "-shm")]):
        names_by_process.setdefault(process, set()).add(Path(file).name)
    for process, names in names_by_process.items():
        yield problem(
            "database",
            f"process {process} has a deleted or replaced file open: {', '.join(sorted(names))}; what it writes is lost",
            f"`kill -9 {process}` ends it at once; if it ended by itself, it could write old pages into the "
            "database. Then run `recollect doctor` again.",
        )
