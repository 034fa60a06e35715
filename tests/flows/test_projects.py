"""A folder finds its project: real repositories and folders, moved, cloned, copied and renamed as people do."""

import shutil
from collections.abc import Collection, Mapping
from datetime import datetime
from pathlib import Path

import pytest

from recollect.domain.memory import Kind, ProjectId
from recollect.domain.project import BY_PATH, BY_ROOT, SHARED_PREFIXES
from recollect.engine.memories.projects import Reason, Resolution, resolve, store_aliases
from recollect.engine.ports import KnowsProjects
from recollect.store.sqlite.store import SqliteStore
from recollect.workspace.git import place_of, root_commit
from tests.builders import NOW, a_draft, a_start
from tests.driver import Engine
from tests.repositories import a_clone, a_repository, commit, git

SHOP = "git@example.org:shop/api.git"
SHOP_ID = "git:example.org/shop/api"
FORK = "git@example.org:me/api.git"
FORK_ID = "git:example.org/me/api"


class ProjectsInADict:
    """The least that knows projects: what a store has to agree with."""

    def __init__(self) -> None:
        self._having: dict[ProjectId, frozenset[ProjectId]] = {}

    def find_by_aliases(self, aliases: Collection[ProjectId]) -> Mapping[ProjectId, frozenset[ProjectId]]:
        return {alias: self._having[alias] for alias in aliases if alias in self._having}

    def aliases_of(self, project: ProjectId) -> frozenset[ProjectId]:
        return frozenset(alias for alias, having in self._having.items() if project in having)

    def has_memories(self, project: ProjectId) -> bool:  # noqa: ARG002
        return False

    def note_aliases(self, project: ProjectId, aliases: Collection[ProjectId], at: datetime) -> None:  # noqa: ARG002
        for alias in aliases:
            before = self._having.get(alias, frozenset()) if alias.startswith(SHARED_PREFIXES) else frozenset()
            self._having[alias] = before | {project}


class Desk:
    """Somebody who works in folders, and counts how often git had to be run for it."""

    def __init__(self, projects: KnowsProjects) -> None:
        self.projects = projects
        self.git_runs = 0

    def look(self, folder: Path) -> Resolution:
        return resolve(self.projects, place_of(str(folder)), self._root_commit)

    def enter(self, folder: Path) -> ProjectId:
        """Look, and note; what was noted is all there is to note, and the folder stays where it was found."""
        resolved = self.look(folder)
        store_aliases(self.projects, resolved, self._root_commit, NOW)
        runs = self.git_runs
        again = self.look(folder)
        assert (again.project, again.aliases) == (resolved.project, frozenset())
        assert self.git_runs == runs, "what is noted is found without git"
        return resolved.project

    def aliases(self, folder: Path, beginning: str = "") -> set[str]:
        return {alias for alias in self.projects.aliases_of(self.enter(folder)) if alias.startswith(beginning)}

    def _root_commit(self, folder: str) -> ProjectId | None:
        self.git_runs += 1
        return root_commit(folder)


@pytest.fixture(params=["dict", "sqlite"])
def projects(request: pytest.FixtureRequest, store: SqliteStore) -> KnowsProjects:
    """Every implementation meets the same situations; another store is one more parameter here."""
    return ProjectsInADict() if request.param == "dict" else store


@pytest.fixture
def desk(projects: KnowsProjects) -> Desk:
    return Desk(projects)


def test_a_repository_is_named_by_its_remote_else_by_its_place(desk: Desk, tmp_path: Path) -> None:
    assert desk.enter(a_repository(tmp_path / "one", remote=SHOP)) == SHOP_ID
    assert desk.enter(a_repository(tmp_path / "two")) == f"path:{tmp_path}/two"
    assert desk.enter(tmp_path) == f"path:{tmp_path}"


