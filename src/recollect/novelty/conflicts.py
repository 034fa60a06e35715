"""The order of memories that contradict each other while nobody has decided: what the user said before what an agent
said, then the newest first. Pure."""

from collections.abc import Sequence

from recollect.domain.memory import Hit, Memory, MemoryId, Role
from recollect.novelty.statement import telling_words, tells_of_change

MOST = 0.5
BY_THE_USER = (Role.USER, Role.IMPORT)


def is_of_the_user(memory: Memory) -> bool:
    """Whether the user said it, at least once."""
    return any(one.role in BY_THE_USER for one in (memory.source, *(mention.source for mention in memory.mentions)))


def rightful_first(hits: Sequence[Hit]) -> list[Hit]:
    """In their order, but of two that contradict each other an agent's never stands before the user's, nor of the same
    speaker the older one before the newer. What tells of a change leads what it may have changed, too."""
    telling = [hit for hit in hits if tells_of_change(hit.memory.text)]
    if not telling and not any(hit.memory.conflicts for hit in hits):
        return list(hits)
    present = {hit.memory.id: hit for hit in hits}
    placed: dict[MemoryId, Hit] = {}
    for hit in hits:
        rivals = [other for other in hits if hit.memory.id in other.memory.conflicts]
        rivals += [present[known] for known in hit.memory.conflicts if known in present]
        rivals += [other for other in telling if other is not hit and _may_change(hit.memory, other.memory)]
        before = [rival for rival in rivals if _right(rival) > _right(hit)]
        for each in sorted(before, key=_right, reverse=True):
            placed.setdefault(each.memory.id, each)
        placed.setdefault(hit.memory.id, hit)
    return list(placed.values())


def _may_change(old: Memory, new: Memory) -> bool:
    """Whether most of what the one speaks of comes back in the other."""
    words = telling_words(old.text)
    return len(words & telling_words(new.text)) > MOST * len(words)


def _right(hit: Hit) -> tuple[bool, float]:
    memory = hit.memory
    since = min(memory.valid_from, memory.created_at)  # from a date to come, it counts when it was learnt
    return is_of_the_user(memory), since.timestamp()
