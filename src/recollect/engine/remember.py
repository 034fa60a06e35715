"""The only write path. A draft becomes a memory, or counts as one more mention of a known one."""

from collections.abc import Iterator
from dataclasses import replace
from hashlib import blake2b

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Draft, Memory, MemoryId, New, Outcome, Same, Sensitivity
from recollect.engine.ports import KeepsMemories
from recollect.text.block import visible

ID_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"  # no l, o, 0, 1: ids are read and typed by people
ID_CHARS = 8


def remember(memories: KeepsMemories, draft: Draft) -> Outcome:
    if not visible(draft.text):
        raise InvalidValue("The text has nothing that can be seen; say what is to be remembered.")
    with memories.writing():
        known = memories.find_same(draft)
        if known is not None:
            again = _merged(known, draft)
            memories.update(again)
            return Same(again)
        memory = _memory(draft, _free_id(memories, draft))
        memories.add(memory)
        return New(memory)


def _merged(known: Memory, draft: Draft) -> Memory:
    """Said once more: what the draft adds is added, and of two sensitivities the stricter one holds."""
    strictness = list(Sensitivity)
    return replace(
        known,
        seen=known.seen + 1,
        title=draft.title or known.title,
        aliases=tuple(dict.fromkeys((*known.aliases, *draft.aliases))),
        importance=max(known.importance, draft.importance),
        sensitivity=max(known.sensitivity, draft.sensitivity, key=strictness.index),
    )


def _memory(draft: Draft, memory_id: MemoryId) -> Memory:
    return Memory(
        id=memory_id,
        text=draft.text.strip(),
        kind=draft.kind,
        scope=draft.scope,
        created_at=draft.at,
        valid_from=draft.at,
        source=draft.source,
        title=draft.title,
        aliases=draft.aliases,
        sensitivity=draft.sensitivity,
        importance=draft.importance,
        confidence=draft.confidence,
        superseded_by=draft.superseded_by,
    )


def _free_id(memories: KeepsMemories, draft: Draft) -> MemoryId:
    if draft.id is not None:
        if memories.get(draft.id) is not None:
            raise InvalidValue(f"There is a memory {draft.id!r} already; leave the id out, or choose another.")
        return draft.id
    return next(candidate for candidate in _ids_of(draft) if memories.get(candidate) is None)


def _ids_of(draft: Draft) -> Iterator[MemoryId]:
    """Ids come from the content, so that the same story gives the same bytes; a taken one moves on to the next."""
    for salt in range(1000):
        digest = blake2b(f"{draft.scope}\n{draft.kind}\n{draft.text}\n{draft.at.isoformat()}\n{salt}".encode()).digest()
        yield MemoryId("".join(ID_ALPHABET[byte % len(ID_ALPHABET)] for byte in digest[:ID_CHARS]))
