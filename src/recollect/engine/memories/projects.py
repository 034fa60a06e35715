"""Find the project of a folder, from the facts of the folder and the known aliases; runs git only where it must. A
project keeps the id that it got first, whatever aliases it gets later. In doubt a folder gets a project of its own:
what was told apart can be merged, what was shown in a wrong place cannot be unseen."""

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
class Resolution:
    project: ProjectId
    reason: Reason
    place: FolderFacts
    aliases: frozenset[ProjectId]  # of the folder, and new to the project
    others: frozenset[ProjectId]  # other projects that share an alias with the folder; the user may want to merge them
    claimed: ProjectId | None = None  # a known project that a file here names, and that does not accept this folder
    root_open: bool  # git was not asked for the root commit


def resolve(
    projects: KnowsProjects, place: FolderFacts, root_commit: RootCommit, *, accept_name: bool = False
) -> Resolution:
    """Find the project. Writes nothing; runs git only if no name, no remote and (without a remote) no path is known."""
    if place.name is None:
        return _resolve_unnamed(projects, place, root_commit)
    user = ProjectId(NAMED_AT + place.path.removeprefix(BY_PATH))
    if place.remote:
        user = _remote_user(place.remote)
    users = [user]
    if place.former_remote and not place.is_former_shared:
        users.append(_remote_user(place.former_remote))
    aliases = [place.name, user]
    asked = [*aliases, *users, place.path]
    if place.remote:
        asked.append(place.remote)
    known = projects.find_by_aliases(asked)
    named = _only(known, place.name)
    # A file that came with a clone or an archive must not give it access to a known project by its name alone.
    if named is not None and not accept_name and not any(named in known.get(one, ()) for one in users):
        found = _resolve_unnamed(projects, place, root_commit)
        if found.project == named:
            return found
        return replace(found, claimed=named, others=found.others | {named})
    # Remote, path and root commit are not added: they stay with the projects that have them.
    return _resolution(named or place.name, Reason.NAME, place, known, aliases, root_open=False)


def _remote_user(remote: ProjectId) -> ProjectId:
    return ProjectId(NAMED_FROM + remote.removeprefix(BY_REMOTE))


def _resolve_unnamed(projects: KnowsProjects, place: FolderFacts, root_commit: RootCommit) -> Resolution:
    asked = (place.remote, place.former_remote, place.path)
    known = dict(projects.find_by_aliases([alias for alias in asked if alias is not None]))
    by_path, by_former = _only(known, place.path), _only(known, place.former_remote)
    if place.is_former_shared and by_former != by_path:
        by_former = None  # it may belong to the other remote
    # The former spelling comes first: after an upgrade a folder keeps its project.
    by_remote = by_former or _only(known, place.remote)
    aliases = [place.path]
    is_remote_taken = by_former is not None and bool(known.get(place.remote or place.path))
    if place.remote is not None and not is_remote_taken:
        aliases.insert(0, place.remote)
    if by_remote is not None:
        return _resolution(by_remote, Reason.REMOTE, place, known, aliases, root_open=True)
    if by_path is not None and place.remote is None:
        # Even if the root commit changed: the first commit was amended, or an orphan branch is checked out.
        return _resolution(by_path, Reason.PLACE, place, known, aliases, root_open=True)
    root = root_commit(place.root)
    if root is not None:
        known |= projects.find_by_aliases([root])
        aliases.append(root)
    if by_path is not None and _is_same_repository(projects.aliases_of(by_path), root):
        return _resolution(by_path, Reason.PLACE, place, known, aliases, root_open=False)
    by_root = _only(known, root)
    # A known project with another remote is a fork of this one, not the same project.
    if by_root is not None and not (place.remote and _of_kind(BY_REMOTE, projects.aliases_of(by_root))):
        return _resolution(by_root, Reason.HISTORY, place, known, aliases, root_open=False)
    former = place.former_remote
    if former is not None and not place.is_former_shared and projects.has_memories(former):
        return _resolution(former, Reason.REMOTE, place, known, aliases, root_open=False)
    return _resolution(place.remote or place.path, Reason.NEW, place, known, aliases, root_open=False)


def project_by_alias(projects: KnowsProjects, alias: str) -> ProjectId:
    """Return the one project with this alias; an alias without one is itself the id."""
    found = projects.find_by_aliases([ProjectId(alias)]).get(ProjectId(alias), frozenset())
    return next(iter(found)) if len(found) == 1 else ProjectId(alias)


def store_aliases(projects: KnowsProjects, resolved: Resolution, root_commit: RootCommit, at: datetime) -> None:
    """Store the new aliases of a project, if there are any."""
    aliases = resolved.aliases
    if resolved.root_open and not _of_kind(BY_ROOT, projects.aliases_of(resolved.project)):
        root = root_commit(resolved.place.root)
        if root is not None:
            aliases |= {root}
    if aliases:
        projects.note_aliases(resolved.project, aliases, at)


def _resolution(
    project: ProjectId,
    reason: Reason,
    place: FolderFacts,
    known: Mapping[ProjectId, Collection[ProjectId]],
    aliases: Iterable[ProjectId],
    *,
    root_open: bool,
) -> Resolution:
    return Resolution(
        project=project,
        reason=reason,
        place=place,
        aliases=frozenset(alias for alias in aliases if project not in known.get(alias, ())),
        others=frozenset().union(*known.values()) - {project},
        root_open=root_open,
    )


def _is_same_repository(noted: Collection[ProjectId], root: ProjectId | None) -> bool:
    """Return True if a known path with an unknown remote is still the same repository. Without a stored root commit,
    only if it never had a remote: another shallow clone may be there now."""
    roots = _of_kind(BY_ROOT, noted)
    return root in roots if roots else not _of_kind(BY_REMOTE, noted)


def _of_kind(prefix: str, aliases: Iterable[ProjectId]) -> frozenset[ProjectId]:
    return frozenset(alias for alias in aliases if alias.startswith(prefix))


def _only(known: Mapping[ProjectId, Collection[ProjectId]], alias: ProjectId | None) -> ProjectId | None:
    """Return the only project with this alias; None: no project, or several."""
    found = () if alias is None else known.get(alias, ())
    return next(iter(found)) if len(found) == 1 else None
