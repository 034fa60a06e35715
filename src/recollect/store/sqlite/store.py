"""The SQLite store: all of `engine.ports.Store`, in one file or in memory."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from recollect.domain.health import Finding, note
from recollect.store.sqlite.archive_index import ArchiveIndex
from recollect.store.sqlite.candidates import Candidates
from recollect.store.sqlite.database import Database
from recollect.store.sqlite.inbox import InboxTable
from recollect.store.sqlite.injections import Injections
from recollect.store.sqlite.memories import Memories
from recollect.store.sqlite.projects import Projects
from recollect.store.sqlite.recaps import Recaps
from recollect.store.sqlite.rescan import SecretRescan
from recollect.store.sqlite.search import MemorySearch
from recollect.store.sqlite.similar import SimilarMemories
from recollect.store.sqlite.storage_counts import Holdings
from recollect.store.sqlite.token_days import TokenDays
from recollect.store.sqlite.turns import Turns
from recollect.store.sqlite.vector_cache import VectorCache
from recollect.store.sqlite.vectors import Vectors


class SqliteStore(
    Memories,
    SimilarMemories,
    MemorySearch,
    Vectors,
    Candidates,
    SecretRescan,
    Turns,
    Projects,
    Injections,
    Recaps,
    InboxTable,
    TokenDays,
    Holdings,
):
    def __init__(self, path: Path | None, *, resident: bool = False) -> None:
        self._database = Database(path, resident=resident)
        self._vector_cache = VectorCache()
        self._archive_index = ArchiveIndex()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._database.write():
            yield

    def give_way(self) -> None:
        self._database.give_way()

    @contextmanager
    def copy_in_memory(self) -> "Iterator[SqliteStore]":
        copy = SqliteStore(None)
        try:
            self._database.copy_to(copy._database)
            yield copy
        finally:
            copy.close()

    @property
    def is_read_only(self) -> bool:
        return self._database.is_read_only

    @property
    def is_there(self) -> bool:
        return self._database.is_there

    def giving_up_after(self, wait_ms: int) -> AbstractContextManager[None]:
        return self._database.giving_up_after(wait_ms)

    def check(self) -> list[Finding]:
        from recollect.store.sqlite import upkeep  # only `doctor` needs it

        found = upkeep.check(self._database)
        rescan = self.rescan_state()
        if rescan is not None:
            found.append(rescan)
        return found

    def mend(self) -> list[Finding]:
        from recollect.store.sqlite import upkeep

        with self._database.translating_file_errors():
            done = upkeep.mend(self._database)
        removed = self.remove_secrets()
        self.finish_rescan(removed)
        if removed:
            done.append(note("secrets", f"removed {removed} that an older version stored, also from its copies"))
        return done

    def close(self) -> None:
        self._database.close()
