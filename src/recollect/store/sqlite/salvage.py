"""What can be read of a database that cannot be used any more becomes a new one; the old file is kept beside it."""

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
from recollect.store.sqlite.rows import DamagedRow, current_row, row_hash
from recollect.store.sqlite.upkeep import HASH_COLUMNS, SIDE_FILES, insert, open_copy, row_is_sound, timestamp

# In order of need.
CARRIED = (
    *("memory", "turn", "session", "injection", "recap", "inbox", "deed", "change"),
    *("project_alias", "trace", "token_day", "transcript", "chore"),
)
NUMBERED = ("memory", "turn", "inbox", "deed", "change")
KEY_COLUMNS = {
    "session": 1,
    "injection": 3,
    "recap": 1,
    "project_alias": 2,
    "trace": 1,
    "token_day": 1,
    "chore": 1,
    "transcript": 1,
}  # the first ones; these have no number
BESIDE = (".lock", ".waiting")  # of every open database
_MAGIC, HEADER_BYTES = b"SQLite format 3\0", 100


def salvage(path: Path) -> list[Finding]:
    """A file that cannot be used any more: what can be read of it, and of the newest backup, becomes a new database."""
    if not path.is_file():
        raise StoreUnusable(f"There is no database {path}.")
    with exclusive_use(path):
        return _salvaged(path)


def _salvaged(path: Path) -> list[Finding]:
    new = path.with_name(f"{path.name}.salvaged")
    _remove(new)
    database = Database(new)
    try:
        with database.write() as connection:
            # The file first: it knows what the backup does not. Foreign keys wait until everything is there.
            connection.execute("PRAGMA defer_foreign_keys = ON")
            broken: set[str] = set()
            from_file = _carry(_with_header(path, connection), connection, broken)
            from_backups = sum(_carry(backup, connection, set()) for backup in reversed(database.backups()))
            connection.execute("DELETE FROM change WHERE deed NOT IN (SELECT n FROM deed)")
            connection.execute("UPDATE deed SET undone_by = NULL WHERE undone_by NOT IN (SELECT n FROM deed)")
            index.rebuild(connection)
            vectors.drop_all(connection)
            traces = [row["memory"] for row in connection.execute("SELECT memory FROM trace")]
            deletion.delete_traces(connection, traces)  # a backup that was not rewritten yet must not bring them back
    except BaseException:
        database.close()
        _remove(new)
        raise
    finally:
        _headed(path).unlink(missing_ok=True)
    database.close()
    for beside in BESIDE:
        new.with_name(new.name + beside).unlink(missing_ok=True)
    damaged = path.with_name(f"{path.name}.damaged-{timestamp()}")
    present = [suffix for suffix in SIDE_FILES if path.with_name(path.name + suffix).exists()]
    for suffix in present:
        _keep_as(path.with_name(path.name + suffix), damaged.with_name(damaged.name + suffix))
    for suffix in present:
        if suffix:  # a log that is left would be taken for that of the new file
            path.with_name(path.name + suffix).unlink()
    new.replace(path)  # at every moment there is a database under its name, the old one or the new one
    says = f"made anew: {from_file} memories from the damaged file, {from_backups} more from backups"
    kept = f"The damaged file is kept as {damaged}."
    if not broken:
        return [note("database", says, kept)]
    return [problem("database", f"{says}; not all could be read of: {', '.join(sorted(broken))}", kept)]


def _keep_as(path: Path, kept: Path) -> None:
    try:
        kept.hardlink_to(path)
    except OSError:  # not every disk has links
        shutil.copyfile(path, kept)
        kept.chmod(0o600)


def _headed(path: Path) -> Path:
    return path.with_name(f"{path.name}.headed")


