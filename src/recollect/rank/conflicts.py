"""The order of memories that contradict each other while nobody has decided: the newest first. Pure."""

from collections.abc import Sequence

from recollect.domain.memory import Hit, MemoryId


def newest_first(hits: Sequence[Hit]) -> list[Hit]:
    """In their order, but of two that contradict each other the newer one never stands behind the older one."""
    if not any(hit.memory.conflicts for hit in hits):
        return list(hits)
    present = {hit.memory.id: hit for hit in hits}
    placed: dict[MemoryId, Hit] = {}
    for hit in hits:
        rivals = [other for other in hits if hit.memory.id in other.memory.conflicts]
        rivals += [present[known] for known in hit.memory.conflicts if known in present]
        newer = [rival for rival in rivals if rival.memory.valid_from > hit.memory.valid_from]
        for each in sorted(newer, key=lambda rival: rival.memory.valid_from, reverse=True):
            placed.setdefault(each.memory.id, each)
        placed.setdefault(hit.memory.id, hit)
    return list(placed.values())
