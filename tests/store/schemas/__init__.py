"""A database of every schema so far, as the code of its version wrote it, and an export of every form so far.

The dumps are text: `restore` makes a database of one. `python -m tests.store.schemas` writes the dump of today's schema;
run it after a migration is added, and commit the file. A file of a released version is never written again.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

HERE = Path(__file__).parent
NEVER_RELEASED = (1, 3, 8, 9)  # steps of a larger migration
SCHEMAS = sorted(int(file.stem.removeprefix("schema-")) for file in HERE.glob("schema-*.sql"))
EXPORTS = sorted(file.name for file in HERE.glob("export-*"))


def restore(schema: int, path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True)
    path.touch(mode=0o600)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript((HERE / f"schema-{schema:03}.sql").read_text(encoding="utf-8"))


def dump(path: Path) -> str:
    """Return a database as SQL: tables, rows, then indexes and triggers. A word index is dumped as its rows."""
    lines = []
    with closing(sqlite3.connect(path)) as connection:
        made = connection.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
        words = [name for _, name, sql in made if sql.startswith("CREATE VIRTUAL")]
        internal = {f"{name}_{part}" for name in words for part in ("data", "idx", "content", "docsize", "config")}
        tables = [name for kind, name, _ in made if kind == "table" and not name.startswith("sqlite_")]
        tables = [name for name in tables if name not in internal]
        lines += [f"{sql.strip()};" for kind, name, sql in made if kind == "table" and name in tables]
        for table in tables:
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            names = ", ".join(["rowid", *columns] if table in words else columns)
            quoted = ", ".join(f"quote({name})" for name in names.split(", "))
            for row in connection.execute(f"SELECT {quoted} FROM {table}"):
                lines.append(f"INSERT INTO {table} ({names}) VALUES ({', '.join(row)});")
        lines += [f"{sql.strip()};" for kind, _, sql in made if kind != "table"]
        (schema,) = connection.execute("PRAGMA user_version").fetchone()
    return "\n".join([*lines, f"PRAGMA user_version = {schema};", ""])
