"""The SQLite store: everything that `engine.ports.Store` asks for, on one file or in memory."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recollect.store.sqlite.database import Database
from recollect.store.sqlite.injections import Injections
from recollect.store.sqlite.memories import Memories
from recollect.store.sqlite.until_merge import ProjectsUntilMerge


class SqliteStore(Memories, Injections, ProjectsUntilMerge):
    def __init__(self, path: Path | None) -> None:
        self._database = Database(path)

    @contextmanager
    def writing(self) -> Iterator[None]:
        with self._database.write():
            yield

    def close(self) -> None:
        self._database.close()
