"""Forgetting: hidden at once, deleted for good when the undo window ends."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Protocol

from recollect.api.forget import Forget, Forgotten
from recollect.domain.changes import ChangeAction
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Memory, MemoryId, SessionId
from recollect.domain.outcome import Deleted, Hidden, NoMatch, Planned, Removal
from recollect.domain.search import Filters, MemoryStatus
from recollect.domain.settings import Settings
from recollect.engine.context import Context
from recollect.engine.learning_ports import KeepsCandidates
from recollect.engine.memories.folder_project import named_viewer
from recollect.engine.memories.lookup import edited_memories, find, find_memory, hidden_memories
from recollect.engine.ports import Forgets, KeepsTurns, WritesMemories
from recollect.engine.session_ports import KeepsRecaps, LogsInjections
from recollect.privacy.visibility import is_of_another_project
from recollect.text.query import search_words
from recollect.text.words import words_of

MATCHES_AT_MOST = 1000


class CanForget(WritesMemories, Forgets, Protocol): ...


class CanTidy(CanForget, KeepsTurns, KeepsRecaps, LogsInjections, KeepsCandidates, Protocol): ...


def forget(ctx: Context, asked: Forget) -> Forgotten:
    """Forget memories by id, or all that contain certain words; a dry run only lists them."""
    chosen = [find(ctx, given) for given in asked.ids] or _matching(ctx, asked)
    already_forgotten = 0
    if asked.match and not asked.now:
        visible = [memory for memory in chosen if memory.forgotten_at is None]
        chosen, already_forgotten = visible, len(chosen) - len(visible)
    memories = {memory.id: memory for memory in chosen}
    outcome = _remove(ctx, asked, memories)
    return Forgotten(outcome=outcome, memories=list(memories.values()), out_of_sight=already_forgotten)


def has_no_undo(ctx: Context) -> bool:
    """Return True if there is no undo window: forgotten memories are deleted at once."""
    return not ctx.settings.forget.undo_hours


def _remove(ctx: Context, asked: Forget, memories: Collection[MemoryId]) -> NoMatch | Removal:
    if not memories:
        return NoMatch()
    if asked.dry_run:
        return Planned()
    if asked.now or has_no_undo(ctx):
        return _delete(ctx, memories, asked.by)
    return _hide(ctx, memories, asked.by)


def _hide(ctx: Context, memories: Collection[MemoryId], by: str) -> Hidden:
    """Hide memories. `undo` brings them back until `tidy` finds the undo window over."""
    store = ctx.store
    with store.transaction():
        found = [find_memory(store, memory_id) for memory_id in memories]
        for memory in found:
            if memory.forgotten_at is not None:
                raise InvalidValue(f"The memory {memory.id!r} is already forgotten.")
        change = store.begin_change(ChangeAction.FORGET, ctx.now, by)
        for memory in _with_copies(store, found):
            if memory.forgotten_at is None:
                store.note_memory_change(change, memory.id, memory)
                store.update(replace(memory, forgotten_at=ctx.now))
    return Hidden(undo=change)


def _delete(ctx: Context, memories: Collection[MemoryId], by: str) -> Deleted:
    """Delete memories for good, also those that were forgotten before."""
    store = ctx.store
    with store.transaction():
        found = [find_memory(store, memory_id) for memory_id in memories]
        store.begin_change(ChangeAction.PURGE, ctx.now, by, {"memories": len(found)})
        purged_texts = store.purge([memory.id for memory in _with_copies(store, found)])
    return finish_deletion(ctx, purged_texts)


def finish_deletion(ctx: Context, texts: Sequence[str]) -> Deleted:
    """Remove the bytes of deleted texts. If another program prevents it, `tidy` tries again soon."""
    is_clean = ctx.store.scrub(texts)
    if not is_clean:
        ctx.live.needs_tidying = True
    return Deleted(is_clean=is_clean)


def _matching(ctx: Context, asked: Forget) -> list[Memory]:
    from recollect.engine.search import recall_memories  # imported here: `tidy` in an idle daemon needs no search

    words = asked.match or ""
    wanted = set(search_words(words))
    if not wanted:
        raise InvalidValue(f"{words!r} has no word to search for.")
    viewer = named_viewer(ctx, asked.project, asked.language)
    # A user who wants something gone wants it gone from the history too.
    also_past = Filters(status=MemoryStatus.ANY)
    # Without a folder, so that no file is read: it does not matter whether a memory is stale.
    hits = recall_memories(replace(ctx, folder=None), words, viewer, limit=MATCHES_AT_MOST, filters=also_past)
    found = [hit.memory for hit in hits] + hidden_memories(ctx, viewer)
    # Each memory with its present text, and with each earlier one.
    wordings = [(memory, memory) for memory in found] + edited_memories(ctx, viewer)
    matching = {}
    for memory, wording in wordings:
        # This project may not forget what another project shares with it.
        if not is_of_another_project(memory, viewer) and wanted <= set(words_of(wording)):
            matching[memory.id] = memory
    return list(matching.values())


def delete_session(store: CanTidy, session: SessionId, *, at: datetime, by: str) -> bool:
    """Delete all data of a session for good, and the candidates learnt only from it; confirmed memories stay. Return
    True if there was anything. The next `tidy` removes the bytes: rewriting the file takes longer than a user waits."""
    with store.transaction():
        candidates = [memory.id for memory in store.candidates_only_from(session)]
        if candidates:
            store.begin_change(ChangeAction.PURGE, at, by, {"memories": len(candidates), "session": session})
            store.purge(candidates)
        return store.delete_session(session) or bool(candidates)


def tidy(store: CanTidy, now: datetime, settings: Settings) -> None:
    """Do what is due: end undo windows, drop old turns, clean up after a crash."""
    window_began = now - timedelta(hours=settings.forget.undo_hours)
    purged_texts: Sequence[str] = ()
    if store.find_forgotten_before(window_began):
        with store.transaction():  # look again: an undo may just have brought one back
            purged_texts = store.purge(store.find_forgotten_before(window_began))
    store.scrub(purged_texts)
    fade(store, now, settings)
    kept_since = now - timedelta(days=settings.archive.days)
    store.drop_turns_before(kept_since)
    store.drop_recaps_before(kept_since)
    store.drop_reasons_before(now - timedelta(days=settings.inject.log_days))


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
    """Add older copies with the same words, which joining two projects leaves: forgetting one means both."""
    found = {memory.id: memory for memory in memories}
    waiting = list(memories)
    while waiting:
        memory = waiting.pop()
        for older in store.predecessors(memory.id):
            if older.id not in found and older.text.casefold().split() == memory.text.casefold().split():
                found[older.id] = older
                waiting.append(older)
    return list(found.values())
