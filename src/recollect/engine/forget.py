"""Forgetting: hidden at once, deleted for good when the undo window ends."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from recollect.domain.changes import ChangeAction, ChangeId
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Memory, MemoryId, SessionId
from recollect.domain.settings import Settings
from recollect.engine.learning_ports import KeepsCandidates
from recollect.engine.ports import Forgets, KeepsTurns, WritesMemories
from recollect.engine.session_ports import KeepsRecaps, LogsInjections


class CanForget(WritesMemories, Forgets, Protocol): ...


class CanTidy(CanForget, KeepsTurns, KeepsRecaps, LogsInjections, KeepsCandidates, Protocol): ...


class ForgetOutcome(NamedTuple):
    memories: list[Memory]
    is_clean: bool = True  # no byte of the deleted text is left on the disk
    for_good: bool = False  # cannot be undone
    deed: ChangeId | None = None  # undoing this change brings it back


def forget(store: CanForget, memories: Sequence[MemoryId], *, at: datetime, by: str) -> ForgetOutcome:
    """Hide memories. `undo` brings them back until `tidy` finds the undo window over."""
    with store.transaction():
        found = [_present(store, memory_id) for memory_id in dict.fromkeys(memories)]
        change = store.begin_change(ChangeAction.FORGET, at, by)
        for memory in _with_copies(store, found):
            if memory.forgotten_at is None:
                store.note_memory_change(change, memory.id, memory)
                store.update(replace(memory, forgotten_at=at))
    return ForgetOutcome(found, deed=change)


def forget_now(store: CanForget, memories: Sequence[MemoryId], *, at: datetime, by: str) -> ForgetOutcome:
    """Delete memories for good, also those that were forgotten before."""
    with store.transaction():
        found = [_get(store, memory_id) for memory_id in dict.fromkeys(memories)]
        store.begin_change(ChangeAction.PURGE, at, by, {"memories": len(found)})
        said = store.purge([memory.id for memory in _with_copies(store, found)])
    return ForgetOutcome(found, is_clean=store.scrub(said), for_good=True)


def delete_session(store: CanTidy, session: SessionId, *, at: datetime, by: str) -> bool:
    """Delete all data of a session for good, and the candidates learnt only from it; confirmed memories stay. Return
    True if there was anything. The next `tidy` removes the bytes: rewriting the file takes longer than a user waits."""
    with store.transaction():
        unproven = [memory.id for memory in store.candidates_only_from(session)]
        if unproven:
            store.begin_change(ChangeAction.PURGE, at, by, {"memories": len(unproven), "session": session})
            store.purge(unproven)
        return store.delete_session(session) or bool(unproven)


def tidy(store: CanTidy, now: datetime, settings: Settings) -> bool:
    """Do what is due: end undo windows, drop old turns, clean up after a crash. Return True if a memory was deleted."""
    window_began = now - timedelta(hours=settings.forget.undo_hours)
    said: Sequence[str] = ()
    if store.find_forgotten_before(window_began):
        with store.transaction():  # look again: an undo may just have brought one back
            said = store.purge(store.find_forgotten_before(window_began))
    store.scrub(said)
    fade(store, now, settings)
    kept_since = now - timedelta(days=settings.archive.days)
    store.drop_turns_before(kept_since)
    store.drop_recaps_before(kept_since)
    store.drop_reasons_before(now - timedelta(days=settings.inject.log_days))
    return bool(said)


def fade(store: CanTidy, now: datetime, settings: Settings) -> None:
    """End candidates that were not needed for long. They stay in the history, and their words in the archive."""
    days = settings.capture.fade_days
    fading = store.fading_candidates(now - timedelta(days=days)) if days > 0 else []
    if not fading:
        return
    with store.transaction():
        change = store.begin_change(ChangeAction.FADE, now, "recollect")
        for memory in fading:
            store.note_memory_change(change, memory.id, memory)
            store.update(replace(memory, valid_to=max(now, memory.valid_from)))


def _with_copies(store: CanForget, memories: Sequence[Memory]) -> list[Memory]:
    """Add the older memories with the same words, as after joining two projects: forgetting one means both."""
    found = {memory.id: memory for memory in memories}
    waiting = list(memories)
    while waiting:
        memory = waiting.pop()
        for older in store.predecessors(memory.id):
            if older.id not in found and older.text.casefold().split() == memory.text.casefold().split():
                found[older.id] = older
                waiting.append(older)
    return list(found.values())


def _present(store: CanForget, memory_id: MemoryId) -> Memory:
    memory = _get(store, memory_id)
    if memory.forgotten_at is not None:
        raise InvalidValue(f"The memory {memory_id!r} is already forgotten.")
    return memory


def _get(store: CanForget, memory_id: MemoryId) -> Memory:
    memory = store.get(memory_id)
    if memory is None:
        raise InvalidValue(f"There is no memory {memory_id!r}. `recollect list` shows the ids.")
    return memory
