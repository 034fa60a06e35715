"""The yardsticks: the simplest search, with the texts in one FTS5 table, the vectors in one float32 matrix and the project
in a column.
"""

import sqlite3
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from bench.corpus import PROJECTS, drafts, project
from bench.vectors import Reals
from recollect.domain.vector import DIMENSIONS


class PlainSearch:
    def __init__(self, path: Path, size: int, projects: int = PROJECTS) -> None:
        self._projects = projects
        is_new = not path.exists()
        self._connection = sqlite3.connect(path)
        if is_new:
            self._write(size, projects)

    def _write(self, size: int, projects: int) -> None:
        self._connection.execute("CREATE TABLE memory (n INTEGER PRIMARY KEY, project TEXT, text TEXT)")
        self._connection.execute("CREATE INDEX memory_by_project ON memory (project)")
        self._connection.execute("CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = 'porter')")
        for number, draft in enumerate(drafts(size, projects=projects)):
            self._connection.execute("INSERT INTO memory VALUES (?, ?, ?)", (number, draft.scope.name, draft.text))
            self._connection.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (number, draft.text))
        self._connection.commit()

    def search(self, number: int, prompt: str) -> None:
        match = " OR ".join(f'"{word}"' for word in prompt.rstrip("?").split())
        self._connection.execute(
            "SELECT memory.text FROM words JOIN memory ON memory.n = words.rowid "
            "WHERE words MATCH ? AND memory.project = ? ORDER BY rank LIMIT 10",
            (match, project(number % self._projects)),
        ).fetchall()

    def close(self) -> None:
        self._connection.close()


class PlainVectors:
    """Exact search. The vectors are in a mapped file, so that a million of them are not in memory twice."""

    def __init__(self, path: Path, given: Iterable[Reals], projects: int = PROJECTS) -> None:
        with path.open("wb") as file:
            for some in given:
                file.write(some.tobytes())
        self._vectors = np.memmap(path, np.float32, "r").reshape(-1, DIMENSIONS)
        self._projects = np.arange(len(self._vectors)) % projects

    def of_project(self, number: int) -> tuple["np.ndarray[tuple[int], np.dtype[np.int64]]", Reals]:
        """Return the numbers and the vectors of the project."""
        numbers = np.flatnonzero(self._projects == number)
        return numbers, np.asarray(self._vectors[numbers])

    def filter_first(self, number: int, asked: Reals) -> None:
        numbers = np.flatnonzero(self._projects == number)
        cosines = self._vectors[numbers] @ asked
        numbers[np.argsort(-cosines)[:10]]

    def filter_last(self, number: int, asked: Reals) -> None:
        cosines = self._vectors @ asked
        order = np.argsort(-cosines)
        order[self._projects[order] == number][:10]
