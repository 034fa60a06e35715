"""Lists our files with their sizes. None is opened: to open and close a live database beside SQLite loses data."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from recollect.paths import Paths

MOST = 10_000  # files that are counted in one folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    what: str
    path: Path
    files: int
    size_bytes: int
    changed: float  # the newest change, in seconds since 1970


def measure_files(places: Paths) -> list[Stored]:
    data, kept = places.database.parent, places.log_folder
    logs_and_locks = [places.database.with_name(places.database.name + suffix) for suffix in ("-wal", "-shm")]
    drafts = [file for folder in places.state.glob("edit-*") for file in _below(folder)]
    found = [
        _measure("database", places.database, [places.database, *logs_and_locks]),
        _measure("backups", data / "backups", _below(data / "backups")),
        _measure("damaged", data, [*data.glob("damaged-*"), *data.glob(f"{places.database.name}.damaged-*")]),
        _measure("logs", kept, kept.glob("*.log*")),
        _measure("settings", places.settings, [places.settings]),
        _measure("pauses", places.pause, [places.pause]),
        _measure("drafts", places.state, drafts),
        _measure("model", places.model, _below(places.model)),
        _measure("state", places.state, _state_files(places)),
    ]
    return [one for one in found if one.files]


def _state_files(places: Paths) -> set[Path]:
    files = {*_in_folder(places.state), *_in_folder(places.runtime)}
    return {file for file in files if file.name != "pause.json" and ".log" not in file.name}


def _measure(what: str, path: Path, files: Iterable[Path]) -> Stored:
    facts = [one for one in map(_stat, files) if one is not None]
    return Stored(
        what=what,
        path=path,
        files=len(facts),
        size_bytes=sum(one.st_size for one in facts),
        changed=max((one.st_mtime for one in facts), default=0.0),
    )


def _stat(file: Path) -> os.stat_result | None:
    try:
        return file.lstat()
    except OSError:  # missing, or no permission
        return None


def _in_folder(folder: Path) -> list[Path]:
    try:
        return [Path(entry.path) for entry in os.scandir(folder) if not entry.is_dir(follow_symlinks=False)][:MOST]
    except OSError:
        return []


def _below(folder: Path) -> Iterator[Path]:
    for place, _, names in os.walk(folder):
        yield from (Path(place, name) for name in names[:MOST])
