"""Fixtures for tests that look into the files: a database on the disk instead of one in memory."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.store.sqlite.store import SqliteStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "recollect.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore(path)
    yield opened
    opened.close()
