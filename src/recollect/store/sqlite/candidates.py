"""Candidates in SQLite: memories learnt from sessions and not confirmed yet."""

from datetime import datetime

from recollect.domain.changes import Change, ChangeAction, ChangeId
from recollect.domain.memory import Memory, SessionId, Tier
from recollect.store.sqlite.changes import HistoryTable
from recollect.store.sqlite.memories import LIVE, MemoryTable
from recollect.store.sqlite.rows import to_ms

# A change of the memory that was not undone.
_CHANGE = (
    "SELECT 1 FROM change JOIN deed ON deed.n = change.deed WHERE change.memory = memory.id AND deed.undone_by IS NULL"
)


class Candidates(HistoryTable, MemoryTable):
    def candidates(self, *, limit: int) -> list[Memory]:
        return self._fetch_memories(
            f"SELECT * FROM memory WHERE tier = 'candidate' AND {LIVE} AND flag IS NULL "
            "ORDER BY durability DESC, created_ms DESC, id LIMIT ?",
            (limit,),
        )

    def count_learnt(self, session: SessionId, tier: Tier) -> int:
        statement = "SELECT count(*) AS n FROM memory WHERE session = ? AND tier = ?"
        # Confirmed ones that ended since count too: a memory that is replaced again and again counts each time.
        if tier is not Tier.CONFIRMED:
            statement += f" AND {LIVE}"
        return self._database.count(statement, (session, tier.value))

    def least_durable_candidate(self, session: SessionId) -> Memory | None:
        found = self._fetch_memories(
            f"SELECT * FROM memory WHERE session = ? AND tier = 'candidate' AND {LIVE} ORDER BY durability, id LIMIT 1",
            (session,),
        )
        return next(iter(found), None)

    def candidates_of(self, session: SessionId) -> list[Memory]:
        return self._fetch_memories(
            f"SELECT * FROM memory WHERE session = ? AND tier = 'candidate' AND {LIVE} ORDER BY n", (session,)
        )

    def candidates_only_from(self, session: SessionId) -> list[Memory]:
        found = self._fetch_memories(
            "SELECT * FROM memory WHERE session = ? AND tier = 'candidate' ORDER BY n", (session,)
        )

        def is_from_here_alone(memory: Memory) -> bool:
            return all(mention.session == session for mention in memory.mentions)

        return list(filter(is_from_here_alone, found))

    def fading_candidates(self, before: datetime) -> list[Memory]:
        return self._fetch_memories(
            f"SELECT * FROM memory WHERE tier = 'candidate' AND {LIVE} AND created_ms < :before AND seen = 1 "
            "AND feedback <= 0 AND coalesce(last_used_ms, 0) < :before "
            # A memory from an old transcript is as old as the day on which that was read.
            "AND NOT EXISTS (SELECT 1 FROM change JOIN deed ON deed.n = change.deed "
            "WHERE change.memory = memory.id AND deed.at_ms >= :before) ORDER BY n",
            {"before": to_ms(before)},
        )

    def find_captured(self, *, rules: int, after: str, limit: int) -> list[Memory]:
        return self._fetch_memories(
            f"SELECT * FROM memory WHERE id > ? AND tier = 'confirmed' AND {LIVE} AND coalesce(rules, 1) < ? "
            f"AND EXISTS ({_CHANGE} AND deed.kind = 'learn') "
            f"AND NOT EXISTS ({_CHANGE} AND deed.kind IN ('remember', 'import', 'edit', 'review', 'undo')) "
            "ORDER BY id LIMIT ?",
            (after, rules, limit),
        )

    def learning_change(self, session: SessionId) -> Change | None:
        row = self._database.fetch_one(
            "SELECT n FROM deed WHERE kind = ? "
            "AND iif(json_valid(detail), json_extract(detail, '$.session'), '') = ? "  # the expression of its index
            "AND undone_by IS NULL ORDER BY n DESC LIMIT 1",
            (ChangeAction.LEARN.value, session),
        )
        return None if row is None else self.find_change(ChangeId(row["n"]))
