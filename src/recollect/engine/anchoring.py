"""Anchors: the files that memories are about, hashed when a memory is stored and checked before it is shown. A file is
checked only in the folder of the memory's own project; elsewhere nothing is claimed about it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from recollect.domain.errors import InvalidValue, RecollectError
from recollect.domain.freshness import NOT_CHECKED, FileState, Freshness, SeenFile
from recollect.domain.memory import Anchor, Draft, Hit, Memory, MemoryId, ProjectId, Scope
from recollect.domain.settings import Stale
from recollect.engine.context import Context
from recollect.engine.memories.projects import resolve
from recollect.rank.score import freshness_factor

ChecksFreshness = Callable[[Sequence[Memory]], Mapping[MemoryId, Freshness]]  # checks the files of these memories


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectRoot:
    root: str
    project: ProjectId


class NoFiles:
    """Used where files cannot be read: the state of every file is unknown."""

    def check_files(self, root: str, anchors: Sequence[Anchor], *, asked: bool) -> list[SeenFile]:  # noqa: ARG002
        return [SeenFile(anchor.path, FileState.UNKNOWN) for anchor in anchors]

    def add_hash(self, root: str, anchor: Anchor) -> Anchor:  # noqa: ARG002
        return anchor

    def anchor(self, root: str, folder: str, path: str) -> Anchor:  # noqa: ARG002
        return Anchor(path)


def no_freshness(_: Sequence[Memory]) -> Mapping[MemoryId, Freshness]:
    return {}


def find_project_root(ctx: Context, *, asked: bool = True) -> ProjectRoot | None:
    """Return the folder's project; None: no usable facts. Runs git only if a person `asked`: no prompt waits for it."""
    if not ctx.folder:
        return None
    try:
        place = ctx.folders.place_of(ctx.folder)
    except RecollectError:  # a broken marker file, a folder that cannot be named
        return None
    root_commit = ctx.folders.root_commit if asked else lambda _: None
    return ProjectRoot(root=place.root, project=resolve(ctx.store, place, root_commit).project)


def freshness_check(ctx: Context, *, asked: bool) -> ChecksFreshness:
    """Return a check for the folder. It finds the folder's project once, and only if there is a file to check."""
    find_root = cache(lambda: find_project_root(ctx, asked=asked))

    def look(memories: Sequence[Memory]) -> Mapping[MemoryId, Freshness]:
        hashed = [memory for memory in memories if any(anchor.hash for anchor in memory.anchors)]
        here = find_root() if hashed else None
        if here is None:
            return {}
        ours = [memory for memory in hashed if memory.scope == Scope.project(here.project)]
        anchors = [anchor for memory in ours for anchor in memory.anchors]
        states = ctx.files().check_files(here.root, anchors, asked=asked)
        found, first = {}, 0
        for memory in ours:
            after = first + len(memory.anchors)
            found[memory.id] = Freshness(tuple(states[first:after]))
            first = after
        return found

    return look


def demote_stale(hits: Sequence[Hit], wanted: int, look: ChecksFreshness, stale: Stale) -> list[Hit]:
    """Check the files of the first `wanted` hits and put stale ones further down; what moves up is checked in turn."""
    ordered, checked = list(hits), set[MemoryId]()
    while True:
        unchecked = [hit.memory for hit in ordered[:wanted] if hit.memory.anchors and hit.memory.id not in checked]
        if not unchecked:
            return ordered
        checked.update(memory.id for memory in unchecked)
        found = look(unchecked)
        ordered = [_with_freshness(hit, found.get(hit.memory.id, NOT_CHECKED), stale) for hit in ordered]
        ordered.sort(key=lambda hit: (not hit.memory.is_live, -hit.score))  # stable: equal ones keep their order


def _with_freshness(hit: Hit, freshness: Freshness, stale: Stale) -> Hit:
    if not freshness.files:
        return hit
    if not freshness.is_stale:
        return replace(hit, freshness=freshness)
    factor = freshness_factor(freshness, stale)
    factors = {**hit.factors, "freshness": factor}
    return replace(hit, score=hit.score * factor, factors=factors, freshness=freshness)


def make_anchor(ctx: Context, path: str, scope: Scope) -> Anchor:
    """Make an anchor for a path given from the folder, with its current hash."""
    here = find_project_root(ctx)
    if here is None or ctx.folder is None or scope != Scope.project(here.project):
        raise InvalidValue("A file belongs to the project of its folder; remember it there, with that project's scope.")
    return ctx.files().anchor(here.root, ctx.folder, path)


def add_hashes(ctx: Context, drafts: Sequence[Draft]) -> Sequence[Draft]:
    """Add the current hash to each anchor without one, in drafts about the project of the folder."""
    here = find_project_root(ctx) if any(draft.anchors for draft in drafts) else None
    if here is None:
        return drafts
    files, scope = ctx.files(), Scope.project(here.project)

    def add(draft: Draft) -> Draft:
        if draft.scope != scope:
            return draft
        return replace(draft, anchors=tuple(files.add_hash(here.root, anchor) for anchor in draft.anchors))

    return list(map(add, drafts))


def merge_anchors(known: Sequence[Anchor], added: Sequence[Anchor]) -> tuple[Anchor, ...]:
    """Return each file once, with the hash that was given last."""
    by_path: dict[str, Anchor] = {}
    for anchor in (*known, *added):
        if anchor.hash is not None or anchor.path not in by_path:
            by_path[anchor.path] = anchor
    return tuple(by_path.values())
