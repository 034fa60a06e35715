"""The yardstick: the same texts in one FTS5 table, the project in a column beside it: what one writes at first."""

import sqlite3
from pathlib import Path

from bench.corpus import PROJECTS, drafts, project


class PlainSearch:
    def __init__(self, path: Path, size: int) -> None:
        self._connection = sqlite3.connect(path)
        self._connection.execute("CREATE TABLE memory (n INTEGER PRIMARY KEY, project TEXT, text TEXT)")
        self._connection.execute("CREATE INDEX memory_by_project ON memory (project)")
        self._connection.execute("CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = 'porter')")
        for number, draft in enumerate(drafts(size)):
            self._connection.execute("INSERT INTO memory VALUES (?, ?, ?)", (number, draft.scope.name, draft.text))
            self._connection.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (number, draft.text))
        self._connection.commit()

    def search(self, number: int, prompt: str) -> None:
        match = " OR ".join(f'"{word}"' for word in prompt.rstrip("?").split())
        self._connection.execute(
            "SELECT memory.text FROM words JOIN memory ON memory.n = words.rowid "
            "WHERE words MATCH ? AND memory.project = ? ORDER BY rank LIMIT 10",
            (match, project(number % PROJECTS)),
        ).fetchall()

    def close(self) -> None:
        self._connection.close()
