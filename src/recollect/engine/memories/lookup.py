"""Find memories: one by its id or by a prefix that only one has, the newest, the hidden, or all."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import LATEST, Kind, Memory, MemoryId, ProjectId, Viewer, check_name
from recollect.engine.context import Context
from recollect.engine.ports import KeepsMemories
from recollect.engine.redaction import redact_memory
from recollect.privacy.visibility import may_see

MIN_PREFIX_CHARS = 3  # a shorter prefix would match almost any memory or session
MAX_IDS_IN_ERROR = 5
MAX_PREFIX_MATCHES = 1000


def find_memory(memories: KeepsMemories, id_or_prefix: str) -> Memory:
    """Return the one memory that matches. Raises InvalidValue for none or several."""
    exact = None
    if id_or_prefix:
        check_name(id_or_prefix, "id")
        exact = memories.get(MemoryId(id_or_prefix))
    if exact is not None:
        return exact
    if len(id_or_prefix) < MIN_PREFIX_CHARS:
        raise InvalidValue(
            f"There is no memory {id_or_prefix!r}; give at least {MIN_PREFIX_CHARS} characters of its id."
        )
    limit = MAX_IDS_IN_ERROR + 1
    matches = memories.with_prefix(id_or_prefix, limit=limit) or memories.with_prefix(id_or_prefix.lower(), limit=limit)
    if not matches:
        raise InvalidValue(f"There is no memory {id_or_prefix!r}. `recollect list` shows the ids.")
    if len(matches) > 1:
        several = ", ".join(memory.id for memory in matches[:MAX_IDS_IN_ERROR])
        raise InvalidValue(f"Several memories begin with {id_or_prefix!r}: {several}. Give more of the id.")
    return matches[0]


def find_visible(memories: KeepsMemories, id_or_prefix: str, is_visible: Callable[[Memory], bool]) -> Memory | None:
    """Like `find_memory` for an asker who may see only some memories: the others never count as a match."""
    try:
        check_name(id_or_prefix, "id")
    except InvalidValue:
        return None
    exact = memories.get(MemoryId(id_or_prefix))
    if exact is not None and is_visible(exact):
        return exact
    if len(id_or_prefix) < MIN_PREFIX_CHARS:
        return None
    for prefix in dict.fromkeys((id_or_prefix, id_or_prefix.lower())):
        matches = list(filter(is_visible, memories.with_prefix(prefix, limit=MAX_PREFIX_MATCHES)))
        if matches:
            return matches[0] if len(matches) == 1 else None
    return None


def find(ctx: Context, id_or_prefix: str) -> Memory:
    return redact_memory(find_memory(ctx.store, id_or_prefix))


def all_memories(ctx: Context, project: ProjectId | None = None) -> Iterator[Memory]:
    return map(redact_memory, ctx.store.everything(project))


def newest(ctx: Context, viewer: Viewer, *, limit: int, kinds: Collection[Kind] = ()) -> list[Memory]:
    found = ctx.store.newest(viewer, limit=limit, kinds=kinds or None)
    return [redact_memory(memory) for memory in found if may_see(memory, viewer)]


def hidden_memories(ctx: Context, viewer: Viewer) -> list[Memory]:
    """Memories that were forgotten or undone, are not deleted yet, and were visible to this viewer."""
    forgotten = ctx.store.find_readable(ctx.store.find_forgotten_before(LATEST))
    return [redact_memory(memory) for memory in forgotten if may_see(replace(memory, forgotten_at=None), viewer)]


def edited_memories(ctx: Context, viewer: Viewer) -> list[tuple[Memory, Memory]]:
    """Edited memories that this viewer may see, each with its old version, whose words are still stored."""
    pairs = []
    edits = ctx.store.edits()
    known = {memory.id: memory for memory in ctx.store.find_readable([change.memory for change in edits])}
    for change in edits:
        now = known.get(change.memory)
        if now is not None and change.before is not None and may_see(now, viewer):
            pairs.append((redact_memory(now), change.before))
    return pairs
