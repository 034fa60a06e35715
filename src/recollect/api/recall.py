"""Searches memories, or turns of old sessions."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from recollect.api.fresh_vectors import Bulk, embed_briefly
from recollect.api.operation import Operation, OperationContext, Request
from recollect.api.request_scope import HERE, project_of, viewer_of
from recollect.domain.errors import InvalidValue, ModelMissing
from recollect.domain.memory import Hit, Kind, Scope, ScopeLevel, Viewer
from recollect.domain.search import Filters, MemoryStatus
from recollect.domain.session import TurnHit

MOST = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall(Request):
    query: str
    limit: int | None = None  # None: search.hits, or all if the query asks for all of something
    project: str | None = None  # None: the folder's project
    language: str | None = None
    kinds: frozenset[Kind] = frozenset()  # empty: every kind
    scope: str | None = None  # "project": the folder's project
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    status: MemoryStatus = MemoryStatus.LIVE
    archive: bool = False  # search turns of old sessions instead of memories

    def __post_init__(self) -> None:
        if self.limit is not None and not 1 <= self.limit <= MOST:
            raise InvalidValue(f"The limit is {self.limit}; it must be from 1 to {MOST}.")
        if not self.query.strip():
            raise InvalidValue("The query is empty; say what to look for.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    memories: list[Hit]
    uncertain: bool = False  # nothing fits: these are the nearest few memories
    turns: list[TurnHit]
    by_meaning: bool
    by_words_only: int  # how many memories, or turns, have no vector yet
    model_missing: bool
    model_problem: str | None  # why there is no model


def recall(desk: OperationContext, asked: Recall) -> Recalled:
    filters = _filters(desk, asked)
    if asked.archive and filters.are_about_memories:
        raise InvalidValue("Turns have no kind, scope or status; leave these out, or do not ask for the archive.")
    viewer = _viewer(desk, asked, filters)
    by_meaning, left = _embed_waiting(desk, archive=asked.archive)
    memories: list[Hit] = []
    uncertain = False
    turns: list[TurnHit] = []
    if asked.archive:
        limit = asked.limit or desk.settings.search.hits
        turns = desk.engine.recall_turns(asked.query, viewer.project, limit=limit, filters=filters, fitting=True)
    else:
        memories, uncertain = _find_memories(desk, asked, viewer, filters)
    problem = desk.model.problem
    return Recalled(
        memories=memories,
        uncertain=uncertain,
        turns=turns,
        by_meaning=by_meaning,
        by_words_only=left,
        model_missing=isinstance(problem, ModelMissing),
        model_problem=None if problem is None else str(problem),
    )


def _find_memories(desk: OperationContext, asked: Recall, viewer: Viewer, filters: Filters) -> tuple[list[Hit], bool]:
    """Return the memories that fit; if none does, the nearest ones and True: a person may mean them in other words."""
    find = partial(
        desk.engine.recall, asked.query, viewer, limit=asked.limit, now=desk.now, filters=filters, folder=asked.folder
    )
    found = find()
    if found or asked.status is not MemoryStatus.LIVE:
        return found, False
    nearest = find(uncertain=True)
    return nearest, bool(nearest)


def _filters(desk: OperationContext, asked: Recall) -> Filters:
    return Filters(
        kinds=asked.kinds,
        scope=_scope(desk, asked),
        since=asked.since,
        until=asked.until,
        as_of=asked.as_of,
        status=asked.status,
    )


def _scope(desk: OperationContext, asked: Recall) -> Scope | None:
    if asked.scope is None:
        return None
    if asked.scope == HERE:
        return Scope.project(project_of(desk.engine, asked.folder, asked.project))
    scope = Scope.parse(asked.scope)
    if scope.level is ScopeLevel.PROJECT:
        return Scope.project(project_of(desk.engine, asked.folder, scope.name))
    return scope


def _viewer(desk: OperationContext, asked: Recall, filters: Filters) -> Viewer:
    """A search in the scope of a project or a language counts as a search from there."""
    scope, project, language = filters.scope, asked.project, asked.language
    if scope is not None and project is None and scope.level is ScopeLevel.PROJECT:
        project = scope.name
    if scope is not None and not language and scope.level is ScopeLevel.LANGUAGE:
        language = scope.name
    return viewer_of(desk.engine, asked.folder, project, language)


def _embed_waiting(desk: OperationContext, *, archive: bool) -> tuple[bool, int]:
    """Embed what waits; return whether the search goes by meaning, and how many have no vector yet."""
    loaded = desk.model()
    if loaded is None:
        waiting = desk.engine.missing_vectors(None)
        return False, waiting.turns if archive else waiting.memories
    bulk = Bulk(model=loaded.model, turns=archive)
    waiting = embed_briefly(desk.engine, bulk, has_background=desk.is_resident)
    left = waiting.turns if archive else waiting.memories
    return waiting.stored == loaded.model or not left, left


RECALL = Operation("recall", "Finds memories, or turns of old sessions, best first.", Recall, Recalled, recall)
