"""Show memories: one with everything that is known of it, its story, a list, and feedback on them."""

from datetime import timedelta

from recollect.api.feedback import Feedback, Judged
from recollect.api.list import List, Listed
from recollect.api.show import History, Show, Shown, ShownSession, ShowSession, Told, WayBack
from recollect.domain.freshness import NOT_CHECKED, Freshness
from recollect.domain.memory import Memory
from recollect.engine.anchoring import freshness_check
from recollect.engine.context import Context
from recollect.engine.memories.folder_project import named_viewer
from recollect.engine.memories.lookup import find, find_memory, newest
from recollect.engine.memories.review import find_dispute
from recollect.engine.moments.why import InjectionLog
from recollect.engine.ports import WritesMemories
from recollect.engine.redaction import redact_memories, redact_story

MAX_LINKS = 100  # a longer chain is a circle


def show(ctx: Context, asked: Show) -> Shown:
    memory = find(ctx, asked.id)
    contradicts, contradicted_by = find_dispute(ctx.store, memory)
    return Shown(
        memory=memory,
        freshness=_freshness(ctx, memory),
        way_back=_way_back(ctx, memory),
        contradicts=redact_memories(contradicts),
        contradicted_by=redact_memories(contradicted_by),
    )


def show_history(ctx: Context, asked: History) -> Told:
    memory = find(ctx, asked.id)
    story = Told(
        memory=memory,
        freshness=_freshness(ctx, memory),
        before=tuple(_before(ctx.store, memory)),
        after=tuple(_after(ctx.store, memory)),
        changes=tuple(ctx.store.memory_changes_of(memory.id)),
    )
    return redact_story(story)


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


def show_session(ctx: Context, asked: ShowSession) -> ShownSession:
    log = InjectionLog(ctx.store)
    known = log.find(asked.id)
    session = log.find_by_reference(asked.id) if known is None else known.id
    return ShownSession(id=session, session=known, recap=None if session is None else log.recap(session))


def list_memories(ctx: Context, asked: List) -> Listed:
    """List the memories of a project, newest first."""
    viewer = named_viewer(ctx, asked.project, asked.language)
    memories = newest(ctx, viewer, limit=asked.limit, kinds=asked.kinds)
    return Listed(
        project=viewer.project,
        memories=memories,
        seen=dict(freshness_check(ctx, asked=True)(memories)),
        elsewhere=not memories and any(known.memories for known in ctx.store.projects()),
    )


def note_feedback(ctx: Context, asked: Feedback) -> Judged:
    """Count the user's feedback on memories; the opposite feedback takes it back."""
    found = list(dict.fromkeys(find_memory(ctx.store, given).id for given in asked.ids))
    ctx.store.note_feedback(found, 1 if asked.useful else -1)
    return Judged(memories=[find(ctx, memory_id) for memory_id in found])


def _freshness(ctx: Context, memory: Memory) -> Freshness:
    return freshness_check(ctx, asked=True)([memory]).get(memory.id, NOT_CHECKED)


def _way_back(ctx: Context, memory: Memory) -> WayBack | None:
    if memory.forgotten_at is None:
        return None
    changes = ctx.store.memory_changes_of(memory.id)
    if not changes:
        return None
    until = memory.forgotten_at + timedelta(hours=ctx.settings.forget.undo_hours)
    return WayBack(undo=changes[-1].deed.id, until=until)
