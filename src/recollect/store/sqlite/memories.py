"""Memories in SQLite: the rows, and the index over their words."""

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Draft, Kind, Memory, MemoryId, Scope, ScopeLevel, Sensitivity, Viewer
from recollect.store.sqlite.database import Database
from recollect.store.sqlite.rows import content_key, memory_of, memory_row, to_ms
from recollect.text.words import words_of

_LIVE = "valid_to_ms IS NULL AND superseded_by IS NULL"
_IN_SESSION = "(sensitivity <> 'session' OR session = :session)"
_PUBLIC = "public"


class Memories:
    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, memory_id: MemoryId) -> Memory | None:
        with self._database.read() as connection:
            row = connection.execute("SELECT * FROM memory WHERE id = ?", (memory_id,)).fetchone()
        return memory_of(row) if row else None

    def find_same(self, draft: Draft) -> Memory | None:
        with self._database.read() as connection:
            row = connection.execute(
                f"SELECT * FROM memory WHERE content_key = ? AND {_LIVE} ORDER BY n", (content_key(draft),)
            ).fetchone()
        return memory_of(row) if row else None

    def add(self, memory: Memory) -> None:
        row = memory_row(memory)
        with self._database.write() as connection:
            n = connection.execute(
                f"INSERT INTO memory ({', '.join(row)}) VALUES ({', '.join(f':{name}' for name in row)})", row
            ).lastrowid
            _index(connection, n, memory)

    def update(self, memory: Memory) -> None:
        row = memory_row(memory)
        changes = ", ".join(f"{name} = :{name}" for name in row)
        with self._database.write() as connection:
            found = connection.execute(f"UPDATE memory SET {changes} WHERE id = :id RETURNING n", row).fetchone()
            if found is None:
                raise InvalidValue(f"There is no memory {memory.id!r}.")
            connection.execute("DELETE FROM memory_words WHERE rowid = ?", (found["n"],))
            _index(connection, found["n"], memory)

    def search(self, words: Sequence[str], viewer: Viewer, *, limit: int, injectable: bool) -> list[Memory]:
        if not words:
            return []
        allowed = f"{_IN_SESSION} AND {_LIVE}" + (" AND sensitivity <> 'restricted'" if injectable else "")
        with self._database.read() as connection:
            rows = connection.execute(
                f"""
                SELECT memory.* FROM memory_words JOIN memory ON memory.n = memory_words.rowid
                WHERE memory_words MATCH :match AND {allowed}
                ORDER BY bm25(memory_words, 0.0, 1.0), memory.id LIMIT :limit
                """,
                {"match": _match(words, viewer), "session": viewer.session, "limit": limit},
            ).fetchall()
        return [memory_of(row) for row in rows]

    def newest(
        self, viewer: Viewer, *, limit: int, kinds: Collection[Kind] | None = None, since: datetime | None = None
    ) -> list[Memory]:
        values: dict[str, object] = {"session": viewer.session, "limit": limit}
        scopes = _names(values, "scope", [str(scope) for scope in _scopes(viewer)])
        public = "(sensitivity = 'public' AND scope GLOB 'project:*')"
        where = [f"(scope IN ({scopes}) OR {public})", _IN_SESSION, _LIVE]
        if kinds is not None:
            where.append(f"kind IN ({_names(values, 'kind', list(kinds))})")
        if since is not None:
            where.append("valid_from_ms >= :since")
            values["since"] = to_ms(since)
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT * FROM memory WHERE {' AND '.join(where)} ORDER BY valid_from_ms DESC, id LIMIT :limit", values
            ).fetchall()
        return [memory_of(row) for row in rows]

    def occurrences(self, words: Collection[str], viewer: Viewer) -> Mapping[str, int]:
        found = {}
        with self._database.read() as connection:
            for word in words:
                row = connection.execute(
                    "SELECT count(*) AS n FROM memory_words WHERE memory_words MATCH ?", (_match([word], viewer),)
                ).fetchone()
                found[word] = int(row["n"])
        return found

    def count(self, viewer: Viewer | None = None) -> int:
        values: dict[str, object] = {}
        scopes = "" if viewer is None else _names(values, "scope", [str(scope) for scope in _scopes(viewer)])
        where = "" if viewer is None else f" WHERE scope IN ({scopes})"
        with self._database.read() as connection:
            return int(connection.execute(f"SELECT count(*) AS n FROM memory{where}", values).fetchone()["n"])


def _index(connection: sqlite3.Connection, n: int | None, memory: Memory) -> None:
    connection.execute(
        "INSERT INTO memory_words (rowid, scope, words) VALUES (?, ?, ?)",
        (n, " ".join(_tokens_of(memory)), " ".join(words_of(memory))),
    )


def _tokens_of(memory: Memory) -> list[str]:
    tokens = [_token(str(memory.scope))]
    if memory.sensitivity is Sensitivity.PUBLIC and memory.scope.level is ScopeLevel.PROJECT:
        tokens.append(_token(_PUBLIC))
    return tokens


def _tokens_for(viewer: Viewer) -> list[str]:
    return [_token(str(scope)) for scope in _scopes(viewer)] + [_token(_PUBLIC)]


def _token(scope: str) -> str:
    return "s" + blake2b(scope.encode(), digest_size=8).hexdigest()


def _scopes(viewer: Viewer) -> list[Scope]:
    names = {
        ScopeLevel.LANGUAGE: viewer.language,
        ScopeLevel.PROJECT: viewer.project,
        ScopeLevel.SESSION: viewer.session,
    }
    return [Scope(ScopeLevel.UNIVERSAL), *(Scope(level, name) for level, name in names.items() if name)]


def _match(words: Sequence[str], viewer: Viewer) -> str:
    """Tokens of the scopes first: a query meets the rows of its own project, not all rows and then a filter."""
    return f"scope : ({' OR '.join(_tokens_for(viewer))}) AND words : ({' OR '.join(map(_quoted, words))})"


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'


def _names(values: dict[str, object], prefix: str, items: Sequence[str]) -> str:
    """Named placeholders for a list, with their values put into `values`."""
    names = [f"{prefix}{number}" for number in range(len(items))]
    values.update(zip(names, items, strict=True))
    return ", ".join(f":{name}" for name in names)
