"""Memories in SQLite: adding, changing and finding their rows."""

import heapq
import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import datetime

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Draft, Kind, Memory, MemoryId, ProjectId, Scope, Sensitivity, SessionId, Viewer
from recollect.privacy.visibility import reaches
from recollect.store.sqlite import index, vectors
from recollect.store.sqlite.database import Database, Values, assignments, columns_and_values
from recollect.store.sqlite.rows import LAST_CHARACTER, content_key, memories_of, memory_of, memory_row, to_ms
from recollect.text.embedding_text import memory_meaning

LIVE = "valid_to_ms IS NULL AND superseded_by IS NULL AND forgotten_ms IS NULL"


class MemoryTable:
    _database: Database

    def _fetch_memories(self, statement: str, values: Values = ()) -> list[Memory]:
        return memories_of(self._database.fetch_all(statement, values))


class Memories(MemoryTable):
    def get(self, memory_id: MemoryId) -> Memory | None:
        row = self._database.fetch_one("SELECT * FROM memory WHERE id = ?", (memory_id,))
        return memory_of(row) if row else None

    def with_prefix(self, prefix: str, *, limit: int) -> list[Memory]:
        return self._fetch_memories(
            "SELECT * FROM memory WHERE id >= ? AND id < ? ORDER BY id LIMIT ?",
            (prefix, prefix + LAST_CHARACTER, limit),
        )

    def find_readable(self, memories: Collection[MemoryId]) -> list[Memory]:
        return self._fetch_memories(
            "SELECT memory.* FROM json_each(?) AS asked JOIN memory ON memory.id = asked.value ORDER BY asked.key",
            (json.dumps(list(memories)),),
        )

    def hide_damaged(self, memories: Collection[MemoryId], at: datetime | None) -> None:
        with self._database.write() as connection:
            connection.execute(
                "UPDATE memory SET forgotten_ms = ? WHERE id IN (SELECT value FROM json_each(?)) "
                "AND (forgotten_ms IS NULL) = ?",
                (None if at is None else to_ms(at), json.dumps(list(memories)), at is not None),
            )

    def find_ended(self, memories: Collection[MemoryId]) -> list[Memory]:
        return self._fetch_memories(
            f"SELECT memory.* FROM json_each(?) AS asked JOIN memory ON memory.id = asked.value WHERE NOT ({LIVE})",
            (json.dumps(list(memories)),),
        )

    def find_edited(self, since: Mapping[MemoryId, datetime]) -> list[Memory]:
        asked = json.dumps({memory: to_ms(at) for memory, at in since.items()})
        return self._fetch_memories(
            f"""
            SELECT memory.* FROM json_each(?) AS asked JOIN memory ON memory.id = asked.key
            WHERE {LIVE} AND EXISTS (
                SELECT 1 FROM change JOIN deed ON deed.n = change.deed
                WHERE change.memory = asked.key AND deed.at_ms > asked.value AND deed.kind IN ('edit', 'undo')
                AND CASE WHEN json_valid(change.before) THEN json_extract(change.before, '$.text') <> memory.text END
            )
            """,
            (asked,),
        )

    def find_ended_in_sessions(self, sessions: Collection[SessionId]) -> list[Memory]:
        return self._fetch_memories(
            "SELECT memory.* FROM json_each(?) AS asked JOIN memory ON memory.session = asked.value "
            f"WHERE NOT ({LIVE}) ORDER BY memory.n",
            (json.dumps(list(sessions)),),
        )

    def revision(self) -> str:
        row = self._database.fetch_one(
            "SELECT (SELECT max(n) FROM deed), (SELECT max(n) FROM change), "
            "(SELECT count(*) FROM recap), (SELECT max(at_ms) FROM recap)"
        )
        return "/".join(map(str, row))

    def find_same(self, draft: Draft, *, past: bool = False, kinds: Collection[Kind] = ()) -> Memory | None:
        condition = "forgotten_ms IS NULL" if past else LIVE
        keys = [content_key(replace(draft, kind=kind)) for kind in dict.fromkeys((draft.kind, *kinds))]
        rows = self._database.fetch_all(
            f"SELECT * FROM memory WHERE content_key IN ({', '.join('?' * len(keys))}) AND {condition} "
            "ORDER BY superseded_by IS NOT NULL OR valid_to_ms IS NOT NULL, content_key <> ?, n",
            (*keys, keys[0]),
        )
        # A damaged memory does not count: it can be stored again. One for a single session is invisible to others.
        return next((memory for memory in memories_of(rows) if _has_same_audience(memory, draft)), None)

    def add(self, memory: Memory) -> None:
        with self._database.write() as connection:
            row = memory_row(memory)
            n = connection.execute(f"INSERT INTO memory {columns_and_values(row)}", row).lastrowid
            if memory.forgotten_at is None and n is not None:
                index.add_memory(connection, n, index.memory_entry(memory))
                vectors.enqueue(connection, "memory", n)

    def update(self, memory: Memory) -> None:
        with self._database.write() as connection:
            row = connection.execute("SELECT * FROM memory WHERE id = ?", (memory.id,)).fetchone()
            if row is None:
                raise InvalidValue(f"There is no memory {memory.id!r}.")
            old = memory_of(row)
            new = memory_row(memory)
            connection.execute(f"UPDATE memory SET {assignments(new)} WHERE n = :n", {**new, "n": row["n"]})
            was = None if old.forgotten_at else index.memory_entry(old)
            now = None if memory.forgotten_at else index.memory_entry(memory)
            if was != now:  # else only a counter changed, which no search notices
                _reindex(connection, row["n"], was, now)
            _update_vector(connection, row["n"], old, memory)

    def newest(
        self,
        viewer: Viewer,
        *,
        limit: int,
        kinds: Collection[Kind] | None = None,
        since: datetime | None = None,
        injectable: bool = False,
        confirmed: bool = False,
    ) -> list[Memory]:
        places = [("scope", str(scope)) for scope in index.visible_scopes(viewer)]
        places += [("reach", reach.value) for reach in reaches(viewer)]
        conditions = ""
        if since is not None:
            conditions += " AND valid_from_ms >= :since"
        if injectable:
            conditions += " AND sensitivity <> 'restricted' AND flag IS NULL"
        if confirmed:
            conditions += " AND tier = 'confirmed'"
        values = {"session": viewer.session, "limit": limit, "since": None if since is None else to_ms(since)}
        # One short walk along an index per place and kind: as fast among a million as among ten. Merged lazily, they
        # read no further than the last row that is needed.
        walks: list[Iterator[sqlite3.Row]] = []
        with self._database.read() as connection, ExitStack() as cursors:
            for column, place in places:
                for kind in kinds if kinds is not None else Kind:
                    cursor = connection.execute(
                        f"SELECT * FROM memory WHERE {column} = :place AND kind = :kind AND {LIVE}{conditions} "
                        "AND (sensitivity <> 'session' OR session = :session) "
                        "ORDER BY valid_from_ms DESC, id LIMIT :limit",
                        {**values, "place": place, "kind": kind.value},
                    )
                    walks.append(filter(_has_sort_key, cursors.enter_context(closing(cursor))))
            rows: dict[int, sqlite3.Row] = {}
            for row in heapq.merge(*walks, key=lambda row: (-row["valid_from_ms"], row["id"])):
                rows.setdefault(row["n"], row)  # a row that is visible from two places comes twice
                if len(rows) == limit:
                    break
        return memories_of(rows.values())

    def count(self, viewer: Viewer | None = None) -> int:
        if viewer is None:
            return self._database.count("SELECT count(*) AS n FROM memory WHERE forgotten_ms IS NULL")
        with self._database.read() as connection:  # asked on every prompt: the index answers, no row is read
            return index.count(connection, "memory_words", index.places_for(viewer))

    def everything(self, project: ProjectId | None = None) -> Iterator[Memory]:
        """Read page by page, so that a large store is never in memory as a whole."""
        of_project = "" if project is None else " AND scope = :scope"
        scope = None if project is None else str(Scope.project(project))
        last = 0
        while True:
            rows = self._database.fetch_all(
                f"SELECT * FROM memory WHERE n > :last{of_project} ORDER BY n LIMIT 1000",
                {"last": last, "scope": scope},
            )
            if not rows:
                return
            last = rows[-1]["n"]
            yield from (memory for memory in memories_of(rows) if memory.forgotten_at is None)

    def predecessors(self, memory_id: MemoryId) -> list[Memory]:
        return self._fetch_memories("SELECT * FROM memory WHERE superseded_by = ? ORDER BY n", (memory_id,))

    def find_replaced(self) -> list[Memory]:
        return self._fetch_memories(
            "SELECT * FROM memory WHERE superseded_by IS NOT NULL AND forgotten_ms IS NULL ORDER BY n"
        )

    def to_review(self, *, limit: int) -> list[Memory]:
        return self._fetch_memories(
            f"SELECT * FROM memory WHERE (flag IS NOT NULL OR conflicts <> '[]') AND {LIVE} "
            "ORDER BY created_ms DESC, n DESC LIMIT ?",
            (limit,),
        )

    def find_forgotten_before(self, moment: datetime) -> list[MemoryId]:
        rows = self._database.fetch_all(
            "SELECT id FROM memory WHERE forgotten_ms IS NOT NULL AND forgotten_ms <= ? ORDER BY n", (to_ms(moment),)
        )
        return [MemoryId(row["id"]) for row in rows]


def _reindex(connection: sqlite3.Connection, n: int, was: str | None, now: str | None) -> None:
    if was is not None:
        index.drop_memory(connection, n)
    if now is not None:
        index.add_memory(connection, n, now)


def _update_vector(connection: sqlite3.Connection, n: int, old: Memory, new: Memory) -> None:
    if new.forgotten_at is not None:
        vectors.drop(connection, "memory", n)
    elif old.forgotten_at is not None or memory_meaning(old) != memory_meaning(new):
        vectors.enqueue_again(connection, "memory", n)
    elif index.places_of(old) != index.places_of(new):
        vectors.move_memory(connection, n, new)


def _has_sort_key(row: sqlite3.Row) -> bool:
    """A damaged row may have anything as its time or id."""
    return isinstance(row["valid_from_ms"], int) and isinstance(row["id"], str)


def _has_same_audience(memory: Memory, draft: Draft) -> bool:
    if Sensitivity.SESSION not in (memory.sensitivity, draft.sensitivity):
        return True
    return memory.sensitivity is draft.sensitivity and memory.source.session == draft.source.session
