"""Checks a SQLite store and repairs it. Nothing is thrown away: rows that cannot be kept go to a file beside it."""

import json
import os
import sqlite3
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from recollect.domain.health import Finding, fine, note, problem
from recollect.store.sqlite import delete_quotes, index, open_files, stored_secrets, vectors
from recollect.store.sqlite.changes import change_of
from recollect.store.sqlite.database import Database, decode_text
from recollect.store.sqlite.inbox import INBOX_HASHED
from recollect.store.sqlite.rows import (
    INJECTION_HASHED,
    MEMORY_HASHED,
    RECAP_HASHED,
    TURN_HASHED,
    DamagedRow,
    current_row,
    is_sound,
    memory_of,
    memory_row,
    row_hash,
)

# A memory checks its own, see `rows.memory_of`.
HASHED_COLUMNS = {"turn": TURN_HASHED, "injection": INJECTION_HASHED, "recap": RECAP_HASHED, "inbox": INBOX_HASHED}
CHECKED_TABLES = ("memory", "turn", "injection", "recap", "inbox", "deed", "change")
MAX_NAMES = 5  # in one message
REPAIR = "Run `recollect doctor --repair`."


def check(database: Database) -> list[Finding]:
    damage = [*_check_structure(database), *_check_hashes(database), *_check_index(database), *_check_vectors(database)]
    healthy = fine("database", "every row matches its checksum, and every row is in the index")
    return [*(damage or [healthy]), *_check_traces(database), *_check_modes(database), *_check_secrets(database)]


def _check_structure(database: Database) -> Iterator[Finding]:
    with database.read() as connection:
        _renew_index_cache(connection)
        try:
            errors = [row[0] for row in connection.execute("PRAGMA integrity_check(5)")]
        except sqlite3.DatabaseError as error:
            errors = [str(error)]
        if errors != ["ok"]:
            yield problem("database", f"its structure is damaged: {'; '.join(errors)}", REPAIR)
            return
        dangling = connection.execute("PRAGMA foreign_key_check").fetchall()
    if dangling:
        yield problem("database", f"{len(dangling)} rows refer to a row that does not exist", REPAIR)


def _renew_index_cache(connection: sqlite3.Connection) -> None:
    """Query each word index once. SQLite 3.53 checks an index against this connection's cached copy of its structure,
    and calls it damaged if another connection has written since."""
    for words in ("memory_words", "turn_words"):
        with suppress(sqlite3.DatabaseError):  # `_check_index` reports a damaged index
            connection.execute(f"SELECT 1 FROM {words} WHERE {words} MATCH 'x' LIMIT 1").fetchone()


def _check_hashes(database: Database) -> Iterator[Finding]:
    for table in CHECKED_TABLES:
        damaged = [_name_of(table, row) for row in _rows(database, table) if not row_is_sound(table, row)]
        if damaged:
            names = ", ".join(damaged[:MAX_NAMES])
            if len(damaged) > MAX_NAMES:
                names += " ..."
            yield problem(table, f"checksum mismatch in {len(damaged)} rows: {names}", REPAIR)


def _rows(database: Database, table: str) -> Iterator[sqlite3.Row]:
    with database.read() as connection, suppress(sqlite3.DatabaseError):  # `_check_structure` reports a broken page
        yield from connection.execute(f"SELECT * FROM {table}")


def row_is_sound(table: str, row: Mapping[str, Any] | sqlite3.Row) -> bool:
    """Check a row against its hash. A copy from before hashes is trusted."""
    try:
        match table:
            case "memory":
                memory_of(row)
            case "change" if row["before"] is not None:
                memory_of(json.loads(row["before"]))
            case "deed":
                change_of({**dict(row), "memories": 0, "about": None})
    except (DamagedRow, ValueError, KeyError):
        return False
    return table not in HASHED_COLUMNS or is_sound(row, HASHED_COLUMNS[table])


