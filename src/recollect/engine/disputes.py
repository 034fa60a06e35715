"""What an agent claims against the user's word, while nobody has decided: never told without that word or above it."""

from collections.abc import Sequence
from dataclasses import replace

from recollect.domain.injection import Verdict
from recollect.domain.memory import Hit, Memory, MemoryId
from recollect.engine.situation import Situation
from recollect.rank.budget import Filled
from recollect.rank.conflicts import is_of_the_user, rightful_first

NOT_TOLD = (Verdict.BUDGET, Verdict.LINES)  # there was no room


def undisputed(hits: Sequence[Hit], situation: Situation) -> list[Hit]:
    """For what nobody asked for: a claim whose contrary is neither here nor in front of the model is left out."""
    told = situation.live.shown.union(hit.memory.id for hit in hits)
    return rightful_first([hit for hit in hits if all(word.id in told for word in _users_words(hit.memory, situation))])


def with_the_users_word(hits: Sequence[Hit], situation: Situation) -> list[Hit]:
    """For whoever asked: the user's word comes along; a claim against what may not be told is not told either."""
    told = situation.live.shown.union(hit.memory.id for hit in hits)
    found: dict[str, Hit] = {}
    for hit in hits:
        absent = [word for word in _users_words(hit.memory, situation) if word.id not in told]
        if all(map(situation.may_show, absent)):
            for word in absent:
                found.setdefault(word.id, replace(hit, memory=word))
            found[hit.memory.id] = hit
    return rightful_first([*found.values()])


def lone_claims(hits: Sequence[Hit], filled: Filled, situation: Situation) -> frozenset[MemoryId]:
    """Claims that found room in a block where the user's word found none."""
    told = situation.live.shown.union(one for one, verdict in filled.verdicts.items() if verdict not in NOT_TOLD)
    return frozenset(
        hit.memory.id
        for hit in hits
        if hit.memory.id in told and any(word.id not in told for word in _users_words(hit.memory, situation))
    )


def _users_words(memory: Memory, situation: Situation) -> list[Memory]:
    if not memory.conflicts or is_of_the_user(memory):
        return []
    known = filter(None, map(situation.known, memory.conflicts))
    return [other for other in known if other.is_live and is_of_the_user(other)]