def test_a_project_is_noted_with_all_that_it_is_known_as(desk: Desk, tmp_path: Path) -> None:
    repo = a_repository(tmp_path / "one", remote=SHOP, commits=2)
    first = git(repo, "rev-list", "HEAD").split()[-1]
    assert desk.aliases(repo) == {SHOP_ID, f"path:{repo}", f"root:{first}"}


def test_a_look_writes_nothing(desk: Desk, tmp_path: Path) -> None:
    repo = a_repository(tmp_path / "one", remote=SHOP)
    assert desk.look(repo).reason is Reason.NEW
    assert desk.look(repo).reason is Reason.NEW
    assert not desk.projects.aliases_of(ProjectId(SHOP_ID))


# Moved, cloned, copied


def test_a_moved_repository_with_a_remote_keeps_its_project(desk: Desk, tmp_path: Path) -> None:
    repo = a_repository(tmp_path / "one", remote=SHOP)
    before = desk.enter(repo)
    moved = repo.rename(tmp_path / "two")
    runs = desk.git_runs
    assert desk.look(moved).reason is Reason.REMOTE
    assert desk.enter(moved) == before
    assert desk.git_runs == runs, "its root commit is noted already"


def test_a_moved_repository_without_a_remote_keeps_its_project_and_its_id(desk: Desk, tmp_path: Path) -> None:
    repo = a_repository(tmp_path / "one")
    desk.enter(repo)
    moved = repo.rename(tmp_path / "two")
    assert desk.look(moved).reason is Reason.HISTORY
    assert desk.enter(moved) == f"path:{tmp_path}/one"
    assert desk.aliases(moved, BY_PATH) == {f"path:{tmp_path}/one", f"path:{tmp_path}/two"}


@pytest.mark.parametrize("name", ["全角\u3000空白", "caf\udce9", "deep/" * 100])
def test_a_folder_of_any_name_can_be_moved(desk: Desk, tmp_path: Path, name: str) -> None:
    repo = a_repository(tmp_path / "one" / name)
    before = desk.enter(repo)
    (tmp_path / "one").rename(tmp_path / "two")
    assert desk.enter(tmp_path / "two" / name) == before


def test_a_moved_repository_that_gets_a_remote_on_the_way_keeps_its_project(desk: Desk, tmp_path: Path) -> None:
    repo = a_repository(tmp_path / "one")
    before = desk.enter(repo)
    moved = repo.rename(tmp_path / "two")
    git(moved, "remote", "add", "origin", SHOP)
    assert desk.look(moved).reason is Reason.HISTORY
    assert desk.enter(moved) == before
    assert SHOP_ID in desk.aliases(moved)


@pytest.mark.parametrize("commits", [None, 0], ids=["no git", "no commits"])
def test_a_moved_folder_without_history_is_a_new_project(desk: Desk, tmp_path: Path, commits: int | None) -> None:
    folder = tmp_path / "one"
    folder.mkdir()
    if commits is not None:
        a_repository(folder, commits=commits)
    desk.enter(folder)
    assert desk.enter(folder.rename(tmp_path / "two")) == f"path:{tmp_path}/two"


def test_a_second_clone_is_the_same_project_without_running_git(desk: Desk, tmp_path: Path) -> None:
    first = a_repository(tmp_path / "one", remote=SHOP)
    second = a_clone(first, tmp_path / "two", remote="https://user:token@example.org/shop/api")
    before, runs = desk.enter(first), desk.git_runs
    assert desk.enter(second) == before
    assert desk.git_runs == runs


def test_a_clone_of_a_local_folder_is_the_project_of_that_folder(desk: Desk, tmp_path: Path) -> None:
    origin = a_repository(tmp_path / "one")
    before = desk.enter(origin)
    for name in ("two", "three"):
        assert desk.enter(a_clone(origin, tmp_path / name)) == before
    git(origin, "remote", "add", "origin", SHOP)
    assert desk.enter(origin) == before


