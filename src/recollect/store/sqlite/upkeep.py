"""The health of a SQLite store: what is checked, and how it is mended.

Nothing is thrown away: what cannot be kept in the database is written beside it.
"""

import json
import shutil
import sqlite3
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from recollect.domain.errors import StoreUnusable
from recollect.domain.health import Finding, fine, note, problem
from recollect.domain.memory import MemoryId
from recollect.store.sqlite import index, quotations
from recollect.store.sqlite.database import Database, alone_on, as_text, lock_of
from recollect.store.sqlite.history import deed_of
from recollect.store.sqlite.rows import (
    INJECTION_WORDS,
    MEMORY_WORDS,
    TURN_WORDS,
    DamagedRow,
    current_row,
    is_sound,
    memory_of,
    memory_row,
    row_hash,
)

HASHED = {"turn": TURN_WORDS, "injection": INJECTION_WORDS}  # a memory checks its own, see `rows.memory_of`
CHECKED = ("memory", "turn", "injection", "deed", "change")
CARRIED = ("memory", "turn", "session", "injection", "deed", "change", "project_alias", "trace")  # in order of need
NUMBERED = ("memory", "turn", "deed", "change")
KEY_COLUMNS = {"session": 1, "injection": 3, "project_alias": 2, "trace": 1}  # the first ones; these have no number
SHOWN_AT_MOST = 5  # ids in a message
REPAIR = "Run `recollect doctor --repair`."
_SIDE_FILES = ("", "-wal", "-shm")
_MAGIC, HEADER_BYTES = b"SQLite format 3\0", 100


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
    for table in CHECKED:
        damaged = [_name_of(table, row) for row in _rows(database, table) if not _is_sound(table, row)]
        if damaged:
            named = ", ".join(damaged[:SHOWN_AT_MOST]) + (" ..." if len(damaged) > SHOWN_AT_MOST else "")
            yield problem(table, f"{len(damaged)} rows are not what was written: {named}", REPAIR)


def _rows(database: Database, table: str) -> Iterator[sqlite3.Row]:
    with database.read() as connection, suppress(sqlite3.DatabaseError):  # a broken page is told by `_structure`
        yield from connection.execute(f"SELECT * FROM {table}")


def _is_sound(table: str, row: Mapping[str, Any] | sqlite3.Row) -> bool:
    """Whether a row is what was written. A copy from before the hashes is taken at its word."""
    try:
        match table:
            case "memory":
                memory_of(row)
            case "change" if row["before"] is not None:
                memory_of(json.loads(row["before"]))
            case "deed":
                deed_of({**dict(row), "memories": 0, "about": None})
    except (DamagedRow, ValueError, KeyError):
        return False
    return table not in HASHED or is_sound(row, HASHED[table])


def _name_of(table: str, row: sqlite3.Row) -> str:
    match table:
        case "memory":
            return str(row["id"])
        case "change":
            return str(row["memory"])
        case "deed":
            return str(row["n"])
        case _:
            return f"{row['session']}/{row['message']}"


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
    damaged: list[dict[str, Any]] = []
    restored = 0
    aside = None
    with database.write() as connection:
        if database.path is not None:
            _make_private(database)
        connection.execute("REINDEX")  # before the rows: a row is found and replaced through its indexes
        for table in CHECKED:
            for row in connection.execute(f"SELECT * FROM {table}").fetchall():
                if _is_sound(table, row):
                    continue
                damaged.append({"table": table, **dict(row)})
                if table == "deed":
                    damaged += _with_its_changes(connection, row["n"])
                good = _from_backups(database, row) if table == "memory" else None
                _take_out(connection, table, row)
                if good is not None:
                    restored += 1
                    _put(connection, table, good)
        _give_hashes(connection)
        index.rebuild(connection)
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
    files = [database.path.with_name(database.path.name + suffix) for suffix in _SIDE_FILES]
    for path in (*files, *database.backups()):
        if path.exists():
            path.chmod(0o600)


def _from_backups(database: Database, row: sqlite3.Row) -> dict[str, object] | None:
    """The same memory, undamaged, from the newest backup that has it, perhaps as it was earlier."""
    for backup in reversed(database.backups()):
        with suppress(sqlite3.Error, DamagedRow), closing(_reading(backup)) as connection:
            kept = connection.execute("SELECT * FROM memory WHERE n = ?", (row["n"],)).fetchone()
            good = None if kept is None else current_row(dict(kept))
            if good is not None and (good["hash"] == row["hash"] or good["id"] == row["id"]):
                # What was forgotten since then stays forgotten.
                return good if row["forgotten_ms"] is None else _forgotten(good, row["forgotten_ms"])
    return None


def _forgotten(good: dict[str, object], ms: int) -> dict[str, object]:
    forgotten = {**good, "forgotten_ms": ms}
    return {**forgotten, "hash": row_hash(forgotten, MEMORY_WORDS)}


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
    if not path.is_file():
        raise StoreUnusable(f"There is no database {path}.")
    with alone_on(path):
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
            gone = [MemoryId(row["memory"]) for row in connection.execute("SELECT memory FROM trace")]
            quotations.delete(connection, gone)  # a backup that was not rewritten yet must not bring them back
    except BaseException:
        database.close()
        _remove(new)
        raise
    finally:
        _headed(path).unlink(missing_ok=True)
    database.close()
    lock_of(new).unlink(missing_ok=True)
    damaged = path.with_name(f"{path.name}.damaged-{_stamp()}")
    present = [suffix for suffix in _SIDE_FILES if path.with_name(path.name + suffix).exists()]
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
    shutil.copyfile(path, copy)
    copy.chmod(0o600)
    with copy.open("r+b") as file:
        file.write(header)
    return copy


def _remove(database: Path) -> None:
    for suffix in (*_SIDE_FILES, ".lock"):
        database.with_name(database.name + suffix).unlink(missing_ok=True)


def _carry(source: Path, connection: sqlite3.Connection, broken: set[str]) -> int:
    """Copies every row that can be read and is what was written, unless it is there already. Answers with memories.

    `broken` gets the names of tables of which something could not be read.
    """
    (before,) = connection.execute("SELECT count(*) FROM memory").fetchone()
    try:
        with closing(_reading(source)) as reader:
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
    if table in HASHED and "hash" not in row:
        return {**row, "hash": row_hash(row, HASHED[table])}
    if not _is_sound(table, row):
        raise DamagedRow(f"A row of {table} is not what was written.")
    return row


def _put_if_new(connection: sqlite3.Connection, table: str, row: dict[str, Any]) -> None:
    if _put(connection, table, row, instead="IGNORE") or table not in ("memory", "turn"):
        return
    # It is there already; or another has taken its number since that backup, and it gets a new one.
    _put(connection, table, {name: value for name, value in row.items() if name != "n"}, instead="IGNORE")


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


def _put(connection: sqlite3.Connection, table: str, row: Mapping[str, Any], instead: str = "ABORT") -> bool:
    """Whether it was put there."""
    names, marks = ", ".join(row), ", ".join("?" * len(row))
    put = connection.execute(f"INSERT OR {instead} INTO {table} ({names}) VALUES ({marks})", list(row.values()))
    return put.rowcount > 0


def _reading(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    connection.row_factory = sqlite3.Row
    connection.text_factory = as_text
    connection.execute("PRAGMA writable_schema = ON")  # otherwise nothing at all is read of a file that was cut off
    return connection


def _stamp() -> str:
    return time.strftime("%Y%m%dT%H%M%S", time.gmtime())
