"""Recall: search memories, or turns of old sessions, for a person or a script."""

from functools import partial

from recollect.api.recall import Recall, Recalled
from recollect.domain.errors import ModelMissing
from recollect.domain.memory import Hit, Viewer
from recollect.domain.search import Filters, MemoryStatus
from recollect.domain.session import TurnHit
from recollect.engine.context import Context
from recollect.engine.memories.embedding import embed_briefly
from recollect.engine.memories.folder_project import named_viewer, resolve_scope
from recollect.engine.search import recall_archive, recall_memories


def recall(ctx: Context, asked: Recall) -> Recalled:
    filters = resolve_scope(ctx, asked.filters, asked.project)
    viewer = named_viewer(ctx, asked.project or asked.filters.project, asked.language or filters.language)
    by_meaning, left = _embed_waiting(ctx, archive=asked.archive)
    memories: list[Hit] = []
    uncertain = False
    turns: list[TurnHit] = []
    if asked.archive:
        limit = asked.limit or ctx.settings.search.hits
        turns = recall_archive(ctx, asked.query, viewer.project, limit=limit, filters=filters, fitting=True)
    else:
        memories, uncertain = _find_memories(ctx, asked, viewer, filters)
    problem = ctx.model.problem
    return Recalled(
        memories=memories,
        uncertain=uncertain,
        turns=turns,
        by_meaning=by_meaning,
        by_words_only=left,
        model_missing=isinstance(problem, ModelMissing),
        model_problem=None if problem is None else str(problem),
    )


def _find_memories(ctx: Context, asked: Recall, viewer: Viewer, filters: Filters) -> tuple[list[Hit], bool]:
    """Return the memories that fit; if none does, the nearest ones and True: a person may mean them in other words."""
    find = partial(recall_memories, ctx, asked.query, viewer, limit=asked.limit, filters=filters)
    found = find()
    if found or filters.status is not MemoryStatus.LIVE:
        return found, False
    nearest = find(uncertain=True)
    return nearest, bool(nearest)


def _embed_waiting(ctx: Context, *, archive: bool) -> tuple[bool, int]:
    """Embed what waits; return whether the search goes by meaning, and how many have no vector yet."""
    loaded = ctx.model()
    if loaded is None:
        waiting = ctx.store.count_missing_vectors(None)
        return False, waiting.turns if archive else waiting.memories
    waiting = embed_briefly(ctx, loaded, turns=archive)
    left = waiting.turns if archive else waiting.memories
    return waiting.stored == loaded.model or not left, left