def _with_header(path: Path, like: sqlite3.Connection) -> Path:
    """The file itself; where its first bytes are gone, a copy with those of a database of this version."""
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) == _MAGIC:
            return path
    header = bytearray(like.serialize()[:HEADER_BYTES])
    page_bytes = int.from_bytes(header[16:18], "big")
    header[18:20] = b"\x01\x01"  # no log belongs to it
    header[28:32] = (path.stat().st_size // page_bytes).to_bytes(4, "big")
    header[32:40] = bytes(8)  # no list of free pages: they may be read as they are
    header[92:96] = header[24:28]  # which makes the size above count
    copy = _headed(path)
    copy.unlink(missing_ok=True)
    shutil.copyfile(path, copy)
    copy.chmod(0o600)
    with copy.open("r+b") as file:
        file.write(header)
    return copy


def _remove(database: Path) -> None:
    for suffix in (*SIDE_FILES, *BESIDE):
        database.with_name(database.name + suffix).unlink(missing_ok=True)


def _carry(source: Path, connection: sqlite3.Connection, broken: set[str]) -> int:
    """Copies every row that can be read and is what was written, unless it is there already. Answers with memories.

    `broken` gets the names of tables of which something could not be read.
    """
    (before,) = connection.execute("SELECT count(*) FROM memory").fetchone()
    try:
        with closing(open_copy(source)) as reader:
            for table in CARRIED:
                for row in _readable_rows(reader, table, broken):
                    try:
                        _put_if_new(connection, table, _current(table, row))
                    except (DamagedRow, sqlite3.IntegrityError, UnicodeEncodeError):  # it is not what was written
                        broken.add(table)
    except sqlite3.Error:
        broken.add("everything")
    (after,) = connection.execute("SELECT count(*) FROM memory").fetchone()
    return int(after - before)


def _current(table: str, row: dict[str, Any]) -> dict[str, Any]:
    """The row as this version has it; from before the hashes it is taken at its word."""
    if table == "memory":
        return current_row(row)
    if table in HASH_COLUMNS and "hash" not in row:
        return {**row, "hash": row_hash(row, HASH_COLUMNS[table])}
    if not row_is_sound(table, row):
        raise DamagedRow(f"A row of {table} is not what was written.")
    return row


def _put_if_new(connection: sqlite3.Connection, table: str, row: dict[str, Any]) -> None:
    if insert(connection, table, row, instead="IGNORE") or table not in ("memory", "turn"):
        return
    # It is there already; or another has taken its number since that backup, and it gets a new one.
    insert(connection, table, {name: value for name, value in row.items() if name != "n"}, instead="IGNORE")


def _readable_rows(reader: sqlite3.Connection, table: str, broken: set[str]) -> Iterator[dict[str, Any]]:
    """Around what is broken: row by row where rows have numbers, else from both ends."""
    if table in NUMBERED:
        yield from _numbered_rows(reader, table, broken)
        return
    for direction in ("ASC", "DESC"):
        try:
            order = ", ".join(f"{column} {direction}" for column in range(1, KEY_COLUMNS[table] + 1))
            yield from map(dict, reader.execute(f"SELECT * FROM {table} ORDER BY {order}"))
        except sqlite3.Error as error:
            _note_broken(broken, table, error)
            continue
        return


def _numbered_rows(reader: sqlite3.Connection, table: str, broken: set[str]) -> Iterator[dict[str, Any]]:
    start: int | None = 1
    while start is not None:
        try:
            for row in reader.execute(f"SELECT * FROM {table} WHERE n >= ? ORDER BY n", (start,)):
                start = max(start, row["n"] + 1)  # a broken tree may lead back
                yield dict(row)
        except sqlite3.Error as error:
            _note_broken(broken, table, error)
            # A cursor reads ahead: what met the gap has taken the row before it along.
            before_gap = _one_row(reader, table, start)
            start = _end_of_gap(reader, table, start) if before_gap is None else before_gap["n"] + 1
            if before_gap is not None:
                yield before_gap
        else:
            return


def _note_broken(broken: set[str], table: str, error: sqlite3.Error) -> None:
    if "no such table" not in str(error):  # a file of an older version has not all of them
        broken.add(table)


def _one_row(reader: sqlite3.Connection, table: str, start: int) -> dict[str, Any] | None:
    with suppress(sqlite3.Error):
        row = reader.execute(f"SELECT * FROM {table} WHERE n >= ? ORDER BY n LIMIT 1", (start,)).fetchone()
        return None if row is None else dict(row)
    return None


def _end_of_gap(reader: sqlite3.Connection, table: str, start: int) -> int | None:
    """From which number on the rows can be read again; None: never."""

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
