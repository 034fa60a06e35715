"""A store on a file, whose folder is searched afterwards."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recollect.store.sqlite.store import SqliteStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "recollect.db"


@pytest.fixture
def open_store(path: Path) -> Iterator[Callable[[], SqliteStore]]:
    opened: list[SqliteStore] = []

    def open_again() -> SqliteStore:
        opened.append(SqliteStore(path))
        return opened[-1]

    yield open_again
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: Callable[[], SqliteStore]) -> SqliteStore:
    return open_store()
