"""The database of claude-mem is read, whatever version wrote it, and never written."""

import sqlite3
from pathlib import Path

import pytest

from recollect.domain.errors import InvalidValue
from recollect.imports.databases.claude_mem import claude_mem_rows
from tests.store.old_claude_mem import FIRST_TABLES, made


@pytest.mark.parametrize("wal", [False, True])
def test_its_rows_come_as_objects_and_nothing_is_changed(tmp_path: Path, wal: bool) -> None:
    file = made(tmp_path / "claude mem?.db", wal=wal)
    before = file.read_bytes()
    with claude_mem_rows(file) as rows:
        observations, summaries = list(rows.observations), list(rows.summaries)
        assert rows.prompts == 1
    assert [row["title"] for row in observations] == ["Refunds were counted twice", "Queues are per tenant"]
    assert observations[0]["created_at_epoch"] == 1767323045000
    assert [row["learned"] for row in summaries] == ["Retries are not idempotent."]
    assert file.read_bytes() == before


def test_an_early_version_is_read_too(tmp_path: Path) -> None:
    with claude_mem_rows(made(tmp_path / "old.db", FIRST_TABLES)) as rows:
        assert [row["text"] for row in rows.observations] == ["Orders are never deleted"]
        assert (list(rows.summaries), rows.prompts) == ([], 0)


def test_bytes_that_are_no_text_do_not_end_it(tmp_path: Path) -> None:
    file = made(tmp_path / "m.db")
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE observations SET narrative = CAST(x'ff41' AS TEXT)")
    with claude_mem_rows(file) as rows:
        assert [row["narrative"] for row in rows.observations] == ["\ufffdA", "\ufffdA"]


def test_while_somebody_else_writes_what_is_committed_is_read(tmp_path: Path) -> None:
    file = made(tmp_path / "m.db", wal=True)
    with sqlite3.connect(file) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("DELETE FROM observations")
        with claude_mem_rows(file) as rows:
            assert len(list(rows.observations)) == 2
        writer.rollback()


@pytest.mark.parametrize(
    "content", [b"", b"SQLite format 3\x00" + b"x" * 5000, b"no database at all, just words" * 100]
)
def test_what_is_no_database_of_claude_mem_is_said(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "m.db"
    file.write_bytes(content)
    with pytest.raises(InvalidValue, match=r"m\.db"), claude_mem_rows(file):
        pass


def test_another_programs_database_is_said(tmp_path: Path) -> None:
    file = made(tmp_path / "m.db", "CREATE TABLE orders (n INTEGER);")
    with pytest.raises(InvalidValue, match="no table `observations`"), claude_mem_rows(file):
        pass