def test_a_clone_of_a_local_folder_that_has_a_remote_is_like_a_fork(desk: Desk, tmp_path: Path) -> None:
    origin = a_repository(tmp_path / "one", remote=SHOP)
    before = desk.enter(origin)
    clone = a_clone(origin, tmp_path / "two")
    assert desk.look(clone).others == {before}
    assert desk.enter(clone) == f"git:{origin}"


def test_a_shallow_clone_is_found_by_its_remote_and_has_no_root_commit(desk: Desk, tmp_path: Path) -> None:
    origin = a_repository(tmp_path / "one", remote=SHOP, commits=3)
    shallow = a_clone(origin, tmp_path / "two", "--depth=1", remote=SHOP)
    before = desk.enter(shallow)
    assert desk.aliases(shallow, BY_ROOT) == set()
    assert desk.enter(origin) == before
    assert len(desk.aliases(shallow, BY_ROOT)) == 1


def test_a_copy_with_its_history_is_the_same_project(desk: Desk, tmp_path: Path) -> None:
    repo = a_repository(tmp_path / "one")
    shutil.copytree(repo, tmp_path / "two")
    assert desk.enter(repo) == desk.enter(tmp_path / "two")


def test_a_template_copied_without_its_history_is_a_new_project(desk: Desk, tmp_path: Path) -> None:
    template = a_repository(tmp_path / "one", remote=SHOP)
    (template / "code.py").write_text("")
    before = desk.enter(template)
    shutil.copytree(template, tmp_path / "two", ignore=shutil.ignore_patterns(".git"))
    copy = a_repository(tmp_path / "two")
    assert desk.look(copy).others == frozenset()
    assert desk.enter(copy) == f"path:{copy}" != before


def test_a_copy_that_could_be_of_several_projects_is_its_own_and_says_of_which(desk: Desk, tmp_path: Path) -> None:
    upstream = a_repository(tmp_path / "one", remote=SHOP)
    fork = a_clone(upstream, tmp_path / "two", remote=FORK)
    both = {desk.enter(upstream), desk.enter(fork)}
    copy = a_clone(upstream, tmp_path / "three")
    git(copy, "remote", "remove", "origin")
    assert desk.look(copy).others == both == {SHOP_ID, FORK_ID}
    assert desk.enter(copy) == f"path:{copy}"


def test_two_repositories_in_folders_of_the_same_name_are_two_projects(desk: Desk, tmp_path: Path) -> None:
    one, two = a_repository(tmp_path / "a" / "api"), a_repository(tmp_path / "b" / "api")
    assert desk.enter(one) != desk.enter(two)


# Worktrees, submodules, folders that are not quite repositories


@pytest.mark.parametrize("remote", [SHOP, None])
def test_a_worktree_is_the_same_project(desk: Desk, tmp_path: Path, remote: str | None) -> None:
    repo = a_repository(tmp_path / "one", remote=remote)
    git(repo, "worktree", "add", "-q", str(tmp_path / "tree"))
    (tmp_path / "tree" / "src").mkdir()
    assert desk.enter(repo) == desk.enter(tmp_path / "tree") == desk.enter(tmp_path / "tree" / "src")
    assert desk.aliases(repo, BY_PATH) == {f"path:{repo}"}


def test_all_worktrees_of_a_bare_repository_are_one_project(desk: Desk, tmp_path: Path) -> None:
    origin = a_repository(tmp_path / "origin")
    home = tmp_path / "home"
    home.mkdir()
    git(origin, "clone", "-q", "--bare", str(origin), str(home / ".bare"))
    (home / ".git").write_text("gitdir: ./.bare\n")
    git(home, "remote", "remove", "origin")
    for name in ("left", "right"):
        git(home, "worktree", "add", "-q", "-b", name, name)
    assert desk.enter(home / "left") == desk.enter(home / "right") == desk.enter(home) == f"path:{home}/.bare"
    assert len(desk.aliases(home, BY_ROOT)) == 1


