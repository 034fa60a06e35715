"""The composition root: builds the engine from settings and a place for its data. The only one who knows the parts."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recollect.domain.settings import Settings
from recollect.engine.engine import Engine
from recollect.store.sqlite.store import SqliteStore
from recollect.workspace import git


@contextmanager
def open_engine(settings: Settings, database: Path | None) -> Iterator[Engine]:
    """The engine on a database file; None keeps everything in memory."""
    store = SqliteStore(database)
    try:
        yield Engine(store, settings, git, time.perf_counter)
    finally:
        store.close()
