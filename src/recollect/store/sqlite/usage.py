"""How often memories are shown and used, in SQLite. Counters only: no hash covers them and no history keeps them."""

import json
import sqlite3
from collections.abc import Collection
from datetime import datetime

from recollect.domain.memory import MemoryId
from recollect.store.sqlite.database import Database
from recollect.store.sqlite.rows import to_ms

_THESE = "WHERE id IN (SELECT value FROM json_each(:ids))"


class UsageCounters:
    _database: Database

    def note_use(self, used: Collection[MemoryId], unused: Collection[MemoryId], at: datetime) -> None:
        with self._database.write() as connection:
            connection.execute(
                f"UPDATE memory SET used = used + 1, last_used_ms = :at_ms {_THESE}",
                {"ids": json.dumps(list(used)), "at_ms": to_ms(at)},
            )
            connection.execute(f"UPDATE memory SET unused = unused + 1 {_THESE}", {"ids": json.dumps(list(unused))})

    def note_feedback(self, memories: Collection[MemoryId], change: int) -> None:
        with self._database.write() as connection:
            connection.execute(
                f"UPDATE memory SET feedback = feedback + :change {_THESE}",
                {"ids": json.dumps(list(memories)), "change": change},
            )


def note_shown(connection: sqlite3.Connection, ids: str, at_ms: int) -> None:
    """`ids`: a JSON list, as the injection log has it."""
    connection.execute(
        f"UPDATE memory SET shown = shown + 1, last_shown_ms = :at_ms {_THESE}", {"ids": ids, "at_ms": at_ms}
    )