def test_a_submodule_is_a_project_of_its_own(desk: Desk, tmp_path: Path) -> None:
    library = a_repository(tmp_path / "library")
    repo = a_repository(tmp_path / "one", remote=SHOP)
    git(repo, "submodule", "add", "-q", library.as_uri(), "lib")
    git(repo / "lib", "remote", "set-url", "origin", "https://example.org/shop/lib")
    assert desk.enter(repo) == SHOP_ID
    assert desk.enter(repo / "lib") == "git:example.org/shop/lib"
    git(repo / "lib", "remote", "remove", "origin")
    assert desk.enter(repo / "lib") == "git:example.org/shop/lib"
    assert len(desk.aliases(repo / "lib", BY_ROOT)) == 1


@pytest.mark.parametrize(
    "files",
    [
        {".git": "gitdir: ../one/.git\n"},
        {".git": "gitdir: ../one/.git/worktrees/tree\n"},
        {".git": "gitdir: ../one/.git/modules/lib\n"},
        {".git": "gitdir: own\n", "own/commondir": "../../one/.git\n", "own/gitdir": "../.git\n"},
    ],
)
def test_a_folder_that_only_points_to_a_repository_is_no_part_of_it(
    desk: Desk, tmp_path: Path, files: dict[str, str]
) -> None:
    repo = a_repository(tmp_path / "one", remote=SHOP)
    git(repo, "submodule", "add", "-q", a_repository(tmp_path / "library").as_uri(), "lib")
    git(repo, "worktree", "add", "-q", str(tmp_path / "tree"))
    for name, text in files.items():
        (tmp_path / "planted" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "planted" / name).write_text(text)
    assert desk.enter(tmp_path / "planted") == f"path:{tmp_path}/planted"


def test_a_worktree_that_was_moved_by_hand_stays_in_its_project(desk: Desk, tmp_path: Path) -> None:
    repo = a_repository(tmp_path / "one", remote=SHOP)
    git(repo, "worktree", "add", "-q", str(tmp_path / "tree"))
    (tmp_path / "tree").rename(tmp_path / "moved")
    assert desk.enter(tmp_path / "moved") == SHOP_ID


# Remotes come and go


def test_a_fork_with_another_remote_is_a_project_of_its_own(desk: Desk, tmp_path: Path) -> None:
    upstream = a_repository(tmp_path / "one", remote=SHOP)
    fork = a_clone(upstream, tmp_path / "two", remote=FORK)
    assert desk.enter(upstream) == SHOP_ID
    assert desk.look(fork).others == {SHOP_ID}
    assert desk.enter(fork) == FORK_ID
    assert desk.enter(upstream) == SHOP_ID


def test_a_remote_that_is_added_later_keeps_the_project_and_its_id(desk: Desk, tmp_path: Path) -> None:
    repo = a_repository(tmp_path / "one")
    before = desk.enter(repo)
    git(repo, "remote", "add", "origin", SHOP)
    assert desk.look(repo).reason is Reason.PLACE
    assert desk.enter(repo) == before == f"path:{repo}"
    second = a_clone(repo, tmp_path / "two", remote=SHOP)
    assert desk.enter(second) == before


def test_a_remote_with_another_address_keeps_the_project(desk: Desk, tmp_path: Path) -> None:
    repo = a_repository(tmp_path / "one", remote=SHOP)
    before = desk.enter(repo)
    git(repo, "remote", "set-url", "origin", "git@example.org:shop/backend.git")
    assert desk.enter(repo) == before == SHOP_ID
    git(repo, "remote", "rename", "origin", "upstream")
    assert desk.enter(repo) == before
    assert desk.aliases(repo) >= {SHOP_ID, "git:example.org/shop/backend"}


def test_a_remote_that_is_removed_again_keeps_the_project(desk: Desk, tmp_path: Path) -> None:
    repo = a_repository(tmp_path / "one", remote=SHOP)
    before = desk.enter(repo)
    git(repo, "remote", "remove", "origin")
    assert desk.look(repo).reason is Reason.PLACE
    assert desk.enter(repo) == before
    assert desk.enter(repo.rename(tmp_path / "two")) == before


