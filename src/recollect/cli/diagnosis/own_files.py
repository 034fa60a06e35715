"""Our files, with their sizes. None is opened: to open and close a live database beside SQLite loses data."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from recollect.config import Paths

MOST = 10_000  # files of a folder that are counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    what: str
    path: Path
    files: int
    size_bytes: int
    changed: float  # when one of them was last changed, in seconds since 1970


def stored(places: Paths) -> list[Stored]:
    """What is there, in the order in which people look for it."""
    data, kept = places.database.parent, places.kept
    found = [
        _stored("database", places.database, [places.database, *_beside(places.database, ("-wal", "-shm"))]),
        _stored("backups", data / "backups", _below(data / "backups")),
        _stored("damaged", data, [*data.glob("damaged-*"), *data.glob(f"{places.database.name}.damaged-*")]),
        _stored("logs", kept, kept.glob("*.log*")),
        _stored("settings", places.settings, [places.settings]),
        _stored("pauses", places.pause, [places.pause]),
        _stored("drafts", places.state, [file for room in places.state.glob("edit-*") for file in _below(room)]),
        _stored("model", places.model, _below(places.model)),
    ]
    known = {"pause.json"}
    rest = [file for file in (*_of(places.state), *_of(places.runtime)) if file.name not in known]
    found.append(_stored("state", places.state, {file for file in rest if ".log" not in file.name}))
    return [one for one in found if one.files]


def _stored(what: str, path: Path, files: Iterable[Path]) -> Stored:
    facts = [one for one in map(_facts, files) if one is not None]
    return Stored(
        what=what,
        path=path,
        files=len(facts),
        size_bytes=sum(one.st_size for one in facts),
        changed=max((one.st_mtime for one in facts), default=0.0),
    )


def _facts(file: Path) -> os.stat_result | None:
    try:
        return file.lstat()
    except OSError:  # gone, or not ours to look at
        return None


def _beside(file: Path, suffixes: Iterable[str]) -> list[Path]:
    return [file.with_name(file.name + suffix) for suffix in suffixes]


def _of(folder: Path) -> list[Path]:
    """What is in a folder itself."""
    try:
        return [Path(entry.path) for entry in os.scandir(folder) if not entry.is_dir(follow_symlinks=False)][:MOST]
    except OSError:
        return []


def _below(folder: Path) -> Iterator[Path]:
    for place, _, names in os.walk(folder):
        yield from (Path(place, name) for name in names[:MOST])
