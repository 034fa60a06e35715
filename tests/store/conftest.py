"""One suite, every store: a second store is one more parameter here."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recollect.engine.ports import Store
from recollect.store.sqlite.store import SqliteStore


@pytest.fixture(params=["sqlite", "sqlite-memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    opened = SqliteStore(tmp_path / "data" / "recollect.db" if request.param == "sqlite" else None)
    yield opened
    opened.close()


@pytest.fixture
def reopen(tmp_path: Path) -> Iterator[Callable[[], Store]]:
    """Opens the same file again and again, as several processes would."""
    opened: list[SqliteStore] = []

    def open_again() -> Store:
        opened.append(SqliteStore(tmp_path / "data" / "recollect.db"))
        return opened[-1]

    yield open_again
    for store in opened:
        store.close()
