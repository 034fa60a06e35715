"""The composition root: builds the engine from settings and a place for its data. The only one who knows the parts."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recollect.domain.health import Finding
from recollect.engine.engine import Engine
from recollect.engine.ports import SettingsFor
from recollect.store.sqlite.store import SqliteStore
from recollect.workspace import git


def save_what_can_be_read(database: Path) -> list[Finding]:
    """A new database from what can be read of a damaged one, which is kept beside it."""
    from recollect.store.sqlite.salvage import salvage  # only a doctor needs it

    return salvage(database)


@contextmanager
def open_engine(settings_for: SettingsFor, database: Path | None) -> Iterator[Engine]:
    """The engine on a database file; None keeps everything in memory."""
    store = SqliteStore(database)
    try:
        yield Engine(store, settings_for, git, time.perf_counter)
    finally:
        store.close()
