"""Order memories that contradict each other until a person decides: the user's before an agent's, then the newest
first. Pure."""

from collections.abc import Sequence

from recollect.domain.memory import Hit, Memory, MemoryId, Role
from recollect.novelty.statement import mentions_change, topic_words

MIN_SHARED = 0.5  # of the words of a memory, in one that may have changed it
USER_ROLES = (Role.USER, Role.IMPORT)


def is_from_user(memory: Memory) -> bool:
    """Return True if the user said it, at least once."""
    roles = {memory.source.role, *(said.role for said in memory.mentions)}
    return not roles.isdisjoint(USER_ROLES)


def order_conflicts(hits: Sequence[Hit]) -> list[Hit]:
    """Put before each hit the rivals with more right, which contradict it or report a change of it."""
    reports = [hit for hit in hits if mentions_change(hit.memory.text)]
    if not reports and not any(hit.memory.conflicts for hit in hits):
        return list(hits)
    by_id = {hit.memory.id: hit for hit in hits}
    placed: dict[MemoryId, Hit] = {}
    for hit in hits:
        rivals = [other for other in hits if hit.memory.id in other.memory.conflicts]
        rivals += [by_id[known] for known in hit.memory.conflicts if known in by_id]
        rivals += [other for other in reports if other is not hit and _may_change(hit.memory, other.memory)]
        for rival in sorted(rivals, key=_right, reverse=True):
            if _right(rival) > _right(hit):
                placed.setdefault(rival.memory.id, rival)
        placed.setdefault(hit.memory.id, hit)
    return list(placed.values())


def _may_change(old: Memory, new: Memory) -> bool:
    words = topic_words(old.text)
    return len(words & topic_words(new.text)) > MIN_SHARED * len(words)


def _right(hit: Hit) -> tuple[bool, float]:
    memory = hit.memory
    since = min(memory.valid_from, memory.created_at)  # if it is valid from a future date, the day it was learnt counts
    return is_from_user(memory), since.timestamp()
