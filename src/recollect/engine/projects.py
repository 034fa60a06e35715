"""Which project a folder belongs to. Decided from what the folder says and what is known; asks git only where it must.

The id of a project is that of its first noting and stays, whatever else the project comes to be known as. In doubt a
folder gets a project of its own: what was told apart can be merged, what was shown in a wrong place cannot be unseen.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from recollect.domain.memory import ProjectId
from recollect.domain.project import BY_PATH, BY_REMOTE, BY_ROOT, NAMED_AT, NAMED_FROM, FolderFacts
from recollect.engine.ports import KnowsProjects

RootCommit = Callable[[str], ProjectId | None]


class Reason(StrEnum):
    NAME = "its marker file names it"
    REMOTE = "its remote is known"
    PLACE = "its place is known"
    HISTORY = "its root commit is known"
    NEW = "nothing of it is known"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """The project of a place, and how sure that is."""

    project: ProjectId
    reason: Reason
    place: FolderFacts
    aliases: frozenset[ProjectId]  # what the project is not known as yet, and should be
    others: frozenset[ProjectId]  # other projects that something here belongs to; somebody may want to merge them
    claimed: ProjectId | None = None  # a name that a file here uses, that is known from elsewhere and not accepted here
    root_open: bool  # nobody has asked git yet which root commit this place has


def resolve(
    projects: KnowsProjects, place: FolderFacts, root_commit: RootCommit, *, accept_name: bool = False
) -> Resolved:
    """Writes nothing, and runs git only when neither a name nor a remote nor, without a remote, the place is known."""
    if place.name is None:
        return _unnamed(projects, place, root_commit)
    user = _named_from(place.remote) if place.remote else ProjectId(NAMED_AT + place.path.removeprefix(BY_PATH))
    users = [user]
    if place.former_remote and not place.is_former_shared:
        users.append(_named_from(place.former_remote))
    seen = [place.name, user]
    known = projects.known_as([*seen, *users, place.path, *([place.remote] if place.remote else [])])
    named = _only(known, place.name)
    # A file that came with a clone or an archive cannot by itself open a project to it that is known from elsewhere.
    if named is not None and not accept_name and not any(named in known.get(one, ()) for one in users):
        found = _unnamed(projects, place, root_commit)
        return found if found.project == named else replace(found, claimed=named, others=found.others | {named})
    # Remote, place and history stay with whom they are: it takes and pulls nothing either.
    return _resolved(named or place.name, Reason.NAME, place, known, seen, root_open=False)


def _named_from(remote: ProjectId) -> ProjectId:
    return ProjectId(NAMED_FROM + remote.removeprefix(BY_REMOTE))


def _unnamed(projects: KnowsProjects, place: FolderFacts, root_commit: RootCommit) -> Resolved:
    aliases = (place.remote, place.former_remote, place.path)
    known = dict(projects.known_as([alias for alias in aliases if alias is not None]))
    by_path, by_former = _only(known, place.path), _only(known, place.former_remote)
    if place.is_former_shared and by_former != by_path:
        by_former = None  # it may be the other remote's
    # What it was found by before comes first: after an upgrade a folder has the project that it had.
    by_remote = by_former or _only(known, place.remote)
    is_of_another = by_former is not None and bool(known.get(place.remote or place.path))
    seen = [place.path] if place.remote is None or is_of_another else [place.remote, place.path]
    if by_remote is not None:
        return _resolved(by_remote, Reason.REMOTE, place, known, seen, root_open=True)
    if by_path is not None and place.remote is None:
        # Also with another root commit: the first commit was amended, or a branch without parents is checked out.
        return _resolved(by_path, Reason.PLACE, place, known, seen, root_open=True)
    root = root_commit(place.root)
    if root is not None:
        known |= projects.known_as([root])
        seen.append(root)
    if by_path is not None and _is_same_repository(projects.aliases_of(by_path), root):
        return _resolved(by_path, Reason.PLACE, place, known, seen, root_open=False)
    by_root = _only(known, root)
    # What has a remote already and is met under another one is a fork.
    if by_root is not None and not (place.remote and _of_kind(BY_REMOTE, projects.aliases_of(by_root))):
        return _resolved(by_root, Reason.HISTORY, place, known, seen, root_open=False)
    former = place.former_remote
    if former is not None and not place.is_former_shared and projects.has_memories(former):
        return _resolved(former, Reason.REMOTE, place, known, seen, root_open=False)
    return _resolved(place.remote or place.path, Reason.NEW, place, known, seen, root_open=False)


def note(projects: KnowsProjects, resolved: Resolved, root_commit: RootCommit, at: datetime) -> None:
    """Keeps what is new about a project; writes nothing where nothing is."""
    aliases = resolved.aliases
    if resolved.root_open and not _of_kind(BY_ROOT, projects.aliases_of(resolved.project)):
        root = root_commit(resolved.place.root)
        aliases |= frozenset() if root is None else {root}
    if aliases:
        projects.note_aliases(resolved.project, aliases, at)


def _resolved(
    project: ProjectId,
    reason: Reason,
    place: FolderFacts,
    known: Mapping[ProjectId, Collection[ProjectId]],
    seen: Iterable[ProjectId],
    *,
    root_open: bool,
) -> Resolved:
    return Resolved(
        project=project,
        reason=reason,
        place=place,
        aliases=frozenset(alias for alias in seen if project not in known.get(alias, ())),
        others=frozenset(other for having in known.values() for other in having) - {project},
        root_open=root_open,
    )


def _is_same_repository(noted: Collection[ProjectId], root: ProjectId | None) -> bool:
    """Whether a known place with a remote that is not known still is what it was.

    Without a noted root commit only what never had a remote is: another shallow clone may lie there now.
    """
    roots = _of_kind(BY_ROOT, noted)
    return root in roots if roots else not _of_kind(BY_REMOTE, noted)


def _of_kind(beginning: str, aliases: Iterable[ProjectId]) -> frozenset[ProjectId]:
    return frozenset(alias for alias in aliases if alias.startswith(beginning))


def _only(known: Mapping[ProjectId, Collection[ProjectId]], alias: ProjectId | None) -> ProjectId | None:
    """The one project that has the alias; None: no project, or several."""
    having = () if alias is None else known.get(alias, ())
    return next(iter(having)) if len(having) == 1 else None
