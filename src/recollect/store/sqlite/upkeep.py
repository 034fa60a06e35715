"""The health of a SQLite store: what is checked, and how it is mended.

Nothing is thrown away: what cannot be kept in the database is written beside it.
"""

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
from recollect.store.sqlite import index, leaks, quotations, vectors
from recollect.store.sqlite.database import Database, decode_text
from recollect.store.sqlite.history import change_of
from recollect.store.sqlite.inbox import INBOX_HASH_COLUMNS
from recollect.store.sqlite.rows import (
    INJECTION_HASH_COLUMNS,
    MEMORY_HASH_COLUMNS,
    RECAP_HASH_COLUMNS,
    TURN_HASH_COLUMNS,
    DamagedRow,
    current_row,
    is_sound,
    memory_of,
    memory_row,
    row_hash,
)

# A memory checks its own, see `rows.memory_of`.
HASH_COLUMNS = {
    "turn": TURN_HASH_COLUMNS,
    "injection": INJECTION_HASH_COLUMNS,
    "recap": RECAP_HASH_COLUMNS,
    "inbox": INBOX_HASH_COLUMNS,
}
CHECKED_TABLES = ("memory", "turn", "injection", "recap", "inbox", "deed", "change")
SHOWN_AT_MOST = 5  # ids in a message
REPAIR = "Run `recollect doctor --repair`."
SIDE_FILES = ("", "-wal", "-shm")


def check(database: Database) -> list[Finding]:
    damage = [*_structure(database), *_hashes(database), *_index(database), *_vectors(database)]
    return [
        *(damage or [fine("database", "every row is what was written, and every row is in the index")]),
        *_traces(database),
        *_privacy(database),
        *_secrets(database),
    ]


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
    for table in CHECKED_TABLES:
        damaged = [_name_of(table, row) for row in _rows(database, table) if not row_is_sound(table, row)]
        if damaged:
            named = ", ".join(damaged[:SHOWN_AT_MOST]) + (" ..." if len(damaged) > SHOWN_AT_MOST else "")
            yield problem(table, f"{len(damaged)} rows are not what was written: {named}", REPAIR)


def _rows(database: Database, table: str) -> Iterator[sqlite3.Row]:
    with database.read() as connection, suppress(sqlite3.DatabaseError):  # a broken page is told by `_structure`
        yield from connection.execute(f"SELECT * FROM {table}")


def row_is_sound(table: str, row: Mapping[str, Any] | sqlite3.Row) -> bool:
    """Whether a row is what was written. A copy from before the hashes is taken at its word."""
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
    return table not in HASH_COLUMNS or is_sound(row, HASH_COLUMNS[table])


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


def _vectors(database: Database) -> Iterator[Finding]:
    with database.read() as connection, suppress(sqlite3.DatabaseError):
        damaged = vectors.count_damaged(connection)
        if damaged:
            says = f"{damaged} vectors are not what was written: what they stand for is hardly found by its meaning"
            yield problem("vectors", says, REPAIR)


def _index(database: Database) -> Iterator[Finding]:
    with database.read() as connection, suppress(sqlite3.DatabaseError):
        for table, words, where in (
            ("memory", "memory_words", "WHERE forgotten_ms IS NULL"),
            ("turn", "turn_words", ""),
        ):
            rows, indexed = f"SELECT n FROM {table} {where}", f"SELECT id FROM {words}_docsize"
            # In one statement: others write meanwhile, and two would see two states.
            either = f"SELECT * FROM ({rows} EXCEPT {indexed}) UNION ALL SELECT * FROM ({indexed} EXCEPT {rows})"
            (differing,) = connection.execute(f"SELECT count(*) FROM ({either})").fetchone()
            if differing:
                yield problem("index", f"{differing} rows of {table} do not match their index", REPAIR)
    if not database.is_read_only:
        with database.without_transaction() as connection:
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
                f"{count} memories or sessions may have left traces in the file, its log or a backup",
                "They go with the next command that writes, when nobody else is reading.",
            )


def _privacy(database: Database) -> Iterator[Finding]:
    if database.path is None:
        return
    files = [database.path.with_name(database.path.name + suffix) for suffix in SIDE_FILES]
    for path in (database.path.parent, *files, *database.backups()):
        if path.exists() and stat.S_IMODE(path.stat().st_mode) & 0o077:
            yield problem("privacy", f"{path} can be read by others", f"chmod go-rwx {path}")


def _secrets(database: Database) -> Iterator[Finding]:
    with database.read() as connection, suppress(sqlite3.DatabaseError):
        found = {leaks.TABLES[table]: leaks.count_rows(connection, table) for table in leaks.TABLES}
        told = ", ".join(f"{count} {what}" for what, count in found.items() if count)
        if told:
            says = f"what looks like a secret, kept by an older version: {told}; never shown, but on the disk"
            yield problem("secrets", says, REPAIR)


