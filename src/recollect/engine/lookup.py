"""A memory by its id, or by the beginning of it where only one has that."""

from collections.abc import Callable

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Memory, MemoryId, check_name
from recollect.engine.ports import KeepsMemories

MIN_PREFIX_CHARS = 3  # fewer would mean almost any memory, or any session
NAMED = 5  # in an error
LOOKED_AT = 1000  # of those whose ids begin alike


def found(memories: KeepsMemories, id_or_beginning: str) -> Memory:
    """InvalidValue: there is none, or there are several."""
    if id_or_beginning:
        check_name(id_or_beginning, "id")
    exact = memories.get(MemoryId(id_or_beginning)) if id_or_beginning else None
    if exact is not None:
        return exact
    if len(id_or_beginning) < MIN_PREFIX_CHARS:
        raise InvalidValue(
            f"There is no memory {id_or_beginning!r}; give at least {MIN_PREFIX_CHARS} characters of its id."
        )
    alike = memories.with_prefix(id_or_beginning, limit=NAMED + 1) or memories.with_prefix(
        id_or_beginning.lower(), limit=NAMED + 1
    )
    if not alike:
        raise InvalidValue(f"There is no memory {id_or_beginning!r}. `recollect list` shows the ids.")
    if len(alike) > 1:
        several = ", ".join(memory.id for memory in alike[:NAMED])
        raise InvalidValue(f"Several memories begin with {id_or_beginning!r}: {several}. Give more of the id.")
    return alike[0]


def find_visible(memories: KeepsMemories, id_or_beginning: str, may_be: Callable[[Memory], bool]) -> Memory | None:
    """The same for somebody who knows of some memories only: the others count for nothing, also where several begin
    alike. None: there is none, or there are several."""
    try:
        check_name(id_or_beginning, "id")
    except InvalidValue:
        return None
    exact = memories.get(MemoryId(id_or_beginning))
    if exact is not None and may_be(exact):
        return exact
    if len(id_or_beginning) < MIN_PREFIX_CHARS:
        return None
    for beginning in dict.fromkeys((id_or_beginning, id_or_beginning.lower())):
        alike = [memory for memory in memories.with_prefix(beginning, limit=LOOKED_AT) if may_be(memory)]
        if alike:
            return alike[0] if len(alike) == 1 else None
    return None
