"""Reads the database of claude-mem, whatever version wrote it. Opens it for reading only: nothing of it is changed."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recollect.domain.errors import InvalidValue
from recollect.store.sqlite.read_only import open_read_only


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaudeMemRows:
    observations: Iterator[dict[str, Any]]
    summaries: Iterator[dict[str, Any]]
    prompts: int  # how many there are; they are not read


@contextmanager
def claude_mem_rows(file: Path) -> Iterator[ClaudeMemRows]:
    """In the order of their time, as objects with the names of its columns."""
    try:
        with closing(open_read_only(file)) as connection:
            known = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if "observations" not in known:
                raise InvalidValue(f"{file} is a database, but not one of claude-mem: it has no observations.")
            prompts = connection.execute("SELECT count(*) FROM user_prompts") if "user_prompts" in known else None
            yield ClaudeMemRows(
                observations=_rows(connection, "observations"),
                summaries=_rows(connection, "session_summaries") if "session_summaries" in known else iter(()),
                prompts=prompts.fetchone()[0] if prompts else 0,
            )
    except sqlite3.Error as error:
        raise InvalidValue(f"{file} cannot be read as a database of claude-mem: {error}.") from None


def _rows(connection: sqlite3.Connection, table: str) -> Iterator[dict[str, Any]]:
    cursor = connection.execute(f"SELECT * FROM {table} ORDER BY rowid")  # one of two names, not from outside
    names = [column[0] for column in cursor.description]
    for row in cursor:
        yield dict(zip(names, row, strict=True))
