"""The only write path. A draft becomes a memory, or counts as one more mention of a known one."""

from collections.abc import Iterator
from dataclasses import replace
from hashlib import blake2b

from recollect.domain.errors import InvalidValue
from recollect.domain.history import DeedId
from recollect.domain.memory import EARLIEST, Draft, Memory, MemoryId, New, Outcome, Same, Sensitivity
from recollect.engine import anchoring
from recollect.engine.ports import KeepsMemories, Writes
from recollect.text.block import visible

ID_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"  # no l, o, 0, 1: ids are read and typed by people
ID_CHARS = 8
_AS_LETTERS = (ID_ALPHABET * (256 // len(ID_ALPHABET))).encode()


def remember(memories: Writes, draft: Draft, deed: DeedId) -> Outcome:
    """Somebody says it: a known memory counts it."""
    with memories.writing():
        known = _known(memories, draft)
        if known is not None:
            again = _merged(known, draft, seen=known.seen + draft.seen)
            memories.note_change(deed, known.id, known)
            memories.update(again)
            return Same(again)
        return _added(memories, draft, deed)


def bring_back(memories: Writes, draft: Draft, deed: DeedId) -> Outcome:
    """It comes from a file, with its own id and counts: the same file twice changes nothing."""
    if draft.id is None and _is_past(draft):  # nothing live will be found for it, and its time may be that of reading
        draft = replace(draft, id=next(_ids_of(replace(draft, at=EARLIEST))))
    with memories.writing():
        taken = memories.get(draft.id or next(_ids_of(draft)))
        is_same = taken is not None and _says_the_same(taken, draft)
        if taken is not None and taken.forgotten_at is None and is_same and (draft.id or not taken.is_live):
            return Same(taken)
        known = _known(memories, draft)
        if known is None and taken is not None and taken.forgotten_at is not None and is_same:
            memory = _memory(draft, taken.id)
            memories.note_change(deed, taken.id, taken)
            memories.update(memory)
            return New(memory)
        if known is None:
            return _added(memories, draft, deed)
        merged = _merged(known, draft, seen=max(known.seen, draft.seen))
        if merged != known:
            memories.note_change(deed, known.id, known)
            memories.update(merged)
        return Same(merged)


def _known(memories: Writes, draft: Draft) -> Memory | None:
    if not visible(draft.text):
        raise InvalidValue("The text has nothing that can be seen; say what is to be remembered.")
    return None if _is_past(draft) else memories.find_same(draft)  # what no longer holds is no mention of what does


def _is_past(draft: Draft) -> bool:
    return draft.superseded_by is not None or draft.valid_to is not None


def _added(memories: Writes, draft: Draft, deed: DeedId) -> New:
    memory = _memory(draft, _free_id(memories, draft))
    memories.note_change(deed, memory.id, None)
    memories.add(memory)
    return New(memory)


def _says_the_same(known: Memory, draft: Draft) -> bool:
    return (known.text, known.kind, known.scope) == (draft.text.strip(), draft.kind, draft.scope)


def _merged(known: Memory, draft: Draft, *, seen: int) -> Memory:
    """What the draft adds is added, and of two sensitivities the stricter one holds."""
    strictness = list(Sensitivity)
    return replace(
        known,
        seen=seen,
        title=draft.title or known.title,
        aliases=tuple(dict.fromkeys((*known.aliases, *draft.aliases))),
        evidence=tuple(dict.fromkeys((*known.evidence, *draft.evidence))),
        anchors=anchoring.merged(known.anchors, draft.anchors),
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
        valid_from=draft.valid_from or draft.at,
        source=draft.source,
        title=draft.title,
        aliases=draft.aliases,
        sensitivity=draft.sensitivity,
        importance=draft.importance,
        confidence=draft.confidence,
        valid_to=draft.valid_to,
        superseded_by=draft.superseded_by,
        evidence=draft.evidence,
        anchors=draft.anchors,
        seen=draft.seen,
        use=draft.use,
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
        yield MemoryId(digest[:ID_CHARS].translate(_AS_LETTERS).decode())