def _name_of(table: str, row: sqlite3.Row) -> str:
    match table:
        case "memory":
            return str(row["id"])
        case "change":
            return str(row["memory"])
        case "deed" | "inbox":
            return str(row["n"])
        case "recap":
            return str(row["session"])
        case _:
            return f"{row['session']}/{row['message']}"


def _check_vectors(database: Database) -> Iterator[Finding]:
    with database.read() as connection, suppress(sqlite3.DatabaseError):
        damaged = vectors.count_damaged(connection)
        if damaged:
            says = f"checksum mismatch in {damaged} vectors: search by meaning hardly finds their memories and turns"
            yield problem("vectors", says, REPAIR)


def _check_index(database: Database) -> Iterator[Finding]:
    with database.read() as connection, suppress(sqlite3.DatabaseError):
        for table, words, where in (
            ("memory", "memory_words", "WHERE forgotten_ms IS NULL"),
            ("turn", "turn_words", ""),
        ):
            rows, indexed = f"SELECT n FROM {table} {where}", f"SELECT id FROM {words}_docsize"
            # In one statement: other processes write meanwhile, and two statements would see two states.
            either = f"SELECT * FROM ({rows} EXCEPT {indexed}) UNION ALL SELECT * FROM ({indexed} EXCEPT {rows})"
            (differing,) = connection.execute(f"SELECT count(*) FROM ({either})").fetchone()
            if differing:
                yield problem("index", f"{differing} rows of {table} do not match their index", REPAIR)
    if database.is_read_only:
        return
    with database.without_transaction() as connection:
        for words in ("memory_words", "turn_words"):
            try:
                connection.execute(f"INSERT INTO {words} ({words}) VALUES ('integrity-check')")
            except sqlite3.DatabaseError as error:
                yield problem("index", f"{words} is damaged ({error})", REPAIR)


def _check_traces(database: Database) -> Iterator[Finding]:
    with database.read() as connection, suppress(sqlite3.DatabaseError):
        (count,) = connection.execute("SELECT count(*) FROM trace").fetchone()
        if count:
            yield note(
                "forgetting",
                f"{count} memories or sessions may have left traces in the file, its log or a backup",
                "The next command that writes removes them, once no other process is reading.",
            )


def _check_modes(database: Database) -> Iterator[Finding]:
    if database.path is None:
        return
    for path in (database.path.parent, *open_files.side_files(database.path), *database.backups()):
        if path.exists() and stat.S_IMODE(path.stat().st_mode) & 0o077:
            yield problem("privacy", f"{path} can be read by others", f"chmod go-rwx {path}")


def _check_secrets(database: Database) -> Iterator[Finding]:
    with database.read() as connection, suppress(sqlite3.DatabaseError):
        counts = {what: stored_secrets.count_rows(connection, table) for table, what in stored_secrets.TABLES.items()}
        found = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
        if found:
            says = f"possible secrets stored by an older version: {found}; never shown, but on the disk"
            yield problem("secrets", says, REPAIR)


def mend(database: Database) -> list[Finding]:
    """Repair an open database: private files, only sound rows, and a new index over them."""
    damaged: list[dict[str, Any]] = []
    restored = 0
    aside = None
    with database.write() as connection:
        if database.path is not None:
            _make_private(database, database.path)
        connection.execute("REINDEX")  # before the rows: a row is found and replaced through its indexes
        for table in CHECKED_TABLES:
            for row in connection.execute(f"SELECT * FROM {table}").fetchall():
                if row_is_sound(table, row):
                    continue
                damaged.append({"table": table, **dict(row)})
                if table == "deed":
                    damaged += _delete_its_entries(connection, row["n"])
                good = _find_in_backups(database, row) if table == "memory" else None
                _delete(connection, table, row)
                if good is not None:
                    restored += 1
                    insert(connection, table, good)
        _add_missing_hashes(connection)
        index.rebuild(connection)
        vectors.mend(connection)
        if damaged and database.path is not None:
            aside = _write_aside(database.path, damaged)  # before the commit: if it fails, no row is deleted
    done = [fine("database", "the index was rebuilt")]
    if damaged:
        says = f"{len(damaged)} damaged rows: {restored} restored from a backup, the others removed"
        done.append(note("database", says, f"They are kept as they were in {aside}." if aside else ""))
    return done


