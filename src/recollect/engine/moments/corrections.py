"""Corrections: one line on the next prompt for each shown memory that is no longer valid. Sent blocks never change."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from recollect.domain.freshness import NOT_CHECKED
from recollect.domain.memory import Hit, Memory, MemoryId
from recollect.engine.moments.situation import Situation
from recollect.engine.ports import KeepsMemories
from recollect.engine.redaction import redact_for_block
from recollect.rank.budget import BlockItem
from recollect.text.block import correction_line_of, withdrawal_line_of

MAX_STEPS = 20  # from one version of a memory to the next


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    old: tuple[MemoryId, ...]
    offer: BlockItem

    def is_in(self, block: str) -> bool:
        lines = block.split("\n")
        return any(way in lines for way in self.offer.forms)


def find_corrections(memories: KeepsMemories, situation: Situation) -> list[Correction]:
    """Correct what is in the live context. Nothing to correct where the current version is there too."""
    live = situation.live
    if not live.memory_ids:
        return []
    found: list[Correction] = []
    replaced: dict[MemoryId, list[MemoryId]] = {}
    successors: dict[MemoryId, Memory] = {}
    for memory in sorted(memories.find_ended(live.memory_ids), key=lambda memory: memory.id):
        now = _current_version(memories, memory)
        if now is None or not situation.may_show(now) or not situation.settings.kinds.injected[now.kind]:
            found.append(_correct_ended(memory))
        elif now.id not in live.memory_ids:
            successors[now.id] = now
            replaced.setdefault(now.id, []).append(memory.id)
    for memory in memories.find_edited(live.last_shown):
        if situation.may_show(memory):  # shown again under its id, it still counts as shown
            found.append(replace(_correct_replaced(memory, (memory.id,), situation), old=()))
        else:
            found.append(_correct_ended(memory))
    for successor, old in replaced.items():
        found.append(_correct_replaced(successors[successor], old, situation))
    return found


def _correct_ended(memory: Memory) -> Correction:
    return Correction(old=(memory.id,), offer=BlockItem((withdrawal_line_of(memory),)))


def _correct_replaced(now: Memory, old: Sequence[MemoryId], situation: Situation) -> Correction:
    """One line, however many memories `now` replaces."""
    freshness = situation.look_up_freshness([now]).get(now.id, NOT_CHECKED)
    safe = redact_for_block(Hit(memory=now, relevance=1.0, score=1.0, freshness=freshness))
    line = correction_line_of(safe.memory, old, safe.freshness)
    return Correction(old=tuple(old), offer=BlockItem((line,), memory_id=now.id))


def _current_version(memories: KeepsMemories, memory: Memory) -> Memory | None:
    for _ in range(MAX_STEPS):
        if memory.superseded_by is None:
            return memory if memory.is_live else None
        following = memories.get(memory.superseded_by)
        if following is None:
            return None
        memory = following
    return None
