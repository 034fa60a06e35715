"""Finding: what is known about something, or what was said about it in old sessions."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from recollect.api.fresh_vectors import Bulk, embed_briefly
from recollect.api.operation import Desk, Operation, Request
from recollect.api.places import HERE, project_of, viewer_of
from recollect.domain.errors import InvalidValue, ModelMissing
from recollect.domain.memory import Hit, Kind, Scope, ScopeLevel, Viewer
from recollect.domain.search import Filters, MemoryStatus
from recollect.domain.session import TurnHit

MOST = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall(Request):
    query: str
    limit: int | None = None  # None: search.hits, or all where the query asks to list all of something
    project: str | None = None  # None: that of the folder
    language: str | None = None
    kinds: frozenset[Kind] = frozenset()  # empty: of every kind
    scope: str | None = None  # "project" is that of the folder
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    status: MemoryStatus = MemoryStatus.LIVE
    archive: bool = False  # what was said in old sessions, instead of memories

    def __post_init__(self) -> None:
        if self.limit is not None and not 1 <= self.limit <= MOST:
            raise InvalidValue(f"The limit is {self.limit}; it goes from 1 to {MOST}.")
        if not self.query.strip():
            raise InvalidValue("The query is empty; say what to look for.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    memories: list[Hit]
    uncertain: bool = False  # nothing fits: these are the nearest few memories
    turns: list[TurnHit]
    by_meaning: bool
    by_words_only: int  # so many memories, or turns, had no vector yet
    model_missing: bool
    model_problem: str | None  # why there is no model


def recall(desk: Desk, asked: Recall) -> Recalled:
    filters = _filters(desk, asked)
    if asked.archive and filters.are_about_memories:
        raise InvalidValue("Turns have no kind, scope or status; leave these out, or do not ask for the archive.")
    viewer = _viewer(desk, asked, filters)
    by_meaning, left = _caught_up(desk, archive=asked.archive)
    memories: list[Hit] = []
    uncertain = False
    turns: list[TurnHit] = []
    if asked.archive:
        at_most = asked.limit or desk.settings.search.hits
        turns = desk.engine.recall_turns(asked.query, viewer.project, limit=at_most, filters=filters, fitting=True)
    else:
        find = partial(
            desk.engine.recall,
            asked.query,
            viewer,
            limit=asked.limit,
            now=desk.now,
            filters=filters,
            folder=asked.folder,
        )
        memories = find()
        uncertain = not memories and asked.status is MemoryStatus.LIVE
        if uncertain:  # a person asked: what is nearest may be what they mean in other words
            memories = find(uncertain=True)
    problem = desk.model.problem
    return Recalled(
        memories=memories,
        uncertain=uncertain and bool(memories),
        turns=turns,
        by_meaning=by_meaning,
        by_words_only=left,
        model_missing=isinstance(problem, ModelMissing),
        model_problem=None if problem is None else str(problem),
    )


def _filters(desk: Desk, asked: Recall) -> Filters:
    return Filters(
        kinds=asked.kinds,
        scope=_scope(desk, asked),
        since=asked.since,
        until=asked.until,
        as_of=asked.as_of,
        status=asked.status,
    )


def _scope(desk: Desk, asked: Recall) -> Scope | None:
    if asked.scope is None:
        return None
    if asked.scope == HERE:
        return Scope.project(project_of(desk.engine, asked.folder, asked.project))
    scope = Scope.parse(asked.scope)
    in_project = scope.level is ScopeLevel.PROJECT
    return Scope.project(project_of(desk.engine, asked.folder, scope.name)) if in_project else scope


def _viewer(desk: Desk, asked: Recall, filters: Filters) -> Viewer:
    """Whoever asks for what holds in a project or for a language asks from within it."""
    scope, project, language = filters.scope, asked.project, asked.language
    if scope is not None and project is None and scope.level is ScopeLevel.PROJECT:
        project = scope.name
    if scope is not None and not language and scope.level is ScopeLevel.LANGUAGE:
        language = scope.name
    return viewer_of(desk.engine, asked.folder, project, language)


def _caught_up(desk: Desk, *, archive: bool) -> tuple[bool, int]:
    """Whether meanings count, and of how many nothing is known yet."""
    loaded = desk.model()
    bulk = None if loaded is None else Bulk(model=loaded.model, turns=archive)
    waiting = (
        desk.engine.waiting(None) if bulk is None else embed_briefly(desk.engine, bulk, has_background=desk.is_resident)
    )
    left = waiting.turns if archive else waiting.memories
    return loaded is not None and (waiting.stored == loaded.model or not left), left


RECALL = Operation("recall", "Finds memories, or turns of old sessions, best first.", Recall, Recalled, recall)