def mend(database: Database) -> list[Finding]:
    """An open database: private files, rows that are what was written, and an index made from them."""
    damaged: list[dict[str, Any]] = []
    restored = 0
    aside = None
    with database.write() as connection:
        if database.path is not None:
            _make_private(database)
        connection.execute("REINDEX")  # before the rows: a row is found and replaced through its indexes
        for table in CHECKED_TABLES:
            for row in connection.execute(f"SELECT * FROM {table}").fetchall():
                if row_is_sound(table, row):
                    continue
                damaged.append({"table": table, **dict(row)})
                if table == "deed":
                    damaged += _with_its_changes(connection, row["n"])
                good = _from_backups(database, row) if table == "memory" else None
                _take_out(connection, table, row)
                if good is not None:
                    restored += 1
                    insert(connection, table, good)
        _give_hashes(connection)
        index.rebuild(connection)
        vectors.mend(connection)
        if damaged and database.path is not None:
            aside = _write_aside(database.path, damaged)  # before the commit: if it fails, nothing is taken out
    found = [fine("database", "the index was made anew")]
    if damaged:
        found.append(
            note(
                "database",
                f"{len(damaged)} damaged rows: {restored} restored from a backup, the others taken out",
                f"As they were, they stand in {aside}." if aside else "",
            )
        )
    return found


def _give_hashes(connection: sqlite3.Connection) -> None:
    """To what a process of an older version has written since."""
    for row in connection.execute("SELECT * FROM memory WHERE hash = ''").fetchall():
        current = memory_row(memory_of(row))
        connection.execute(
            "UPDATE memory SET hash = ?, reach = ? WHERE n = ?", (current["hash"], current["reach"], row["n"])
        )


def _with_its_changes(connection: sqlite3.Connection, deed: int) -> list[dict[str, Any]]:
    """What a deed changed goes with it: without the deed, nobody can tell what it was."""
    changes = connection.execute("SELECT * FROM change WHERE deed = ?", (deed,)).fetchall()
    connection.execute("DELETE FROM change WHERE deed = ?", (deed,))
    connection.execute("UPDATE deed SET undone_by = NULL WHERE undone_by = ?", (deed,))
    return [{"table": "change", **dict(change)} for change in changes]


def _make_private(database: Database) -> None:
    assert database.path is not None
    database.path.parent.chmod(0o700)
    files = [database.path.with_name(database.path.name + suffix) for suffix in SIDE_FILES]
    for path in (*files, *database.backups()):
        if path.exists():
            path.chmod(0o600)


def _from_backups(database: Database, row: sqlite3.Row) -> dict[str, object] | None:
    """The same memory, undamaged, from the newest backup that has it, perhaps as it was earlier."""
    for backup in reversed(database.backups()):
        with suppress(sqlite3.Error, DamagedRow), closing(open_copy(backup)) as connection:
            kept = connection.execute("SELECT * FROM memory WHERE n = ?", (row["n"],)).fetchone()
            good = None if kept is None else current_row(dict(kept))
            if good is not None and (good["hash"] == row["hash"] or good["id"] == row["id"]):
                # What was forgotten since then stays forgotten.
                return good if row["forgotten_ms"] is None else _forgotten(good, row["forgotten_ms"])
    return None


def _forgotten(good: dict[str, object], ms: int) -> dict[str, object]:
    forgotten = {**good, "forgotten_ms": ms}
    return {**forgotten, "hash": row_hash(forgotten, MEMORY_HASH_COLUMNS)}


def _take_out(connection: sqlite3.Connection, table: str, row: sqlite3.Row) -> None:
    if table == "injection":
        connection.execute(f"DELETE FROM injection WHERE {quotations.block_condition(dict(row))}", dict(row))
    elif table == "recap":
        connection.execute("DELETE FROM recap WHERE session = ?", (row["session"],))
    else:
        connection.execute(f"DELETE FROM {table} WHERE n = ?", (row["n"],))


def _write_aside(database: Path, rows: Sequence[dict[str, Any]]) -> Path:
    aside = database.with_name(f"damaged-{timestamp()}.jsonl")
    how = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(aside, how, 0o600), "a", encoding="utf-8", errors="backslashreplace") as file:  # noqa: PTH123
        safe = map(leaks.without_secrets, rows)
        file.writelines(json.dumps(row, ensure_ascii=False, default=repr) + "\n" for row in safe)
    return aside


def insert(connection: sqlite3.Connection, table: str, row: Mapping[str, Any], instead: str = "ABORT") -> bool:
    """Whether it was put there."""
    names, marks = ", ".join(row), ", ".join("?" * len(row))
    put = connection.execute(f"INSERT OR {instead} INTO {table} ({names}) VALUES ({marks})", list(row.values()))
    return put.rowcount > 0


def open_copy(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    connection.row_factory = sqlite3.Row
    connection.text_factory = decode_text
    connection.execute("PRAGMA writable_schema = ON")  # otherwise nothing at all is read of a file that was cut off
    return connection


def timestamp() -> str:
    return time.strftime("%Y%m%dT%H%M%S", time.gmtime())
