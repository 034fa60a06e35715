"""The story of one memory: the memories it replaced, the changes to it, and the memories that replaced it."""

from dataclasses import dataclass

from recollect.domain.changes import MemoryChange
from recollect.domain.memory import Memory
from recollect.engine.ports import WritesMemories

MAX_LINKS = 100  # a longer chain is a circle


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    memory: Memory
    before: tuple[Memory, ...]  # the memories it replaced, oldest first
    after: tuple[Memory, ...]  # the memories that replaced it, in order
    changes: tuple[MemoryChange, ...]  # in order


def build_story(memories: WritesMemories, memory: Memory) -> Story:
    return Story(
        memory=memory,
        before=tuple(_before(memories, memory)),
        after=tuple(_after(memories, memory)),
        changes=tuple(memories.memory_changes_of(memory.id)),
    )


def _before(memories: WritesMemories, memory: Memory) -> list[Memory]:
    found: dict[str, Memory] = {}
    waiting = [memory]
    while waiting and len(found) < MAX_LINKS:
        for older in memories.predecessors(waiting.pop().id):
            if older.id not in found and older.id != memory.id:
                found[older.id] = older
                waiting.append(older)
    visible = [older for older in found.values() if older.forgotten_at is None]
    return sorted(visible, key=lambda older: (older.valid_from, older.id))


def _after(memories: WritesMemories, memory: Memory) -> list[Memory]:
    found: list[Memory] = []
    current = memory
    while current.superseded_by is not None and len(found) < MAX_LINKS:
        newer = memories.get(current.superseded_by)
        if newer is None or newer.id == memory.id or newer in found:
            break
        found.append(newer)
        current = newer
    return [newer for newer in found if newer.forgotten_at is None]
