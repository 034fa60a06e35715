"""Which memories a database has, for a command that must not touch it. Opens it for reading only, and migrates nothing:
a database of an older version is read as it is."""

import sqlite3
from contextlib import closing
from pathlib import Path

from recollect.domain.memory import MemoryId
from recollect.store.sqlite.read_only import open_read_only


def memory_texts(file: Path) -> dict[MemoryId, str]:
    """Of all that is not forgotten; nothing where there is no database that can be read."""
    if not file.exists():
        return {}
    try:
        with closing(open_read_only(file)) as connection:
            columns = {row[1] for row in connection.execute("PRAGMA table_info(memory)")}
            where = "WHERE forgotten_ms IS NULL" if "forgotten_ms" in columns else ""
            return {MemoryId(name): text for name, text in connection.execute(f"SELECT id, text FROM memory {where}")}
    except sqlite3.Error:  # in use by one who locks it, or no database: the report does without
        return {}
