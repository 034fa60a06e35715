"""Builds a new database from what can be read of a damaged one and its backups; the old file is kept beside it."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from recollect.domain.errors import StoreUnusable
from recollect.domain.health import Finding, note, problem
from recollect.store.sqlite import deletion, index, vectors
from recollect.store.sqlite.database import Database, exclusive_use
from recollect.store.sqlite.open_files import SIDE_FILES
from recollect.store.sqlite.rows import DamagedRow, current_row, row_hash
from recollect.store.sqlite.upkeep import HASHED_COLUMNS, insert, open_copy, row_is_sound, timestamp

# The most important first.
TABLES = (
    *("memory", "turn", "session", "injection", "recap", "inbox", "deed", "change"),
    *("project_alias", "trace", "token_day", "transcript", "chore"),
)
NUMBERED = ("memory", "turn", "inbox", "deed", "change")
KEY_LENGTHS = {"injection": 3, "project_alias": 2}  # the first columns of tables without numbers; others: one
LOCK_FILES = (".lock", ".waiting")  # of every open database
_MAGIC, HEADER_BYTES = b"SQLite format 3\0", 100


def salvage(path: Path) -> list[Finding]:
    if not path.is_file():
        raise StoreUnusable(f"There is no database {path}.")
    with exclusive_use(path):
        new = path.with_name(f"{path.name}.salvaged")
        broken: set[str] = set()  # tables that could not be read completely
        from_file, from_backups = _build(new, path, broken)
        damaged = _replace(path, new)
    says = f"new database: {from_file} memories from the damaged file, {from_backups} more from backups"
    advice = f"The damaged file is kept as {damaged}."
    if not broken:
        return [note("database", says, advice)]
    return [problem("database", f"{says}; some rows could not be read: {', '.join(sorted(broken))}", advice)]


def _build(new: Path, path: Path, broken: set[str]) -> tuple[int, int]:
    """Return the number of memories from the damaged file and from backups."""
    _remove(new)
    database = Database(new)
    try:
        with database.write() as connection:
            # The file first: it is newer than the backups. Foreign keys wait until everything is there.
            connection.execute("PRAGMA defer_foreign_keys = ON")
            from_file = _copy_rows(_with_header(path, connection), connection, broken)
            from_backups = 0
            for backup in reversed(database.backups()):
                from_backups += _copy_rows(backup, connection, set())
            connection.execute("DELETE FROM change WHERE deed NOT IN (SELECT n FROM deed)")
            connection.execute("UPDATE deed SET undone_by = NULL WHERE undone_by NOT IN (SELECT n FROM deed)")
            index.rebuild(connection)
            vectors.drop_all(connection)
            traces = [row["memory"] for row in connection.execute("SELECT memory FROM trace")]
            deletion.delete_traces(connection, traces)  # a backup that was not cleaned yet must not bring them back
    except BaseException:
        database.close()
        _remove(new)
        raise
    finally:
        _header_copy(path).unlink(missing_ok=True)
    database.close()
    for suffix in LOCK_FILES:
        new.with_name(new.name + suffix).unlink(missing_ok=True)
    return from_file, from_backups


def _replace(path: Path, new: Path) -> Path:
    """Return the path under which the damaged file is kept. There is a database under its own name at every moment."""
    damaged = path.with_name(f"{path.name}.damaged-{timestamp()}")
    present = [suffix for suffix in SIDE_FILES if path.with_name(path.name + suffix).exists()]
    for suffix in present:
        _keep_as(path.with_name(path.name + suffix), damaged.with_name(damaged.name + suffix))
    for suffix in present:
        if suffix:  # SQLite would take an old log for that of the new file
            path.with_name(path.name + suffix).unlink()
    new.replace(path)
    return damaged


def _keep_as(path: Path, kept: Path) -> None:
    try:
        kept.hardlink_to(path)
    except OSError:  # not every disk has links
        shutil.copyfile(path, kept)
        kept.chmod(0o600)


def _header_copy(path: Path) -> Path:
    return path.with_name(f"{path.name}.headed")


def _with_header(path: Path, like: sqlite3.Connection) -> Path:
    """Return the file itself; if its first bytes are gone, a copy with the header of a database of this version."""
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) == _MAGIC:
            return path
    header = bytearray(like.serialize()[:HEADER_BYTES])
    page_bytes = int.from_bytes(header[16:18], "big")
    header[18:20] = b"\x01\x01"  # it has no log
    header[28:32] = (path.stat().st_size // page_bytes).to_bytes(4, "big")
    header[32:40] = bytes(8)  # no list of free pages: they may be read as they are
    header[92:96] = header[24:28]  # makes SQLite trust the size above
    copy = _header_copy(path)
    copy.unlink(missing_ok=True)
    shutil.copyfile(path, copy)
    copy.chmod(0o600)
    with copy.open("r+b") as file:
        file.write(header)
    return copy


def _remove(database: Path) -> None:
    for suffix in (*SIDE_FILES, *LOCK_FILES):
        database.with_name(database.name + suffix).unlink(missing_ok=True)


def _copy_rows(source: Path, connection: sqlite3.Connection, broken: set[str]) -> int:
    """Copy every sound row that is not there yet. Return the number of new memories; `broken` gets damaged tables."""
    (before,) = connection.execute("SELECT count(*) FROM memory").fetchone()
    try:
        with closing(open_copy(source)) as reader:
            for table in TABLES:
                for row in _readable_rows(reader, table, broken):
                    try:
                        _insert_if_new(connection, table, _current(table, row))
                    except (DamagedRow, sqlite3.IntegrityError, UnicodeEncodeError):
                        broken.add(table)
    except sqlite3.Error:
        broken.add("everything")
    (after,) = connection.execute("SELECT count(*) FROM memory").fetchone()
    return int(after - before)


def _current(table: str, row: dict[str, Any]) -> dict[str, Any]:
    """Return the row as this version writes it; one from before hashes is trusted."""
    if table == "memory":
        return current_row(row)
    if table in HASHED_COLUMNS and "hash" not in row:
        return {**row, "hash": row_hash(row, HASHED_COLUMNS[table])}
    if not row_is_sound(table, row):
        raise DamagedRow(f"Checksum mismatch in table {table}.")
    return row


def _insert_if_new(connection: sqlite3.Connection, table: str, row: dict[str, Any]) -> None:
    if insert(connection, table, row, on_conflict="IGNORE") or table not in ("memory", "turn"):
        return
    # It is there already; or another row got its number after that backup, and it needs a new one.
    unnumbered = {name: value for name, value in row.items() if name != "n"}
    insert(connection, table, unnumbered, on_conflict="IGNORE")


def _readable_rows(reader: sqlite3.Connection, table: str, broken: set[str]) -> Iterator[dict[str, Any]]:
    """Skip what is broken: row by row in a table with numbers, else from both ends."""
    if table in NUMBERED:
        yield from _rows_by_number(reader, table, broken)
        return
    for direction in ("ASC", "DESC"):
        try:
            order = ", ".join(f"{column} {direction}" for column in range(1, KEY_LENGTHS.get(table, 1) + 1))
            yield from map(dict, reader.execute(f"SELECT * FROM {table} ORDER BY {order}"))
        except sqlite3.Error as error:
            _note_broken(broken, table, error)
            continue
        return


def _rows_by_number(reader: sqlite3.Connection, table: str, broken: set[str]) -> Iterator[dict[str, Any]]:
    start: int | None = 1
    while start is not None:
        try:
            for row in reader.execute(f"SELECT * FROM {table} WHERE n >= ? ORDER BY n", (start,)):
                start = max(start, row["n"] + 1)  # a broken tree may lead back
                yield dict(row)
        except sqlite3.Error as error:
            _note_broken(broken, table, error)
            # A cursor reads ahead: the error at the gap also lost the row before it.
            before_gap = _one_row(reader, table, start)
            if before_gap is None:
                start = _end_of_gap(reader, table, start)
            else:
                start = before_gap["n"] + 1
                yield before_gap
        else:
            return


def _note_broken(broken: set[str], table: str, error: sqlite3.Error) -> None:
    if "no such table" not in str(error):  # a file of an older version lacks some tables
        broken.add(table)


def _one_row(reader: sqlite3.Connection, table: str, start: int) -> dict[str, Any] | None:
    with suppress(sqlite3.Error):
        row = reader.execute(f"SELECT * FROM {table} WHERE n >= ? ORDER BY n LIMIT 1", (start,)).fetchone()
        return None if row is None else dict(row)
    return None


def _end_of_gap(reader: sqlite3.Connection, table: str, start: int) -> int | None:
    """Return the first number from which rows can be read again; None: never."""

    def can_be_read(first: int) -> bool:
        with suppress(sqlite3.Error):
            reader.execute(f"SELECT n FROM {table} WHERE n >= ? ORDER BY n LIMIT 1", (first,)).fetchone()
            return True
        return False

    step = 1
    while not can_be_read(start + step):
        step *= 2
        if step > 1 << 40:
            return None
    broken, readable = start + step // 2, start + step
    while readable - broken > 1:
        middle = (broken + readable) // 2
        if can_be_read(middle):
            readable = middle
        else:
            broken = middle
    return readable
