"""Reads the memories of a database for a command that must not change it: read-only, without migrating old versions."""

import sqlite3
from contextlib import closing
from pathlib import Path

from recollect.domain.memory import MemoryId
from recollect.store.sqlite.read_only import open_read_only


def memory_texts(file: Path) -> dict[MemoryId, str]:
    """Return the memories that are not forgotten; empty if there is no readable database."""
    if not file.exists():
        return {}
    try:
        with closing(open_read_only(file)) as connection:
            columns = {row[1] for row in connection.execute("PRAGMA table_info(memory)")}
            where = "WHERE forgotten_ms IS NULL" if "forgotten_ms" in columns else ""
            return {MemoryId(name): text for name, text in connection.execute(f"SELECT id, text FROM memory {where}")}
    except sqlite3.Error:  # locked by another process, or not a database: the report does without
        return {}