def _add_missing_hashes(connection: sqlite3.Connection) -> None:
    """To rows that a running process of an older version wrote."""
    for row in connection.execute("SELECT * FROM memory WHERE hash = ''").fetchall():
        current = memory_row(memory_of(row))
        connection.execute(
            "UPDATE memory SET hash = ?, reach = ? WHERE n = ?", (current["hash"], current["reach"], row["n"])
        )


def _delete_its_entries(connection: sqlite3.Connection, n: int) -> list[dict[str, Any]]:
    """Delete and return the entries of a change: they mean nothing without it."""
    entries = connection.execute("SELECT * FROM change WHERE deed = ?", (n,)).fetchall()
    connection.execute("DELETE FROM change WHERE deed = ?", (n,))
    connection.execute("UPDATE deed SET undone_by = NULL WHERE undone_by = ?", (n,))
    return [{"table": "change", **dict(entry)} for entry in entries]


def _make_private(database: Database, path: Path) -> None:
    path.parent.chmod(0o700)
    for file in (*open_files.side_files(path), *database.backups()):
        if file.exists():
            file.chmod(0o600)


def _find_in_backups(database: Database, row: sqlite3.Row) -> dict[str, object] | None:
    """Return the same memory, undamaged, from the newest backup that has it, perhaps as it was earlier."""
    for backup in reversed(database.backups()):
        with suppress(sqlite3.Error, DamagedRow), closing(open_copy(backup)) as connection:
            old = connection.execute("SELECT * FROM memory WHERE n = ?", (row["n"],)).fetchone()
            good = None if old is None else current_row(dict(old))
            if good is not None and (good["hash"] == row["hash"] or good["id"] == row["id"]):
                if row["forgotten_ms"] is not None:  # a memory forgotten after the backup stays forgotten
                    good["forgotten_ms"] = row["forgotten_ms"]
                    good["hash"] = row_hash(good, MEMORY_HASHED)
                return good
    return None


def _delete(connection: sqlite3.Connection, table: str, row: sqlite3.Row) -> None:
    if table == "injection":
        connection.execute(f"DELETE FROM injection WHERE {delete_quotes.block_condition(dict(row))}", dict(row))
    elif table == "recap":
        connection.execute("DELETE FROM recap WHERE session = ?", (row["session"],))
    else:
        connection.execute(f"DELETE FROM {table} WHERE n = ?", (row["n"],))


def _write_aside(database: Path, rows: Sequence[dict[str, Any]]) -> Path:
    aside = database.with_name(f"damaged-{timestamp()}.jsonl")
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(aside, flags, 0o600), "a", encoding="utf-8", errors="backslashreplace") as file:  # noqa: PTH123
        for row in rows:
            file.write(json.dumps(stored_secrets.without_secrets(row), ensure_ascii=False, default=repr) + "\n")
    return aside


def insert(connection: sqlite3.Connection, table: str, row: Mapping[str, Any], on_conflict: str = "ABORT") -> bool:
    names, marks = ", ".join(row), ", ".join("?" * len(row))
    done = connection.execute(f"INSERT OR {on_conflict} INTO {table} ({names}) VALUES ({marks})", list(row.values()))
    return done.rowcount > 0


def open_copy(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    connection.row_factory = sqlite3.Row
    connection.text_factory = decode_text
    connection.execute("PRAGMA writable_schema = ON")  # else SQLite reads nothing at all of a truncated file
    return connection


def timestamp() -> str:
    return time.strftime("%Y%m%dT%H%M%S", time.gmtime())
