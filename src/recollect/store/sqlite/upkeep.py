"""The health of a SQLite store: what is checked, and how it is mended.

Nothing is thrown away: what cannot be kept in the database is written beside it.
"""

import json
import sqlite3
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from recollect.domain.errors import StoreUnusable
from recollect.domain.health import Finding, fine, note, problem
from recollect.store.sqlite import index
from recollect.store.sqlite.database import Database
from recollect.store.sqlite.rows import INJECTION_WORDS, MEMORY_WORDS, TURN_WORDS, row_hash

HASHED = {"memory": MEMORY_WORDS, "turn": TURN_WORDS, "injection": INJECTION_WORDS}
CARRIED = ("memory", "turn", "session", "injection", "deed", "change", "project_alias", "trace")  # in order of need
SHOWN_AT_MOST = 5  # ids in a message
REPAIR = "Run `recollect doctor --repair`."
_SIDE_FILES = ("", "-wal", "-shm")


def check(database: Database) -> list[Finding]:
    found = [*_structure(database), *_hashes(database), *_index(database), *_traces(database), *_privacy(database)]
    return found or [fine("database", "every row is what was written, and every row is in the index")]


def _structure(database: Database) -> Iterator[Finding]:
    with database.read() as connection:
        try:
            said = [row[0] for row in connection.execute("PRAGMA integrity_check(5)")]
        except sqlite3.DatabaseError as error:
            said = [str(error)]
        strays = [] if said != ["ok"] else connection.execute("PRAGMA foreign_key_check").fetchall()
    if said != ["ok"]:
        yield problem("database", f"its structure is damaged: {'; '.join(said)}", REPAIR)
    if strays:
        yield problem("database", f"{len(strays)} rows refer to nothing", REPAIR)


def _hashes(database: Database) -> Iterator[Finding]:
    for table, columns in HASHED.items():
        damaged = [_name_of(table, row) for row in _rows(database, table) if row_hash(row, columns) != row["hash"]]
        if damaged:
            named = ", ".join(damaged[:SHOWN_AT_MOST]) + (" ..." if len(damaged) > SHOWN_AT_MOST else "")
            yield problem(table, f"{len(damaged)} rows are not what was written: {named}", REPAIR)


def _rows(database: Database, table: str) -> Iterator[sqlite3.Row]:
    with database.read() as connection, suppress(sqlite3.DatabaseError):  # a broken page is told by `_structure`
        yield from connection.execute(f"SELECT * FROM {table}")


def _name_of(table: str, row: sqlite3.Row) -> str:
    return str(row["id"]) if table == "memory" else f"{row['session']}/{row['message']}"


def _index(database: Database) -> Iterator[Finding]:
    with database.read() as connection, suppress(sqlite3.DatabaseError):
        for table, words, where in (
            ("memory", "memory_words", "WHERE forgotten_ms IS NULL"),
            ("turn", "turn_words", ""),
        ):
            rows = {row["n"] for row in connection.execute(f"SELECT n FROM {table} {where}")}
            indexed = {row["id"] for row in connection.execute(f"SELECT id FROM {words}_docsize")}
            if rows != indexed:
                yield problem("index", f"{len(rows ^ indexed)} rows of {table} do not match their index", REPAIR)
    if not database.is_read_only:
        with database.alone() as connection:
            for words in ("memory_words", "turn_words"):
                try:
                    connection.execute(f"INSERT INTO {words} ({words}) VALUES ('integrity-check')")
                except sqlite3.DatabaseError as error:
                    yield problem("index", f"{words} is damaged ({error})", REPAIR)


def _traces(database: Database) -> Iterator[Finding]:
    with database.read() as connection, suppress(sqlite3.DatabaseError):
        (count,) = connection.execute("SELECT count(*) FROM trace").fetchone()
        if count:
            yield note(
                "forgetting",
                f"{count} forgotten memories may still have traces in the file, its log or a backup",
                "They go with the next command that writes, when nobody else is reading.",
            )


def _privacy(database: Database) -> Iterator[Finding]:
    if database.path is None:
        return
    files = [database.path.with_name(database.path.name + suffix) for suffix in _SIDE_FILES]
    for path in (database.path.parent, *files, *database.backups()):
        if path.exists() and stat.S_IMODE(path.stat().st_mode) & 0o077:
            yield problem("privacy", f"{path} can be read by others", f"chmod go-rwx {path}")


def mend(database: Database) -> list[Finding]:
    """An open database: private files, rows that are what was written, and an index made from them."""
    if database.path is not None:
        _make_private(database)
    damaged: list[dict[str, Any]] = []
    restored = 0
    with database.write() as connection:
        for table, columns in HASHED.items():
            for row in connection.execute(f"SELECT * FROM {table}").fetchall():
                if row_hash(row, columns) == row["hash"]:
                    continue
                good = _from_backups(database, table, row)
                damaged.append({"table": table, **dict(row)})
                if good is not None:
                    restored += 1
                    _put(connection, table, good)
                else:
                    _take_out(connection, table, row)
        connection.execute("REINDEX")
        index.rebuild(connection)
    found = [fine("database", "the index was made anew")]
    if damaged and database.path is not None:
        aside = _write_aside(database.path, damaged)
        found.append(
            note(
                "database",
                f"{len(damaged)} damaged rows: {restored} restored from a backup, the others taken out",
                f"As they were, they stand in {aside}.",
            )
        )
    return found


def _make_private(database: Database) -> None:
    assert database.path is not None
    database.path.parent.chmod(0o700)
    files = [database.path.with_name(database.path.name + suffix) for suffix in _SIDE_FILES]
    for path in (*files, *database.backups()):
        if path.exists():
            path.chmod(0o600)