@pytest.mark.parametrize("depth", [(), ("--depth=1",)], ids=["whole", "shallow"])
def test_another_repository_in_the_same_folder_is_another_project(
    desk: Desk, tmp_path: Path, depth: tuple[str, ...]
) -> None:
    shop, web = (a_repository(tmp_path / name, commits=2) for name in ("shop", "web"))
    folder = a_clone(shop, tmp_path / "here", *depth, remote=SHOP)
    before = desk.enter(folder)
    shutil.rmtree(folder)
    a_clone(web, folder, *depth, remote="https://example.org/shop/web")
    assert desk.look(folder).others == {before}
    assert desk.enter(folder) == "git:example.org/shop/web"
    assert f"path:{folder}" not in desk.projects.aliases_of(before)
    assert desk.enter(a_clone(shop, tmp_path / "there", remote=SHOP)) == before


def test_without_a_remote_the_same_place_is_the_same_project(desk: Desk, tmp_path: Path) -> None:
    """Nothing but its history tells another repository from one that was rewritten, and that happens more often."""
    folder = a_repository(tmp_path / "one")
    before = desk.enter(folder)
    shutil.rmtree(folder)
    assert desk.enter(a_repository(folder)) == before


def test_a_known_remote_takes_its_place_from_the_project_that_was_there(desk: Desk, tmp_path: Path) -> None:
    shop = a_repository(tmp_path / "one", remote=SHOP)
    desk.enter(shop)
    folder = a_repository(tmp_path / "two")
    before = desk.enter(folder)
    git(folder, "remote", "add", "origin", SHOP)
    assert desk.look(folder).others == {before}
    assert desk.enter(folder) == SHOP_ID
    git(folder, "remote", "remove", "origin")
    assert desk.enter(folder) == SHOP_ID


# A project grows up


def test_git_init_in_a_folder_with_memories_keeps_them(desk: Desk, tmp_path: Path) -> None:
    folder = tmp_path / "one"
    folder.mkdir()
    before = desk.enter(folder)
    a_repository(folder, commits=0)
    assert desk.enter(folder) == before
    commit(folder)
    assert desk.enter(folder) == before
    git(folder, "remote", "add", "origin", SHOP)
    assert desk.enter(folder) == before
    assert len(desk.aliases(folder, BY_ROOT)) == 1


def test_git_init_with_a_remote_at_once_keeps_the_memories_of_the_folder(desk: Desk, tmp_path: Path) -> None:
    folder = tmp_path / "one"
    folder.mkdir()
    before = desk.enter(folder)
    assert desk.enter(a_repository(folder, remote=SHOP, commits=0)) == before


@pytest.mark.parametrize("remote", [SHOP, None])
def test_the_first_commit_is_noted_when_it_comes(desk: Desk, tmp_path: Path, remote: str | None) -> None:
    repo = a_repository(tmp_path / "one", remote=remote, commits=0)
    before = desk.enter(repo)
    assert desk.aliases(repo, BY_ROOT) == set()
    commit(repo)
    assert desk.enter(repo) == before
    assert len(desk.aliases(repo, BY_ROOT)) == 1
    assert desk.enter(repo.rename(tmp_path / "two")) == before


def test_a_first_commit_that_is_amended_keeps_the_project(desk: Desk, tmp_path: Path) -> None:
    repo = a_repository(tmp_path / "one")
    before = desk.enter(repo)
    git(repo, "commit", "-q", "--amend", "--allow-empty", "-m", "Begin again")
    assert desk.enter(repo) == before


# The marker file


def test_a_marker_names_a_project_from_every_folder_below_it(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "one" / "deep").mkdir(parents=True)
    (tmp_path / "one" / ".recollect.toml").write_text('project = "shop"\n')
    assert desk.enter(tmp_path / "one" / "deep") == "name:shop"
    assert desk.look(tmp_path / "one").reason is Reason.NAME
    assert desk.aliases(tmp_path / "one", "name:") == {"name:shop"}
    assert desk.git_runs == 0


