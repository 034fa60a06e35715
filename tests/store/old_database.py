"""A database as an older version left it: its own migrations, and rows as its SQL wrote them."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from recollect.store.sqlite.migrations import MIGRATIONS
from recollect.store.sqlite.rows import content_key
from recollect.text.words import index_words
from tests.builders import NOW, OTHER_PROJECT, PROJECT, a_draft

AT_MS = int(NOW.timestamp() * 1000)
VERSION = 2

# id, text, kind, scope, sensitivity, superseded_by
ROWS = (
    ("plain", "Auth uses JWT.", "decision", f"project:{PROJECT}", "project", None),
    ("public", "The API is public: Überblick.", "rule", f"project:{OTHER_PROJECT}", "public", None),
    ("pref", "Prefers tabs over spaces.", "preference", f"project:{OTHER_PROJECT}", "project", None),
    ("old", "The port is 80.", "decision", f"project:{PROJECT}", "project", "new"),
    ("new", "The port is 81.", "decision", f"project:{PROJECT}", "project", None),
    ("vault", "The vault is in Bern.", "decision", "universal", "restricted", None),
)
TURNS = ("As agreed: Auth uses JWT. Right?", "Right.")  # since version 3
BLOCK = "<recollect>\n[DEC] Auth uses JWT. (2026-03-02, plain)\n</recollect>"


def make(path: Path, version: int = VERSION) -> None:
    path.parent.mkdir(mode=0o700, parents=True)
    path.touch(mode=0o600)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT")
        _migrate(connection, range(1, VERSION + 1))
        for n, row in enumerate(ROWS, start=1):
            _add(connection, n, *row)
        connection.execute("INSERT INTO session VALUES ('s1', 'opencode', ?, NULL, ?, 0)", (PROJECT, AT_MS))
        connection.execute(
            "INSERT INTO injection VALUES ('s1', 'm1', 0, 'message', ?, 12, '[\"plain\"]', 3, ?, 1.5, 1)",
            (BLOCK, AT_MS),
        )
        _migrate(connection, range(VERSION + 1, version + 1))
        for n, text in enumerate(TURNS if version > VERSION else (), start=1):
            turn = ("s1", f"m{n}", PROJECT, "user", text, AT_MS + n)
            connection.execute("INSERT INTO turn VALUES (?, ?, ?, ?, ?, ?, ?, '')", (n, *turn))
            words = " ".join(index_words(text))
            connection.execute("INSERT INTO turn_words (rowid, scope, words) VALUES (?, 'sold', ?)", (n, words))


def _migrate(connection: sqlite3.Connection, numbers: range) -> None:
    """The tables as they were; what a migration does beside them is of today, and is left out."""
    for number in numbers:
        migration = MIGRATIONS[number - 1]
        for statement in migration.statements:
            connection.execute(statement)
        connection.execute("INSERT INTO migration VALUES (?, ?)", (number, migration.name))
        connection.execute(f"PRAGMA user_version = {number}")


def _add(
    connection: sqlite3.Connection,
    n: int,
    memory_id: str,
    text: str,
    kind: str,
    scope: str,
    sensitivity: str,
    successor: str | None,
) -> None:
    key = content_key(a_draft(text, kind=kind, scope=scope))
    connection.execute(
        f"INSERT INTO memory VALUES ({', '.join('?' * 20)})",
        (
            *(n, memory_id, text, kind, scope, None, json.dumps(["alias"]), sensitivity, 1.0, 0.5, AT_MS, AT_MS, None),
            *(successor, 2, "user", "cli", None, None, key),
        ),
    )
    connection.execute(  # version 2 had other tokens for scopes: whoever found by them would find nothing
        "INSERT INTO memory_words (rowid, scope, words) VALUES (?, 'sold', ?)", (n, " ".join(index_words(text)))
    )


def rows(path: Path) -> list[tuple[object, ...]]:
    """What a version 2 sees in a file: the rows as they were written."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        kept = connection.execute("SELECT id, text, kind, scope, sensitivity, superseded_by FROM memory ORDER BY n")
        return kept.fetchall()
