"""Forgetting: out of sight at once, gone for good when the undo window ends."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from recollect.domain.errors import InvalidValue
from recollect.domain.history import DeedId, DeedKind
from recollect.domain.memory import Memory, MemoryId, SessionId
from recollect.domain.settings import Settings
from recollect.engine.learning_ports import KeepsCandidates
from recollect.engine.ports import Forgets, KeepsTurns, Writes
from recollect.engine.session_ports import KeepsRecaps, LogsInjections


class CanForget(Writes, Forgets, Protocol):
    pass


class CanTidy(CanForget, KeepsTurns, KeepsRecaps, LogsInjections, KeepsCandidates, Protocol):
    pass


class ForgetOutcome(NamedTuple):
    """What was forgotten."""

    memories: list[Memory]
    is_clean: bool = True  # no byte is left of what should be gone
    for_good: bool = False  # not to be brought back
    deed: DeedId | None = None  # brings it back, undone


def forget(store: CanForget, memories: Sequence[MemoryId], *, at: datetime, by: str) -> ForgetOutcome:
    """Nobody sees them any more, and undo brings them back until `tidy` finds their time over."""
    with store.writing():
        found = [_present(store, memory_id) for memory_id in dict.fromkeys(memories)]
        deed = store.begin_deed(DeedKind.FORGET, at, by)
        for memory in _with_copies(store, found):
            if memory.forgotten_at is None:
                store.note_change(deed, memory.id, memory)
                store.update(replace(memory, forgotten_at=at))
    return ForgetOutcome(found, deed=deed)


def forget_now(store: CanForget, memories: Sequence[MemoryId], *, at: datetime, by: str) -> ForgetOutcome:
    """Gone for good, also what was forgotten before."""
    with store.writing():
        found = [_known(store, memory_id) for memory_id in dict.fromkeys(memories)]
        store.begin_deed(DeedKind.PURGE, at, by, {"memories": len(found)})
        said = store.purge([memory.id for memory in _with_copies(store, found)])
    return ForgetOutcome(found, is_clean=store.scrub(said), for_good=True)


def delete_session(store: CanTidy, session: SessionId, *, at: datetime, by: str) -> bool:
    """All that is known of a session, for good, and the candidates that only it taught; what it has proven stays.
    Whether there was anything. Its bytes go with the next `tidy`: to write the file anew takes longer than whoever
    deletes a session waits."""
    with store.writing():
        unproven = [memory.id for memory in store.taught_only_by(session)]
        if unproven:
            store.begin_deed(DeedKind.PURGE, at, by, {"memories": len(unproven), "session": session})
            store.purge(unproven)
        return store.delete_session(session) or bool(unproven)


def tidy(store: CanTidy, now: datetime, settings: Settings) -> bool:
    """What time alone brings: undo windows end, old turns go, and what a crash left behind is cleaned. Whether a memory
    is gone for good."""
    window_began = now - timedelta(hours=settings.forget.undo_hours)
    said: Sequence[str] = ()
    if store.forgotten_before(window_began):
        with store.writing():  # looked up once more: somebody may just have brought one back
            said = store.purge(store.forgotten_before(window_began))
    store.scrub(said)
    fade(store, now, settings)
    kept_since = now - timedelta(days=settings.archive.days)
    store.drop_turns_before(kept_since)
    store.drop_recaps_before(kept_since)
    store.drop_reasons_before(now - timedelta(days=settings.inject.log_days))
    return bool(said)


def fade(store: CanTidy, now: datetime, settings: Settings) -> None:
    """A candidate that nobody needed for long holds no more. It stays in the history, and what was said in the
    archive."""
    days = settings.capture.fade_days
    gone = store.fading(now - timedelta(days=days)) if days > 0 else []
    if gone:
        with store.writing():
            deed = store.begin_deed(DeedKind.FADE, now, "recollect")
            for memory in gone:
                store.note_change(deed, memory.id, memory)
                store.update(replace(memory, valid_to=max(now, memory.valid_from)))


def _with_copies(store: CanForget, memories: Sequence[Memory]) -> list[Memory]:
    """Where projects were joined, the same was said twice: whoever forgets it means both."""
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
    memory = _known(store, memory_id)
    if memory.forgotten_at is not None:
        raise InvalidValue(f"The memory {memory_id!r} is forgotten already.")
    return memory


def _known(store: CanForget, memory_id: MemoryId) -> Memory:
    memory = store.get(memory_id)
    if memory is None:
        raise InvalidValue(f"There is no memory {memory_id!r}. `recollect list` shows the ids.")
    return memory
