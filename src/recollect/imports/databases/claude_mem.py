"""Reads the database of any version of claude-mem. Opens it read-only and changes nothing."""

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
    prompts: int  # their number; they are not read


@contextmanager
def claude_mem_rows(file: Path) -> Iterator[ClaudeMemRows]:
    """Yield rows in order of time, as dicts by column name."""
    try:
        with closing(open_read_only(file)) as connection:
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if "observations" not in tables:
                raise InvalidValue(f"{file} is a database, but not of claude-mem: it has no table `observations`.")
            prompts = 0
            if "user_prompts" in tables:
                (prompts,) = connection.execute("SELECT count(*) FROM user_prompts").fetchone()
            yield ClaudeMemRows(
                observations=_rows(connection, "observations"),
                summaries=_rows(connection, "session_summaries") if "session_summaries" in tables else iter(()),
                prompts=prompts,
            )
    except sqlite3.Error as error:
        raise InvalidValue(f"{file} cannot be read as a claude-mem database: {error}.") from None


def _rows(connection: sqlite3.Connection, table: str) -> Iterator[dict[str, Any]]:
    cursor = connection.execute(f"SELECT * FROM {table} ORDER BY rowid")  # one of two fixed names
    names = [column[0] for column in cursor.description]
    for row in cursor:
        yield dict(zip(names, row, strict=True))
