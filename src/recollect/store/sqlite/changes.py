"""Changes to memories, in SQLite. A row of table `deed` is a change; a row of table `change`, one memory in it."""

import json
import sqlite3
from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from recollect.domain.changes import AGENTS, MEMORY_CHANGES, Change, ChangeAction, ChangeId, MemoryChange
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Memory, MemoryId
from recollect.store.sqlite.database import Database, Values
from recollect.store.sqlite.rows import DamagedRow, from_ms, memory_of, memory_row, to_ms

SELECT_CHANGE = """
    SELECT deed.*, (SELECT count(*) FROM change WHERE change.deed = deed.n) AS memories,
        (SELECT memory.text FROM memory WHERE memory.id =
            (SELECT change.memory FROM change WHERE change.deed = deed.n ORDER BY change.n LIMIT 1)) AS about
    FROM deed
"""


class HistoryTable:
    _database: Database

    def begin_change(
        self, kind: ChangeAction, at: datetime, by: str, detail: Mapping[str, Any] | None = None
    ) -> ChangeId:
        with self._database.write() as connection:
            n = connection.execute(
                "INSERT INTO deed (kind, at_ms, by, detail) VALUES (?, ?, ?, ?)",
                (kind.value, to_ms(at), by, json.dumps(detail or {})),
            ).lastrowid
        return ChangeId(n or 0)

    def note_memory_change(self, change_id: ChangeId, memory_id: MemoryId, before: Memory | None) -> None:
        old_row = None if before is None else json.dumps(memory_row(before), ensure_ascii=False)
        with self._database.write() as connection:
            connection.execute(
                "INSERT INTO change (deed, memory, before) VALUES (?, ?, ?)", (change_id, memory_id, old_row)
            )

    def note_undone(self, change_id: ChangeId, by: ChangeId | None) -> None:
        with self._database.write() as connection:
            connection.execute("UPDATE deed SET undone_by = ? WHERE n = ?", (by, change_id))

    def find_change(self, change_id: ChangeId) -> Change | None:
        row = self._database.fetch_one(f"{SELECT_CHANGE} WHERE deed.n = ?", (change_id,))
        return change_of(row) if row else None

    def recent_changes(self, *, limit: int) -> list[Change]:
        """Return the newest, without changes of memories that changed none, or none that is still there."""
        return self._fetch_changes(
            "WHERE EXISTS (SELECT 1 FROM change WHERE change.deed = deed.n) "
            "OR kind NOT IN (SELECT value FROM json_each(?)) ORDER BY deed.n DESC LIMIT ?",
            (json.dumps(MEMORY_CHANGES), limit),
        )

    def proposals(self) -> list[Change]:
        return self._fetch_changes("WHERE kind = 'propose' AND undone_by IS NULL ORDER BY deed.n DESC")

    def last_undoable(self) -> Change | None:
        row = self._database.fetch_one(
            f"{SELECT_CHANGE} WHERE undone_by IS NULL "
            "AND kind NOT IN ('undo', 'learn', 'fade', 'rejudge', 'demote', 'propose') "
            "AND by NOT IN (SELECT value FROM json_each(?)) "
            "AND (EXISTS (SELECT 1 FROM change WHERE change.deed = deed.n) "
            "OR kind IN ('join', 'accept', 'forget_project')) "
            "ORDER BY deed.n DESC LIMIT 1",
            (json.dumps(AGENTS),),
        )
        return change_of(row) if row else None

    def find_forgotten_projects(self) -> list[Change]:
        return self._fetch_changes("WHERE kind = 'forget_project' AND undone_by IS NULL ORDER BY deed.n")

    def memory_changes_in(self, change_id: ChangeId) -> list[MemoryChange]:
        return self._memory_changes("change.deed = ?", change_id)

    def memory_changes_of(self, memory_id: MemoryId) -> list[MemoryChange]:
        return self._memory_changes("change.memory = ?", memory_id)

    def edits(self) -> list[MemoryChange]:
        return self._memory_changes("change.deed IN (SELECT n FROM deed WHERE kind = ?)", ChangeAction.EDIT)

    def find_changed_since(self, change_id: ChangeId, memories: Collection[MemoryId]) -> list[MemoryId]:
        rows = self._database.fetch_all(
            """
            SELECT DISTINCT change.memory FROM json_each(?) AS asked
            JOIN change ON change.memory = asked.value AND change.deed > ?
            JOIN deed ON deed.n = change.deed
            -- What came later and was undone since has cancelled out; the undo of something older has not.
            WHERE deed.undone_by IS NULL AND (deed.kind <> 'undo' OR json_extract(deed.detail, '$.undoes') < ?)
            """,
            (json.dumps(list(memories)), change_id, change_id),
        )
        return [MemoryId(row["memory"]) for row in rows]

    def _fetch_changes(self, rest: str, values: Values = ()) -> list[Change]:
        """Skip damaged rows; `doctor` lists them."""
        changes = []
        for row in self._database.fetch_all(f"{SELECT_CHANGE} {rest}", values):
            with suppress(DamagedRow):
                changes.append(change_of(row))
        return changes

    def _memory_changes(self, where: str, value: ChangeId | MemoryId | ChangeAction) -> list[MemoryChange]:
        changes: dict[int, Change] = {}
        with self._database.read() as connection:
            rows = connection.execute(f"SELECT * FROM change WHERE {where} ORDER BY n", (value,)).fetchall()
            for n in {row["deed"] for row in rows}:
                changes[n] = change_of(connection.execute(f"{SELECT_CHANGE} WHERE deed.n = ?", (n,)).fetchone())
        return [
            MemoryChange(deed=changes[row["deed"]], memory=MemoryId(row["memory"]), before=_before(row)) for row in rows
        ]


def _before(row: sqlite3.Row) -> Memory | None:
    if row["before"] is None:
        return None
    try:
        return memory_of(json.loads(row["before"]))
    except (DamagedRow, ValueError, KeyError, InvalidValue) as error:
        raise DamagedRow(f"The history of the memory {row['memory']!r} is damaged on the disk.") from error


def change_of(row: Mapping[str, Any] | sqlite3.Row) -> Change:
    try:
        return Change(
            id=ChangeId(row["n"]),
            kind=ChangeAction(row["kind"]),
            at=from_ms(row["at_ms"]),
            by=row["by"],
            memories=row["memories"],
            about=row["about"],
            undone_by=row["undone_by"],
            detail=json.loads(row["detail"]),
        )
    except (ValueError, TypeError) as error:
        raise DamagedRow(
            f"Change {row['n']} is damaged on the disk. `recollect doctor --repair` removes it."
        ) from error
