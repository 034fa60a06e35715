"""What was shown and no longer holds: the next prompt says so in one line. What was sent stays as it was."""

from dataclasses import dataclass

from recollect.domain.memory import Memory, MemoryId
from recollect.engine.ports import KeepsMemories
from recollect.engine.showing import as_read, shown
from recollect.engine.situation import Situation
from recollect.rank.budget import Offer
from recollect.text.block import correction_line_of, ended_line_of

MAX_STEPS = 20  # from one version of a memory to the next


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    old: MemoryId
    offer: Offer

    def is_told_in(self, block: str) -> bool:
        lines = block.split("\n")
        return any(way in lines for way in self.offer.ways)


def corrections(memories: KeepsMemories, situation: Situation) -> list[Correction]:
    """Of what is in front of the model. Where the model has what holds now, it needs no line about it."""
    live = situation.live
    told = live.corrected
    found = []
    for memory in memories.ended(live.shown - told):
        now = _what_holds_now(memories, memory)
        if now is None or not situation.may_show(now):
            found.append(Correction(old=memory.id, offer=Offer((ended_line_of(memory),))))
        elif now.id not in live.shown:
            line = correction_line_of(as_read(shown(now)), memory.id)
            found.append(Correction(old=memory.id, offer=Offer((line, ended_line_of(memory)), memory=now.id)))
    return sorted(found, key=lambda correction: correction.old)


def _what_holds_now(memories: KeepsMemories, memory: Memory) -> Memory | None:
    """None: nothing came in its place."""
    for _ in range(MAX_STEPS):
        if memory.superseded_by is None:
            return memory if memory.is_live else None
        following = memories.get(memory.superseded_by)
        if following is None:
            return None
        memory = following
    return None
