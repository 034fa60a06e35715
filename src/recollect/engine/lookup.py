"""Find a memory by its id, or by a prefix of the id that only one memory has."""

from collections.abc import Callable

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Memory, MemoryId, check_name
from recollect.engine.ports import KeepsMemories

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
