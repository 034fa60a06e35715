"""Review: a person decides about memories that contradict others, texts that read as orders to an agent, and memories
of the user that an agent wants to forget. Nothing is deleted here. The loser of a contradiction ends and stays in the
history."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from recollect.domain.changes import ChangeAction, ChangeId
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Memory, MemoryId, Tier
from recollect.domain.review import Case, DecidedCase, Review
from recollect.engine.ports import WritesMemories
from recollect.engine.remember import supersede

MAX_LISTED = 10_000  # more than a person reads


def cases(memories: WritesMemories) -> list[Case]:
    """Return everything that waits for a decision, the newest first."""
    waiting: dict[MemoryId, Memory] = {}
    for memory in map(memories.get, _proposals(memories)):
        if memory is not None and memory.is_live:
            waiting[memory.id] = memory
    for flagged in memories.to_review(limit=MAX_LISTED):
        waiting[flagged.id] = flagged
    found = [_case(memories, memory) for memory in waiting.values()]
    found.sort(key=lambda case: case.memory.created_at, reverse=True)
    return [case for case in found if case.against or case.memory.flag or case.is_doubted]


def _proposals(memories: WritesMemories) -> dict[MemoryId, ChangeId]:
    """Return the memories that agents propose to forget, each with the change that proposes it."""
    return {MemoryId(change.detail["memory"]): change.id for change in memories.proposals()}


def _case(memories: WritesMemories, memory: Memory) -> Case:
    known = [memories.get(memory_id) for memory_id in memory.conflicts]
    live = [other for other in known if other is not None and other.is_live]
    against = tuple(sorted(live, key=lambda other: other.valid_from, reverse=True))
    return Case(memory=memory, against=against, is_doubted=memory.id in _proposals(memories))


def dispute(memories: WritesMemories, memory: Memory) -> tuple[Case, list[Memory]]:
    """Return what the memory contradicts and what contradicts it, as far as that is undecided."""
    return _case(memories, memory), [case.memory for case in _against(memories, memory)]


def _against(memories: WritesMemories, memory: Memory) -> list[Case]:
    return [case for case in cases(memories) if any(other.id == memory.id for other in case.against)]


def accept(memories: WritesMemories, ids: Sequence[MemoryId], *, at: datetime, by: str) -> Review:
    """Confirm memories: what they contradict ends, and their flags are removed."""

    def decide(case: Case, change: ChangeId) -> DecidedCase:
        accepted = replace(case.memory, conflicts=(), flag=None, tier=Tier.CONFIRMED)
        _update(memories, accepted, case.memory, change)
        ended = [supersede(memories, other, accepted, change) for other in case.against]
        return DecidedCase(memory=accepted, ended=tuple(ended))

    return _decide_all(memories, ids, "accept", decide, at=at, by=by)


def keep(memories: WritesMemories, ids: Sequence[MemoryId], *, at: datetime, by: str) -> Review:
    """Keep memories and those they seemed to contradict: all stay valid."""

    def decide(case: Case, change: ChangeId) -> DecidedCase:
        memory = case.memory
        if not case.against and memory.flag is None and not case.is_doubted:
            raise InvalidValue(f"{memory.id} contradicts nothing: accept or reject it.")
        if memory.flag is not None:
            raise InvalidValue(f"{memory.id} is flagged ({memory.flag}): accept or reject it.")
        return DecidedCase(memory=_update(memories, replace(memory, conflicts=()), memory, change))

    return _decide_all(memories, ids, "keep", decide, at=at, by=by)


def reject(memories: WritesMemories, ids: Sequence[MemoryId], *, at: datetime, by: str) -> Review:
    """End memories: what they contradict stays valid. Without a contradiction (flagged, proposed to forget), forget them."""

    def decide(case: Case, change: ChangeId) -> DecidedCase:
        memory = case.memory
        if case.against:
            ended = replace(memory, conflicts=(), valid_to=max(at, memory.valid_from), superseded_by=case.against[0].id)
        else:
            ended = replace(memory, forgotten_at=at)
        _update(memories, ended, memory, change)
        return DecidedCase(memory=ended, ended=(ended,))

    return _decide_all(memories, ids, "reject", decide, at=at, by=by)


def _decide_all(
    memories: WritesMemories,
    ids: Sequence[MemoryId],
    decision: str,
    decide: Callable[[Case, ChangeId], DecidedCase],
    *,
    at: datetime,
    by: str,
) -> Review:
    """Decide about all of them, or about none if one of them does not wait."""
    with memories.transaction():
        change = memories.begin_change(ChangeAction.REVIEW, at, by, {"decision": decision})
        done = tuple(decide(_waiting_case(memories, memory_id), change) for memory_id in dict.fromkeys(ids))
        for memory_id, proposal in _proposals(memories).items():
            if memory_id in ids:
                memories.note_undone(proposal, change)
        return Review(deed=change, decided=done)


def _waiting_case(memories: WritesMemories, memory_id: MemoryId) -> Case:
    memory = memories.get(memory_id)
    if memory is None:
        raise InvalidValue(f"There is no memory {memory_id!r}. `recollect review` lists what waits.")
    case = _case(memories, memory)
    if memory.is_live and (case.against or memory.flag or case.is_doubted or memory.tier is Tier.CANDIDATE):
        return case
    waiting = next((case.memory.id for case in _against(memories, memory)), None)
    if waiting is not None:
        raise InvalidValue(
            f"{memory_id} itself does not wait for a decision: {waiting} does, which contradicts it. "
            f"`recollect review reject {waiting}` keeps only {memory_id}."
        )
    raise InvalidValue(f"{memory_id} does not wait for a decision. `recollect review` lists what does.")


def _update(memories: WritesMemories, now: Memory, before: Memory, change: ChangeId) -> Memory:
    memories.note_memory_change(change, before.id, before)
    memories.update(now)
    return now
