"""Undecided contradictions: an agent's claim is never shown without the user's statement, nor an older statement
without the newer one that may have replaced it."""

from collections.abc import Sequence
from dataclasses import replace

from recollect.domain.injection import Verdict
from recollect.domain.memory import Hit, Memory, MemoryId
from recollect.engine.situation import Situation
from recollect.novelty.conflicts import is_from_user, order_conflicts
from recollect.rank.budget import FilledBlock

NO_ROOM = (Verdict.BUDGET, Verdict.LINES)


def leave_out_lone_claims(hits: Sequence[Hit], situation: Situation) -> list[Hit]:
    """For unasked blocks: drop claims whose contrary is neither among the hits nor live; add newer statements."""
    present = situation.live.memory_ids.union(hit.memory.id for hit in hits)

    def is_answered(hit: Hit) -> bool:
        return all(statement.id in present for statement in _user_statements(hit.memory, situation))

    return add_counterparts(list(filter(is_answered, hits)), situation)


def add_counterparts(hits: Sequence[Hit], situation: Situation) -> list[Hit]:
    """Add what must be shown with each hit. A hit whose counterpart may not be shown is dropped."""
    present = situation.live.memory_ids.union(hit.memory.id for hit in hits)
    found: dict[str, Hit] = {}
    for hit in hits:
        absent = [other for other in _counterparts(hit.memory, situation) if other.id not in present]
        if all(situation.may_show(other) and not situation.is_said_here(other) for other in absent):
            for other in absent:
                found.setdefault(other.id, replace(hit, memory=other))
            found[hit.memory.id] = hit
    return order_conflicts([*found.values()])


def lone_claims(hits: Sequence[Hit], filled: FilledBlock, situation: Situation) -> frozenset[MemoryId]:
    """Hits that found room in a block while a counterpart of them found none."""
    shown = set(situation.live.memory_ids)
    shown.update(memory for memory, verdict in filled.verdicts.items() if verdict not in NO_ROOM)
    alone = set()
    for hit in hits:
        is_shown = hit.memory.id in shown
        if is_shown and any(other.id not in shown for other in _counterparts(hit.memory, situation)):
            alone.add(hit.memory.id)
    return frozenset(alone)


def _counterparts(memory: Memory, situation: Situation) -> list[Memory]:
    return [*_user_statements(memory, situation), *_newer_statements(memory, situation)]


def _user_statements(memory: Memory, situation: Situation) -> list[Memory]:
    if not memory.conflicts or is_from_user(memory):
        return []
    known = filter(None, map(situation.find_memory, memory.conflicts))
    return [other for other in known if other.is_live and is_from_user(other)]


def _newer_statements(memory: Memory, situation: Situation) -> list[Memory]:
    """What contradicts the memory and was said by the same speaker, or by the user."""
    by_user = is_from_user(memory)
    return [
        other
        for other in situation.list_disputing()
        if memory.id in other.conflicts and other.flag is None and is_from_user(other) >= by_user
    ]