def test_a_name_that_is_known_from_elsewhere_holds_in_another_folder_once_it_is_accepted(
    desk: Desk, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / ".recollect.toml").write_text('project = "shop"\n')
    assert desk.enter(tmp_path / "one") == "name:shop"
    assert desk.look(tmp_path / "two").claimed == "name:shop"
    assert desk.enter(tmp_path / "two") == f"path:{tmp_path}/two"
    store_aliases(
        desk.projects,
        resolve(desk.projects, place_of(str(tmp_path / "two")), root_commit, accept_name=True),
        root_commit,
        NOW,
    )
    assert desk.enter(tmp_path / "two") == desk.enter(tmp_path / "one") == "name:shop"


def test_a_marker_without_a_name_marks_the_top_of_a_folder_outside_of_git(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / ".recollect.toml").write_text("")
    assert desk.enter(tmp_path / "deep") == desk.enter(tmp_path) == f"path:{tmp_path}"


def test_a_part_of_a_monorepo_can_be_a_project_and_takes_nothing_from_the_whole(desk: Desk, tmp_path: Path) -> None:
    repo = a_repository(tmp_path / "one", remote=SHOP)
    (repo / "billing" / "src").mkdir(parents=True)
    (repo / "billing" / ".recollect.toml").write_text('project = "billing"\n')
    whole, known = desk.enter(repo), desk.aliases(repo)
    assert desk.look(repo / "billing").others == {whole}
    assert desk.enter(repo / "billing" / "src") == "name:billing"
    assert desk.enter(repo) == whole == SHOP_ID
    assert desk.aliases(repo) == known


def test_a_marker_that_comes_with_a_pull_gets_none_of_the_memories_and_says_whose_they_are(
    desk: Desk, tmp_path: Path
) -> None:
    repo = a_repository(tmp_path / "one", remote=SHOP)
    before = desk.enter(repo)
    marker = repo / ".recollect.toml"
    marker.write_text('project = "git:example.org/shop/api"\n')
    assert desk.look(repo).others == {before}
    assert desk.enter(repo) == "name:git:example.org/shop/api"
    marker.unlink()
    assert desk.enter(repo) == before


def test_a_cloned_repository_cannot_open_a_project_to_itself_by_using_its_name(desk: Desk, tmp_path: Path) -> None:
    mine = a_repository(tmp_path / "mine", remote=SHOP)
    (mine / ".recollect.toml").write_text('project = "shop"\n')
    assert desk.enter(mine) == "name:shop"
    theirs = a_repository(tmp_path / "theirs", remote="git@example.org:evil/trap.git")
    (theirs / ".recollect.toml").write_text('project = "shop"\n')
    for seen in (desk.look(theirs), desk.look(theirs)):
        assert (seen.project, seen.claimed) == ("git:example.org/evil/trap", "name:shop")
    assert desk.enter(theirs) == "git:example.org/evil/trap"
    again = a_repository(tmp_path / "again", remote=SHOP)
    (again / ".recollect.toml").write_text('project = "shop"\n')
    assert desk.enter(again) == "name:shop"
    accepted = resolve(desk.projects, place_of(str(theirs)), root_commit, accept_name=True)
    store_aliases(desk.projects, accepted, root_commit, NOW)
    assert desk.enter(theirs) == "name:shop"
    assert desk.enter(mine) == "name:shop"


def test_a_name_that_was_given_to_a_project_finds_it(desk: Desk, tmp_path: Path) -> None:
    before = desk.enter(a_repository(tmp_path / "one", remote=SHOP))
    desk.projects.note_aliases(before, [ProjectId("name:shop")], NOW)
    (tmp_path / ".recollect.toml").write_text('project = "shop"\n')
    assert desk.look(tmp_path).claimed == before


# The engine


