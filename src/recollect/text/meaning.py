"""The texts whose meaning is compared. Pure."""

from recollect.domain.memory import Memory


def memory_meaning(memory: Memory) -> str:
    return memory.text
