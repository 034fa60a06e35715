"""What is never told alone while nobody has decided: an agent's claim without the user's word, and an older statement
without the newer one that may have taken its place."""

from collections.abc import Sequence
from dataclasses import replace

from recollect.domain.injection import Verdict
from recollect.domain.memory import Hit, Memory, MemoryId
from recollect.engine.situation import Situation
from recollect.novelty.conflicts import is_of_the_user, rightful_first
from recollect.rank.budget import Filled

NOT_TOLD = (Verdict.BUDGET, Verdict.LINES)  # there was no room


def leave_out_lone_claims(hits: Sequence[Hit], situation: Situation) -> list[Hit]:
    """For what nobody asked for: a claim whose contrary is neither here nor in front of the model is left out; a newer
    statement comes along."""
    told = situation.live.memory_ids.union(hit.memory.id for hit in hits)
    kept = [hit for hit in hits if all(word.id in told for word in _users_words(hit.memory, situation))]
    return _with_others(kept, situation)


def add_counterparts(hits: Sequence[Hit], situation: Situation) -> list[Hit]:
    """For whoever asked: the user's word comes along too; a claim against what may not be told is not told either."""
    return _with_others(hits, situation)


def lone_claims(hits: Sequence[Hit], filled: Filled, situation: Situation) -> frozenset[MemoryId]:
    """Hits that found room in a block where what must be told with them found none."""
    told = situation.live.memory_ids.union(one for one, verdict in filled.verdicts.items() if verdict not in NOT_TOLD)
    return frozenset(
        hit.memory.id
        for hit in hits
        if hit.memory.id in told and any(other.id not in told for other in _told_with(hit.memory, situation))
    )


def _with_others(hits: Sequence[Hit], situation: Situation) -> list[Hit]:
    told = situation.live.memory_ids.union(hit.memory.id for hit in hits)
    found: dict[str, Hit] = {}
    for hit in hits:
        absent = [other for other in _told_with(hit.memory, situation) if other.id not in told]
        if all(situation.may_show(other) and not situation.is_said_here(other) for other in absent):
            for other in absent:
                found.setdefault(other.id, replace(hit, memory=other))
            found[hit.memory.id] = hit
    return rightful_first([*found.values()])


def _told_with(memory: Memory, situation: Situation) -> list[Memory]:
    return [*_users_words(memory, situation), *_newer(memory, situation)]


def _users_words(memory: Memory, situation: Situation) -> list[Memory]:
    if not memory.conflicts or is_of_the_user(memory):
        return []
    known = filter(None, map(situation.find_memory, memory.conflicts))
    return [other for other in known if other.is_live and is_of_the_user(other)]


def _newer(memory: Memory, situation: Situation) -> list[Memory]:
    """Of what contradicts it, the word of the same speaker, or of the user."""
    by_user = is_of_the_user(memory)
    return [
        other
        for other in situation.list_disputing()
        if memory.id in other.conflicts and other.flag is None and is_of_the_user(other) >= by_user
    ]