def test_the_memories_of_a_moved_repository_are_there_in_the_next_session(engine: Engine, tmp_path: Path) -> None:
    repo = a_repository(tmp_path / "one")
    project = engine.enter_project(str(repo), NOW)
    engine.remember(a_draft("Use tabs.", kind=Kind.RULE, scope=f"project:{project}"))
    moved = repo.rename(tmp_path / "two")
    assert "Use tabs." in engine.handle(a_start(project=None, folder=str(moved))).block


def test_a_session_that_begins_notes_its_project(engine: Engine, tmp_path: Path) -> None:
    repo = a_repository(tmp_path / "one")
    assert engine.resolve(str(repo)).reason is Reason.NEW
    engine.handle(a_start(project=None, folder=str(repo)))
    assert engine.resolve(str(repo)).reason is Reason.PLACE
    git(repo, "remote", "add", "origin", SHOP)
    assert engine.resolve(str(repo)).project == f"path:{repo}"


def known_before(desk: Desk, folder: Path, project: str) -> None:
    """What an earlier version has noted of a folder."""
    aliases = [ProjectId(project), ProjectId(f"{BY_PATH}{folder}")]
    desk.projects.note_aliases(ProjectId(project), aliases, NOW)


def test_after_an_upgrade_a_folder_has_the_project_that_it_had_and_a_clone_by_another_address_finds_it(
    desk: Desk, tmp_path: Path
) -> None:
    old = a_repository(tmp_path / "old", remote="git@github.com:Shop/API.git")
    known_before(desk, old, "git:github.com/Shop/API")
    assert desk.enter(old) == "git:github.com/Shop/API"
    other = a_clone(old, tmp_path / "other", remote="https://www.github.com/shop/api")
    assert desk.enter(other) == "git:github.com/Shop/API"


def test_after_an_upgrade_two_spellings_that_were_two_projects_stay_so_until_somebody_merges_them(
    desk: Desk, tmp_path: Path
) -> None:
    for spelling in ("Shop/API", "shop/api"):
        folder = a_repository(tmp_path / spelling.replace("/", "-"), remote=f"git@github.com:{spelling}.git")
        known_before(desk, folder, f"git:github.com/{spelling}")
    upper, lower = tmp_path / "Shop-API", tmp_path / "shop-api"
    assert [desk.enter(upper), desk.enter(lower)] == ["git:github.com/Shop/API", "git:github.com/shop/api"]
    assert desk.look(upper).others == {"git:github.com/shop/api"}
    assert desk.enter(lower) == "git:github.com/shop/api", "nothing was taken from it"


def test_a_place_on_a_host_is_told_apart_but_for_the_folders_that_were_known_before(desk: Desk, tmp_path: Path) -> None:
    before = a_repository(tmp_path / "before", remote="example.org:/one.git")
    known_before(desk, before, "git:example.org/one")
    assert desk.enter(before) == "git:example.org/one"
    in_home = a_repository(tmp_path / "home", remote="example.org:two.git")
    at_root = a_repository(tmp_path / "root", remote="example.org:/two.git")
    assert [desk.enter(in_home), desk.enter(at_root)] == ["git:example.org/two", "git:example.org//two"]


def test_a_name_that_was_accepted_for_a_remote_is_accepted_in_its_new_spelling(desk: Desk, tmp_path: Path) -> None:
    folder = a_repository(tmp_path / "shop", remote="git@github.com:Shop/API.git")
    (folder / ".recollect.toml").write_text('project = "shop"\n')
    named, user = ProjectId("name:shop"), ProjectId("named-from:github.com/Shop/API")
    desk.projects.note_aliases(named, [named, user], NOW)
    assert desk.enter(folder) == "name:shop"


def test_memories_that_a_file_brought_under_an_old_spelling_are_found(engine: Engine, tmp_path: Path) -> None:
    folder = a_repository(tmp_path / "shop", remote="git@github.com:Shop/API.git")
    engine.remember(a_draft("We deploy with Helm.", scope="project:git:github.com/Shop/API"))
    assert engine.enter_project(str(folder), NOW) == "git:github.com/Shop/API"
