"""Opens a database for reading only, another program's or our own: it is never changed, even while it is in use."""

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from recollect.domain.memory import MemoryId

BUSY_S = 5.0
MAX_VALUE_BYTES = 1_000_000  # longer than anything that becomes a memory


def open_read_only(file: Path, *, max_value_bytes: int = MAX_VALUE_BYTES) -> sqlite3.Connection:
    address = f"file:{quote(str(file.absolute()))}"
    try:
        return _connect(f"{address}?mode=ro", max_value_bytes)
    except sqlite3.OperationalError:
        log = file.with_name(f"{file.name}-wal")
        if log.exists() and log.stat().st_size:
            raise  # the newest rows are in the log, which SQLite cannot read in a folder that is not writable
        return _connect(f"{address}?immutable=1", max_value_bytes)


def _connect(address: str, max_value_bytes: int) -> sqlite3.Connection:
    connection = sqlite3.connect(address, uri=True, timeout=BUSY_S)
    try:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max_value_bytes)
        connection.text_factory = lambda text: text.decode("utf-8", "replace")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def memory_texts(file: Path) -> dict[MemoryId, str]:
    """Return the memories that are not forgotten, of any version; empty if there is no readable database."""
    if not file.exists():
        return {}
    try:
        with closing(open_read_only(file)) as connection:
            columns = {row[1] for row in connection.execute("PRAGMA table_info(memory)")}
            where = "WHERE forgotten_ms IS NULL" if "forgotten_ms" in columns else ""
            return {MemoryId(name): text for name, text in connection.execute(f"SELECT id, text FROM memory {where}")}
    except sqlite3.Error:  # locked by another process, or not a database: the report does without
        return {}
