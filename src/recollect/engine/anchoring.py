"""The files that memories speak of: hashed when a memory is written, looked at when it is about to be shown.

A file is looked at in the folder of the memory's own project and nowhere else; elsewhere nothing is claimed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from recollect.domain.errors import RecollectError
from recollect.domain.freshness import NOT_LOOKED_AT, FileState, Freshness, SeenFile
from recollect.domain.memory import Anchor, Draft, Hit, Memory, MemoryId, ProjectId, Scope
from recollect.domain.settings import Stale
from recollect.engine.ports import KnowsProjects, SeesFiles, SeesPlaces
from recollect.engine.projects import resolve
from recollect.rank.score import freshness_factor

Looks = Callable[[Sequence[Memory]], Mapping[MemoryId, Freshness]]  # what became of the files of these memories


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Where a project's files lie."""

    root: str
    project: ProjectId


class NoFiles:
    """Where no files can be seen, nothing is known of them."""

    def seen(self, root: str, anchors: Sequence[Anchor], *, asked: bool) -> list[SeenFile]:  # noqa: ARG002
        return [SeenFile(anchor.path, FileState.UNKNOWN) for anchor in anchors]

    def anchored(self, root: str, anchor: Anchor) -> Anchor:  # noqa: ARG002
        return anchor

    def anchor(self, root: str, folder: str, path: str) -> Anchor:  # noqa: ARG002
        return Anchor(path)


def nobody_looks(_: Sequence[Memory]) -> Mapping[MemoryId, Freshness]:
    return {}


def ground(projects: KnowsProjects, places: SeesPlaces, folder: str | None, *, asked: bool) -> Ground | None:
    """Of a folder; None: it says nothing that can be used. Runs git only if somebody `asked`: no prompt waits."""
    if not folder:
        return None
    try:
        place = places.place_of(folder)
    except RecollectError:  # a broken marker file, a folder that cannot be named
        return None
    return Ground(root=place.root, project=resolve(projects, place, places.root_commit if asked else _no_root).project)


def _no_root(_: str) -> ProjectId | None:
    return None


def looking(files: Callable[[], SeesFiles], ground_here: Callable[[], Ground | None], *, asked: bool) -> Looks:
    """Looks from one folder. Where the folder belongs is found once, and only if there is something to look at."""
    found_here = cache(ground_here)

    def look(memories: Sequence[Memory]) -> Mapping[MemoryId, Freshness]:
        hashed = [memory for memory in memories if any(anchor.hash for anchor in memory.anchors)]
        here = found_here() if hashed else None
        if here is None:
            return {}
        ours = [memory for memory in hashed if memory.scope == Scope.project(here.project)]
        seen = iter(files().seen(here.root, [a for memory in ours for a in memory.anchors], asked=asked))
        return {memory.id: Freshness(tuple(next(seen) for _ in memory.anchors)) for memory in ours}

    return look


def settled(hits: Sequence[Hit], wanted: int, look: Looks, stale: Stale) -> list[Hit]:
    """The hits in their order, once the files of the first `wanted` have been looked at; stale ones stand lower."""
    ordered, looked_at = list(hits), set[MemoryId]()
    while True:
        first = [hit.memory for hit in ordered[:wanted] if hit.memory.anchors and hit.memory.id not in looked_at]
        if not first:
            return ordered
        looked_at.update(memory.id for memory in first)
        seen = look(first)
        ordered = sorted(
            (_demoted(hit, seen.get(hit.memory.id, NOT_LOOKED_AT), stale) for hit in ordered),
            key=lambda hit: (not hit.memory.is_live, -hit.score),  # stable: equal ones keep their order
        )


def _demoted(hit: Hit, freshness: Freshness, stale: Stale) -> Hit:
    if not freshness.files:
        return hit
    if not freshness.is_stale:
        return replace(hit, freshness=freshness)
    factor = freshness_factor(freshness, stale)
    factors = {**hit.factors, "freshness": factor}
    return replace(hit, score=hit.score * factor, factors=factors, freshness=freshness)


def with_hashes(draft: Draft, files: SeesFiles, here: Ground) -> Draft:
    """A file without a hash gets that of now, where the draft is about the project whose folder is known."""
    if draft.scope != Scope.project(here.project):
        return draft
    return replace(draft, anchors=tuple(files.anchored(here.root, anchor) for anchor in draft.anchors))


def merged(known: Sequence[Anchor], said: Sequence[Anchor]) -> tuple[Anchor, ...]:
    """Each file once, as it was when it was last named with its hash."""
    by_path: dict[str, Anchor] = {}
    for anchor in (*known, *said):
        if anchor.hash is not None or anchor.path not in by_path:
            by_path[anchor.path] = anchor
    return tuple(by_path.values())
