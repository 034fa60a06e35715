"""What waits for a person: memories that contradict others, texts that read as orders to an agent, and what an agent
would forget although the user said it.

Nothing is deleted here. Of two that contradict each other, the one that does not hold ends and stays in the history.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from recollect.domain.errors import InvalidValue
from recollect.domain.history import DeedId, DeedKind
from recollect.domain.memory import Memory, MemoryId, Tier
from recollect.domain.review import Case, Decided, Review
from recollect.engine.learning_ports import KeepsCandidates
from recollect.engine.ports import Writes
from recollect.engine.remember import supersede

LOOKED_AT = 10_000  # more than anybody reads


class CanReview(Writes, KeepsCandidates, Protocol):
    pass


def cases(memories: Writes) -> list[Case]:
    """The newest first."""
    doubted = (memories.get(memory_id) for memory_id in _proposals(memories))
    waiting = {memory.id: memory for memory in doubted if memory is not None and memory.is_live}
    waiting |= {memory.id: memory for memory in memories.to_review(limit=LOOKED_AT)}
    told = [case_of(memories, memory) for memory in waiting.values()]
    newest = sorted(told, key=lambda case: case.memory.created_at, reverse=True)
    return [case for case in newest if case.against or case.memory.flag or case.is_doubted]


def _proposals(memories: Writes) -> dict[MemoryId, DeedId]:
    return {MemoryId(deed.detail["memory"]): deed.id for deed in memories.proposals()}


def candidates(memories: CanReview) -> list[Memory]:
    """What was read in sessions and nothing has proven yet, the likeliest to matter first."""
    return memories.candidates(limit=LOOKED_AT)


def case_of(memories: Writes, memory: Memory) -> Case:
    known = [memories.get(memory_id) for memory_id in memory.conflicts]
    live = [other for other in known if other is not None and other.is_live]
    against = tuple(sorted(live, key=lambda other: other.valid_from, reverse=True))
    return Case(memory=memory, against=against, is_doubted=memory.id in _proposals(memories))


def dispute(memories: Writes, memory: Memory) -> tuple[Case, list[Memory]]:
    """What it contradicts, and what contradicts it, as far as nobody has decided."""
    return case_of(memories, memory), [case.memory for case in _against(memories, memory)]


def _against(memories: Writes, memory: Memory) -> list[Case]:
    return [case for case in cases(memories) if any(other.id == memory.id for other in case.against)]


def accept(memories: Writes, ids: Sequence[MemoryId], *, at: datetime, by: str) -> Review:
    """They hold: what they contradict ends, and flags are taken off."""

    def decide(case: Case, deed: DeedId) -> Decided:
        held = replace(case.memory, conflicts=(), flag=None, tier=Tier.CONFIRMED)
        settled = _settled(memories, held, case.memory, deed)
        return Decided(memory=settled, ended=tuple(supersede(memories, other, settled, deed) for other in case.against))

    return _decided(memories, ids, "accept", decide, at=at, by=by)


def keep(memories: Writes, ids: Sequence[MemoryId], *, at: datetime, by: str) -> Review:
    """All of them hold: they only looked as if they contradicted each other."""

    def decide(case: Case, deed: DeedId) -> Decided:
        memory = case.memory
        if not case.against and memory.flag is None and not case.is_doubted:
            raise InvalidValue(f"{memory.id} contradicts nothing: accept or reject it.")
        if memory.flag is not None:
            raise InvalidValue(f"{memory.id} is flagged ({memory.flag}): accept or reject it.")
        return Decided(memory=_settled(memories, replace(memory, conflicts=()), memory, deed))

    return _decided(memories, ids, "keep", decide, at=at, by=by)


def reject(memories: Writes, ids: Sequence[MemoryId], *, at: datetime, by: str) -> Review:
    """They do not hold: what they contradict goes on; what is flagged, or an agent proposes to forget, is forgotten."""

    def decide(case: Case, deed: DeedId) -> Decided:
        memory = case.memory
        if not case.against:
            gone = _settled(memories, replace(memory, forgotten_at=at), memory, deed)
            return Decided(memory=gone, ended=(gone,))
        ended = replace(memory, conflicts=(), valid_to=max(at, memory.valid_from), superseded_by=case.against[0].id)
        return Decided(memory=_settled(memories, ended, memory, deed), ended=(ended,))

    return _decided(memories, ids, "reject", decide, at=at, by=by)


def _decided(
    memories: Writes,
    ids: Sequence[MemoryId],
    decision: str,
    decide: Callable[[Case, DeedId], Decided],
    *,
    at: datetime,
    by: str,
) -> Review:
    """All of them, or none."""
    with memories.writing():
        deed = memories.begin_deed(DeedKind.REVIEW, at, by, {"decision": decision})
        done = tuple(decide(_waiting(memories, memory_id), deed) for memory_id in dict.fromkeys(ids))
        for memory_id, proposal in _proposals(memories).items():
            if memory_id in ids:
                memories.note_undone(proposal, deed)
        return Review(deed=deed, decided=done)


def _waiting(memories: Writes, memory_id: MemoryId) -> Case:
    memory = memories.get(memory_id)
    if memory is None:
        raise InvalidValue(f"There is no memory {memory_id!r}. `recollect review` shows what waits.")
    case = case_of(memories, memory)
    if memory.is_live and (case.against or memory.flag or case.is_doubted or memory.tier is Tier.CANDIDATE):
        return case
    waiting = next((case.memory.id for case in _against(memories, memory)), None)
    if waiting is not None:
        raise InvalidValue(
            f"{memory_id} does not wait itself: {waiting} does, which contradicts it. "
            f"`recollect review reject {waiting}` lets {memory_id} hold alone."
        )
    raise InvalidValue(f"{memory_id} does not wait for a decision. `recollect review` shows what does.")


def _settled(memories: Writes, now: Memory, before: Memory, deed: DeedId) -> Memory:
    memories.note_change(deed, before.id, before)
    memories.update(now)
    return now
