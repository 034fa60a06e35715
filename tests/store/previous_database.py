"""A database as the version before mentions, flags and conflicts left it: rows and hashes as its code wrote them."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from recollect.store.sqlite import index
from recollect.store.sqlite.migrations import MIGRATIONS
from tests.builders import PROJECT

VERSION = 5
AT_MS = 1772442000000
COMMON: dict[str, Any] = {
    "kind": "decision",
    "scope": f"project:{PROJECT}",
    "sensitivity": "project",
    "importance": 1.0,
    "confidence": 1.0,
    "created_ms": AT_MS,
    "valid_from_ms": AT_MS,
    "role": "user",
    "forgotten_ms": None,
    "shown": 0,
    "used": 0,
    "last_shown_ms": None,
    "last_used_ms": None,
    "reach": None,
}
NOW_KNOWN: dict[str, Any] = {
    **COMMON,
    "id": "m1",
    "text": 'Auth uses "JWT"; 日本語.',
    "title": "Auth",
    "aliases": '["login"]',
    "valid_to_ms": None,
    "superseded_by": None,
    "seen": 2,
    "host": "cli",
    "session": "s1",
    "message": "m1",
    "agent": "build",
    "evidence": '["He said so."]',
    "anchors": f'[["src/auth.py", "{"0" * 40}"]]',
    "content_key": "37bb5e0ade8d5fad2426b33cd713932b",
    "hash": "465db52a68728bd0",
}
BEFORE = {**NOW_KNOWN, "seen": 1, "hash": "7ebe3a3b0fa10570"}
REPLACED: dict[str, Any] = {
    **COMMON,
    "id": "m2",
    "text": "The cache is Redis.",
    "title": None,
    "aliases": "[]",
    "valid_to_ms": AT_MS,
    "superseded_by": "m1",
    "seen": 1,
    "host": None,
    "session": None,
    "message": None,
    "agent": None,
    "evidence": "[]",
    "anchors": "[]",
    "content_key": "",
    "hash": "6430d64abb3d8e47",
}


def make(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True)
    path.touch(mode=0o600)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT")
        for number, migration in enumerate(MIGRATIONS[:VERSION], start=1):
            for statement in migration.statements:
                connection.execute(statement)
            connection.execute("INSERT INTO migration VALUES (?, ?)", (number, migration.name))
        for n, row in enumerate((NOW_KNOWN, REPLACED), start=1):
            names = ", ".join(row)
            marks = ", ".join("?" * len(row))
            connection.execute(f"INSERT INTO memory (n, {names}) VALUES (?, {marks})", (n, *row.values()))
        connection.execute("INSERT INTO deed (kind, at_ms, by, detail) VALUES ('remember', ?, 'cli', '{}')", (AT_MS,))
        before = json.dumps(BEFORE, ensure_ascii=False)
        connection.execute("INSERT INTO change (deed, memory, before) VALUES (1, 'm1', ?)", (before,))
        index.rebuild(connection)
        connection.execute(f"PRAGMA user_version = {VERSION}")
