"""What sessions brought and nothing has proven yet, in SQLite."""

from datetime import datetime

from recollect.domain.history import Change, DeedId, DeedKind
from recollect.domain.memory import Memory, SessionId, Tier
from recollect.store.sqlite.database import Database
from recollect.store.sqlite.history import HistoryTable
from recollect.store.sqlite.memories import LIVE
from recollect.store.sqlite.rows import memories_of, to_ms

# One that holds and has changed the memory.
_DEED = (
    "SELECT 1 FROM change JOIN deed ON deed.n = change.deed WHERE change.memory = memory.id AND deed.undone_by IS NULL"
)


class Candidates(HistoryTable):
    _database: Database

    def candidates(self, *, limit: int) -> list[Memory]:
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT * FROM memory WHERE tier = 'candidate' AND {LIVE} AND flag IS NULL "
                "ORDER BY durability DESC, created_ms DESC, id LIMIT ?",
                (limit,),
            ).fetchall()
        return memories_of(rows)

    def count_learnt(self, session: SessionId, tier: Tier) -> int:
        with self._database.read() as connection:
            counted = connection.execute(
                # Those that ended since count too: what takes its own place again and again is brought again and again.
                "SELECT count(*) AS n FROM memory WHERE session = ? AND tier = ?"
                + ("" if tier is Tier.CONFIRMED else f" AND {LIVE}"),
                (session, tier.value),
            ).fetchone()
        return int(counted["n"])

    def least_learnt(self, session: SessionId) -> Memory | None:
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT * FROM memory WHERE session = ? AND tier = 'candidate' AND {LIVE} "
                "ORDER BY durability, id LIMIT 1",
                (session,),
            ).fetchall()
        return next(iter(memories_of(rows)), None)

    def candidates_of(self, session: SessionId) -> list[Memory]:
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT * FROM memory WHERE session = ? AND tier = 'candidate' AND {LIVE} ORDER BY n", (session,)
            ).fetchall()
        return memories_of(rows)

    def taught_only_by(self, session: SessionId) -> list[Memory]:
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT * FROM memory WHERE session = ? AND tier = 'candidate' ORDER BY n", (session,)
            ).fetchall()
        return [
            memory
            for memory in memories_of(rows)
            if all(mention.source.session == session for mention in memory.mentions)
        ]

    def fading(self, before: datetime) -> list[Memory]:
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT * FROM memory WHERE tier = 'candidate' AND {LIVE} AND created_ms < :before AND seen = 1 "
                "AND feedback <= 0 AND coalesce(last_used_ms, 0) < :before "
                # What an old transcript taught is as old as the day on which it was read.
                "AND NOT EXISTS (SELECT 1 FROM change JOIN deed ON deed.n = change.deed "
                "WHERE change.memory = memory.id AND deed.at_ms >= :before) ORDER BY n",
                {"before": to_ms(before)},
            ).fetchall()
        return memories_of(rows)

    def captured(self, *, rules: int, after: str, limit: int) -> list[Memory]:
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT * FROM memory WHERE id > ? AND tier = 'confirmed' AND {LIVE} AND coalesce(rules, 1) < ? "
                f"AND EXISTS ({_DEED} AND deed.kind = 'learn') "
                f"AND NOT EXISTS ({_DEED} AND deed.kind IN ('remember', 'import', 'edit', 'review', 'undo')) "
                "ORDER BY id LIMIT ?",
                (after, rules, limit),
            ).fetchall()
        return memories_of(rows)

    def learning_deed(self, session: SessionId) -> Change | None:
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT n FROM deed WHERE kind = ? "
                "AND iif(json_valid(detail), json_extract(detail, '$.session'), '') = ? "  # as its index has it
                "AND undone_by IS NULL ORDER BY n DESC LIMIT 1",
                (DeedKind.LEARN.value, session),
            ).fetchone()
        return None if row is None else self.deed(DeedId(row["n"]))
