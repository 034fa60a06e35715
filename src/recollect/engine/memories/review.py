"""Review: a person decides about memories that contradict others, texts that read as orders to an agent, memories of the
user that an agent wants to forget, and candidates. The loser of a contradiction ends and stays in the history; any other
rejected memory is forgotten. `undo` reverts both."""

from collections.abc import Container
from dataclasses import replace
from datetime import datetime

from recollect.api.review import Decide, ToReview, Waits
from recollect.domain.changes import ChangeAction, ChangeId
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Memory, MemoryId, Tier, Viewer
from recollect.domain.review import Case, DecidedCase, Decision, Review
from recollect.engine.context import Context
from recollect.engine.memories.folder_project import named_viewer
from recollect.engine.memories.lookup import find_memory
from recollect.engine.memories.remember import supersede
from recollect.engine.ports import WritesMemories
from recollect.engine.redaction import redact_case, redact_memories, redact_review
from recollect.privacy.visibility import is_of_another_project, may_see

MAX_LISTED = 10_000  # more than a person reads


def find_waiting(ctx: Context, asked: ToReview) -> Waits:
    cases = find_cases(ctx.store)
    if asked.candidates_only:
        cases = [case for case in cases if case.memory.tier is Tier.CANDIDATE]
    known = {case.memory.id for case in cases}
    candidates = [memory for memory in ctx.store.candidates(limit=MAX_LISTED) if memory.id not in known]
    in_all = len(cases) + len(candidates)
    if not asked.everywhere:
        viewer = named_viewer(ctx, None, None)
        cases = [case for case in cases if may_decide(case.memory, viewer)]
        candidates = [memory for memory in candidates if may_decide(memory, viewer)]
    here = len(cases) + len(candidates)
    limit = here if asked.limit is None else asked.limit
    return Waits(
        cases=list(map(redact_case, cases[:limit])),
        candidates=list(redact_memories(candidates[: max(0, limit - len(cases))])),
        here=here,
        elsewhere=in_all - here,
    )


def may_decide(memory: Memory, viewer: Viewer) -> bool:
    """Return False for a memory that another project shares with this one, or that this one may not see."""
    return may_see(memory, viewer) and not is_of_another_project(memory, viewer)


def decide(ctx: Context, asked: Decide) -> Review:
    """Decide on all memories in `ids`. If one of them does not wait, change nothing."""
    memories, decide_one = ctx.store, _DECIDES[asked.decision]
    with memories.transaction():
        ids = dict.fromkeys(find_memory(memories, given).id for given in asked.ids)
        proposals = _proposals(memories)
        change = memories.begin_change(ChangeAction.REVIEW, ctx.now, asked.by, {"decision": asked.decision.value})
        cases = (_waiting_case(memories, memory_id, proposals) for memory_id in ids)
        done = tuple(decide_one(memories, case, change, ctx.now) for case in cases)
        for memory_id in ids:
            if memory_id in proposals:
                memories.note_undone(proposals[memory_id], change)
    return redact_review(Review(deed=change, decided=done))


def find_cases(memories: WritesMemories) -> list[Case]:
    """Return the contradictions, flagged memories and proposals that wait, the newest first; no other candidates."""
    proposals = _proposals(memories)
    waiting: dict[MemoryId, Memory] = {}
    for memory in map(memories.get, proposals):
        if memory is not None and memory.is_live:
            waiting[memory.id] = memory
    for flagged in memories.to_review(limit=MAX_LISTED):
        waiting[flagged.id] = flagged
    found = [_case(memories, memory, proposals) for memory in waiting.values()]
    found.sort(key=lambda case: case.memory.created_at, reverse=True)
    return [case for case in found if case.against or case.memory.flag or case.is_doubted]


def find_dispute(memories: WritesMemories, memory: Memory) -> tuple[list[Memory], list[Memory]]:
    """Return the valid memories that it contradicts, and those that wait because they contradict it."""
    others = [case.memory for case in find_cases(memories) if _contradicts(case, memory)]
    return _opponents(memories, memory), others


def _proposals(memories: WritesMemories) -> dict[MemoryId, ChangeId]:
    """Return the memories that agents propose to forget, each with the change that proposes it."""
    return {MemoryId(change.detail["memory"]): change.id for change in memories.proposals()}


def _case(memories: WritesMemories, memory: Memory, proposals: Container[MemoryId]) -> Case:
    against = tuple(_opponents(memories, memory))
    return Case(memory=memory, against=against, is_doubted=memory.id in proposals)


def _opponents(memories: WritesMemories, memory: Memory) -> list[Memory]:
    known = [memories.get(memory_id) for memory_id in memory.conflicts]
    live = [other for other in known if other is not None and other.is_live]
    return sorted(live, key=lambda other: other.valid_from, reverse=True)


def _contradicts(case: Case, memory: Memory) -> bool:
    return any(other.id == memory.id for other in case.against)


def _accept(memories: WritesMemories, case: Case, change: ChangeId, at: datetime) -> DecidedCase:  # noqa: ARG001
    """Confirm the memory: what it contradicts ends, and its flag is removed."""
    accepted = replace(case.memory, conflicts=(), flag=None, tier=Tier.CONFIRMED)
    _update(memories, accepted, case.memory, change)
    ended = [supersede(memories, other, accepted, change) for other in case.against]
    return DecidedCase(memory=accepted, ended=tuple(ended))


def _keep(memories: WritesMemories, case: Case, change: ChangeId, at: datetime) -> DecidedCase:  # noqa: ARG001
    """Keep the memory and those it seemed to contradict: all stay valid."""
    memory = case.memory
    if not case.against and memory.flag is None and not case.is_doubted:
        raise InvalidValue(f"{memory.id} contradicts nothing: accept or reject it.")
    if memory.flag is not None:
        raise InvalidValue(f"{memory.id} is flagged ({memory.flag}): accept or reject it.")
    return DecidedCase(memory=_update(memories, replace(memory, conflicts=()), memory, change))


def _reject(memories: WritesMemories, case: Case, change: ChangeId, at: datetime) -> DecidedCase:
    """End the memory: what it contradicts stays valid. Without a contradiction (flagged, proposed to forget), forget it."""
    memory = case.memory
    if case.against:
        ended = replace(memory, conflicts=(), valid_to=max(at, memory.valid_from), superseded_by=case.against[0].id)
    else:
        ended = replace(memory, forgotten_at=at)
    _update(memories, ended, memory, change)
    return DecidedCase(memory=ended, ended=(ended,))


def _waiting_case(memories: WritesMemories, memory_id: MemoryId, proposals: Container[MemoryId]) -> Case:
    memory = find_memory(memories, memory_id)  # an earlier decision may have changed it
    case = _case(memories, memory, proposals)
    if memory.is_live and (case.against or memory.flag or case.is_doubted or memory.tier is Tier.CANDIDATE):
        return case
    waiting = next((case.memory.id for case in find_cases(memories) if _contradicts(case, memory)), None)
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


_DECIDES = {Decision.ACCEPT: _accept, Decision.KEEP: _keep, Decision.REJECT: _reject}
