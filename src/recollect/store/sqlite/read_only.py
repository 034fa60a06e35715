"""Opens the database of another program for reading only: it is never changed, even while that program uses it."""

import sqlite3
from pathlib import Path
from urllib.parse import quote

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
