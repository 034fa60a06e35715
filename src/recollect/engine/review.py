"""What waits for a person: memories that contradict others, and texts that read as orders to an agent.

Nothing is deleted here. Of two that contradict each other, the one that does not hold ends and stays in the history.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.domain.errors import InvalidValue
from recollect.domain.history import DeedId, DeedKind
from recollect.domain.memory import Memory, MemoryId
from recollect.engine.ports import Writes
from recollect.engine.remember import supersede

LOOKED_AT = 1000  # more than anybody reads


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One that waits, with what it contradicts."""

    memory: Memory
    against: tuple[Memory, ...]  # those that hold, the newest first


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    deed: DeedId
    memory: Memory  # as it is now
    ended: tuple[Memory, ...] = ()  # what no longer holds


def cases(memories: Writes) -> list[Case]:
    """The newest first."""
    waiting = [case_of(memories, memory) for memory in memories.to_review(limit=LOOKED_AT)]
    return [case for case in waiting if case.against or case.memory.flag]


def case_of(memories: Writes, memory: Memory) -> Case:
    known = [memories.get(memory_id) for memory_id in memory.conflicts]
    live = [other for other in known if other is not None and other.is_live]
    return Case(memory=memory, against=tuple(sorted(live, key=lambda other: other.valid_from, reverse=True)))


def accept(memories: Writes, memory_id: MemoryId, *, at: datetime, by: str) -> Decided:
    """It holds: what it contradicts ends, and a flag is taken off."""

    def decide(case: Case, deed: DeedId) -> Decided:
        settled = _settled(memories, replace(case.memory, conflicts=(), flag=None), case.memory, deed)
        ended = tuple(supersede(memories, other, settled, deed) for other in case.against)
        return Decided(deed=deed, memory=settled, ended=ended)

    return _decided(memories, memory_id, decide, at=at, by=by)


def keep(memories: Writes, memory_id: MemoryId, *, at: datetime, by: str) -> Decided:
    """Both hold: they only looked as if they contradicted each other."""

    def decide(case: Case, deed: DeedId) -> Decided:
        if case.memory.flag is not None:
            raise InvalidValue(
                f"{memory_id} contradicts nothing; it is flagged ({case.memory.flag}): accept or reject it."
            )
        return Decided(deed=deed, memory=_settled(memories, replace(case.memory, conflicts=()), case.memory, deed))

    return _decided(memories, memory_id, decide, at=at, by=by)


def reject(memories: Writes, memory_id: MemoryId, *, at: datetime, by: str) -> Decided:
    """It does not hold: what it contradicts goes on; what is flagged is forgotten."""

    def decide(case: Case, deed: DeedId) -> Decided:
        memory = case.memory
        if not case.against:
            gone = _settled(memories, replace(memory, forgotten_at=at), memory, deed)
            return Decided(deed=deed, memory=gone, ended=(gone,))
        ended = replace(memory, conflicts=(), valid_to=max(at, memory.valid_from), superseded_by=case.against[0].id)
        return Decided(deed=deed, memory=_settled(memories, ended, memory, deed), ended=(ended,))

    return _decided(memories, memory_id, decide, at=at, by=by)


def _decided(
    memories: Writes, memory_id: MemoryId, decide: Callable[[Case, DeedId], Decided], *, at: datetime, by: str
) -> Decided:
    with memories.writing():
        memory = memories.get(memory_id)
        if memory is None:
            raise InvalidValue(f"There is no memory {memory_id!r}. `recollect review` shows what waits.")
        case = case_of(memories, memory)
        if not memory.is_live or not (case.against or memory.flag):
            raise InvalidValue(
                f"The memory {memory_id!r} does not wait for a decision. `recollect review` shows what does."
            )
        return decide(case, memories.begin_deed(DeedKind.REVIEW, at, by))


def _settled(memories: Writes, now: Memory, before: Memory, deed: DeedId) -> Memory:
    memories.note_change(deed, before.id, before)
    memories.update(now)
    return now