def _from_backups(database: Database, table: str, row: sqlite3.Row) -> sqlite3.Row | None:
    """The same row, undamaged, from the newest backup that has it."""
    if table != "memory":
        return None
    for backup in reversed(database.backups()):
        with suppress(sqlite3.Error, IndexError), closing(_reading(backup)) as connection:
            good: sqlite3.Row | None = connection.execute("SELECT * FROM memory WHERE n = ?", (row["n"],)).fetchone()
            if good is not None and row_hash(good, MEMORY_WORDS) == good["hash"]:
                return good
    return None


def _take_out(connection: sqlite3.Connection, table: str, row: sqlite3.Row) -> None:
    if table == "injection":
        connection.execute(
            "DELETE FROM injection WHERE session = ? AND message = ? AND context = ?",
            (row["session"], row["message"], row["context"]),
        )
    else:
        connection.execute(f"DELETE FROM {table} WHERE n = ?", (row["n"],))


def _write_aside(database: Path, rows: Sequence[dict[str, Any]]) -> Path:
    aside = database.with_name(f"damaged-{_stamp()}.jsonl")
    aside.touch(mode=0o600)
    with aside.open("a", encoding="utf-8", errors="backslashreplace") as file:
        file.writelines(json.dumps(row, ensure_ascii=False, default=repr) + "\n" for row in rows)
    return aside


def salvage(path: Path) -> list[Finding]:
    """A file that cannot be used any more: what can be read of it, and of the newest backup, becomes a new database."""
    new = path.with_name(f"{path.name}.salvaged")
    for suffix in _SIDE_FILES:
        new.with_name(new.name + suffix).unlink(missing_ok=True)
    database = Database(new)
    try:
        with database.write() as connection:
            # The file first: it knows what the backup does not. Foreign keys wait until everything is there.
            connection.execute("PRAGMA defer_foreign_keys = ON")
            from_file = _carry(path, connection)
            from_backups = 0
            for backup in sorted((path.parent / "backups").glob("*.db"), reverse=True):
                from_backups += _carry(backup, connection)
            connection.execute("DELETE FROM change WHERE deed NOT IN (SELECT n FROM deed)")
            connection.execute("UPDATE deed SET undone_by = NULL WHERE undone_by NOT IN (SELECT n FROM deed)")
            index.rebuild(connection)
        with database.alone() as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        database.close()
    damaged = path.with_name(f"{path.name}.damaged-{_stamp()}")
    for suffix in _SIDE_FILES:
        old = path.with_name(path.name + suffix)
        if old.exists():
            old.rename(damaged.with_name(damaged.name + suffix))
    new.rename(path)
    for suffix in _SIDE_FILES[1:]:
        new.with_name(new.name + suffix).unlink(missing_ok=True)
    return [
        note(
            "database",
            f"made anew: {from_file} memories from the damaged file, {from_backups} more from backups",
            f"The damaged file is kept as {damaged}.",
        )
    ]


def _carry(source: Path, connection: sqlite3.Connection) -> int:
    """Copies every row that can be read and is what was written, unless it is there already. Answers with memories."""
    (before,) = connection.execute("SELECT count(*) FROM memory").fetchone()
    with suppress(sqlite3.Error), closing(_reading(source)) as reader:
        for table in CARRIED:
            for row in _readable_rows(reader, table):
                if "hash" in row and table in HASHED and row_hash(row, HASHED[table]) != row["hash"]:
                    continue
                with suppress(sqlite3.IntegrityError, sqlite3.OperationalError):  # an older schema, or there already
                    _put(connection, table, row, instead="IGNORE")
    (after,) = connection.execute("SELECT count(*) FROM memory").fetchone()
    return int(after - before)


def _readable_rows(reader: sqlite3.Connection, table: str) -> Iterator[dict[str, Any]]:
    """Row by row around what is broken, where rows have numbers; else up to the first broken page."""
    numbered = table in ("memory", "turn", "deed", "change")
    last = 0
    while True:
        try:
            cursor = reader.execute(
                f"SELECT * FROM {table} WHERE n > ? ORDER BY n" if numbered else f"SELECT * FROM {table}",
                *([(last,)] if numbered else []),
            )
            for row in cursor:
                if numbered:
                    last = row["n"]
                yield dict(row)
        except sqlite3.Error:
            gap = _next_readable(reader, table, last) if numbered else None
            if gap is None:
                return
            last = gap - 1
        else:
            return


def _next_readable(reader: sqlite3.Connection, table: str, last: int) -> int | None:
    step = 1
    while step < 1 << 40:
        with suppress(sqlite3.Error):
            row = reader.execute(f"SELECT n FROM {table} WHERE n > ? ORDER BY n LIMIT 1", (last + step,)).fetchone()
            return int(row["n"]) if row else None
        step *= 2
    return None


def _put(connection: sqlite3.Connection, table: str, row: Any, instead: str = "REPLACE") -> None:
    columns = list(row.keys())
    names, marks = ", ".join(columns), ", ".join("?" * len(columns))
    connection.execute(
        f"INSERT OR {instead} INTO {table} ({names}) VALUES ({marks})", [row[column] for column in columns]
    )


def _reading(path: Path) -> sqlite3.Connection:
    if not path.is_file():
        raise StoreUnusable(f"There is no database {path}.")
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    connection.row_factory = sqlite3.Row
    return connection


def _stamp() -> str:
    return time.strftime("%Y%m%dT%H%M%S", time.gmtime())
