"""Undecided contradictions: an agent's claim is never shown without the user's statement, nor an older statement
without the newer one that may have replaced it."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from recollect.domain.injection import Verdict
from recollect.domain.memory import Hit, Memory, MemoryId
from recollect.engine.moments.situation import Situation
from recollect.engine.ports import KeepsMemories
from recollect.novelty.conflicts import is_from_user, order_conflicts
from recollect.rank.budget import FilledBlock

NO_ROOM = (Verdict.BUDGET, Verdict.LINES)
MAX_REVIEW_ITEMS = 500  # newest first


class Disputes:
    """The undecided contradictions at one moment."""

    def __init__(self, memories: KeepsMemories, situation: Situation) -> None:
        self._memories = memories
        self._situation = situation

    def leave_out_lone_claims(self, hits: Sequence[Hit]) -> list[Hit]:
        """For unasked blocks: drop claims whose contrary is neither among the hits nor live; add newer statements."""
        present = self._situation.live.memory_ids.union(hit.memory.id for hit in hits)
        answered = [hit for hit in hits if all(one.id in present for one in self._user_statements(hit.memory))]
        return self.add_counterparts(answered)

    def add_counterparts(self, hits: Sequence[Hit]) -> list[Hit]:
        """Add what must be shown with each hit. A hit whose counterpart may not be shown is dropped."""
        situation = self._situation
        present = situation.live.memory_ids.union(hit.memory.id for hit in hits)
        found: dict[str, Hit] = {}
        for hit in hits:
            absent = [other for other in self._counterparts(hit.memory) if other.id not in present]
            if all(situation.may_show(other) and not situation.is_said_here(other) for other in absent):
                for other in absent:
                    found.setdefault(other.id, replace(hit, memory=other))
                found[hit.memory.id] = hit
        return order_conflicts([*found.values()])

    def lone_claims(self, hits: Sequence[Hit], filled: FilledBlock) -> frozenset[MemoryId]:
        """Hits that found room in a block while a counterpart of them found none."""
        shown = set(self._situation.live.memory_ids)
        shown.update(memory for memory, verdict in filled.verdicts.items() if verdict not in NO_ROOM)
        alone = set()
        for hit in hits:
            is_shown = hit.memory.id in shown
            if is_shown and any(other.id not in shown for other in self._counterparts(hit.memory)):
                alone.add(hit.memory.id)
        return frozenset(alone)

    def _counterparts(self, memory: Memory) -> list[Memory]:
        return [*self._user_statements(memory), *self._newer_statements(memory)]

    def _user_statements(self, memory: Memory) -> list[Memory]:
        if not memory.conflicts or is_from_user(memory):
            return []
        known = filter(None, map(self._memories.get, memory.conflicts))
        return [other for other in known if other.is_live and is_from_user(other)]

    def _newer_statements(self, memory: Memory) -> list[Memory]:
        """Memories that contradict this one and were said by the same speaker, or by the user."""
        contrary = [other for other in self._disputing if memory.id in other.conflicts and other.flag is None]
        if not contrary:
            return []
        by_user = is_from_user(memory)
        return [other for other in contrary if is_from_user(other) >= by_user]

    @cached_property
    def _disputing(self) -> list[Memory]:
        return self._memories.to_review(limit=MAX_REVIEW_ITEMS)
