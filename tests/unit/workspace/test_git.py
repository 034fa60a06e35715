import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import ProjectId
from recollect.domain.project import FolderFacts
from recollect.workspace.git import normalise_remote, place_of, root_commit, root_of
from tests.repositories import a_clone, a_repository, commit, git


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return a_repository(tmp_path / "repo")


def identified(folder: Path) -> ProjectId:
    """The id that a folder of which nothing is known gets."""
    place = place_of(str(folder))
    return place.remote or place.path


@pytest.mark.parametrize(
    "url",
    [
        "git@GitHub.com:Owner/repo.git",
        "ssh://git@github.com/Owner/repo.git",
        "ssh://git@github.com:22/Owner/repo",
        "https://github.com/Owner/repo.git",
        "https://user:token@github.com/Owner/repo/",
        "https://www.github.com/owner/Repo",
        "ssh://git@ssh.github.com:443/OWNER/repo.git",
        "git@github.com:/Owner/repo",
        "https://github.com.//Owner/repo",
    ],
)
def test_one_remote_is_one_project_however_it_is_written(url: str) -> None:
    assert normalise_remote(url, Path("/r")) == "github.com/owner/repo"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ssh://git@altssh.gitlab.com:443/Team/Repo", "https://gitlab.com/team/repo.git"),
        ("ssh://git@altssh.bitbucket.org:443/Team/Repo", "git@bitbucket.org:team/repo.git"),
        ("ssh://git@git.example.org/team/repo", "git@git.example.org:team/repo.git"),
    ],
)
def test_another_name_of_a_host_is_the_same_host(one: str, other: str) -> None:
    assert normalise_remote(one, Path("/r")) == normalise_remote(other, Path("/r"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("example.org:one", "example.org:/one"),  # in the home there, and at the root
        ("https://example.org/Team/repo", "https://example.org/team/repo"),
        ("https://www.example.org/one", "https://example.org/one"),
    ],
)
def test_in_doubt_remotes_are_told_apart(one: str, other: str) -> None:
    assert normalise_remote(one, Path("/r")) != normalise_remote(other, Path("/r"))


@pytest.mark.parametrize("above", [".", ".."])
def test_a_repository_of_the_home_does_not_claim_plain_folders_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, above: str
) -> None:
    home = tmp_path / "people" / "me"
    plain, shop = home / "notes" / "deep", home / "code" / "shop"
    for folder in (plain, shop / "src"):
        folder.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    top = (home / above).resolve()
    git(top, "init", "-q")
    git(shop, "init", "-q")
    assert identified(plain) == f"path:{plain}"
    assert root_of(plain) == plain
    assert identified(shop / "src") == f"path:{shop}"
    assert identified(top) == f"path:{top}", "its own top is its own project"


def test_a_token_in_a_remote_never_becomes_part_of_the_identity(repo: Path) -> None:
    git(repo, "remote", "add", "origin", "https://user:ghp_secret@example.org/shop/api.git")
    assert identified(repo) == "git:example.org/shop/api"


def test_origin_names_the_project_also_from_a_folder_inside(repo: Path) -> None:
    git(repo, "remote", "add", "fork", "git@example.org:me/api.git")
    git(repo, "remote", "add", "origin", "git@example.org:shop/api.git")
    inside = repo / "src" / "deep"
    inside.mkdir(parents=True)
    assert identified(inside) == "git:example.org/shop/api"


def test_a_remote_that_is_a_path_is_read_from_its_repository(repo: Path) -> None:
    git(repo, "remote", "add", "origin", "../upstream.git")
    assert identified(repo) == f"git:{repo.parent / 'upstream'}"


def test_a_path_with_blanks_and_quotes_is_read_whole(repo: Path) -> None:
    git(repo, "remote", "add", "origin", "/srv/My Repos/one.git")
    (repo / ".git/config").write_text('[remote "origin"]\n\turl = "/srv/My Repos/one.git"\n')
    assert identified(repo) == "git:/srv/My Repos/one"


def test_another_port_is_another_project() -> None:
    assert normalise_remote("ssh://git@example.org:2222/a/b", Path("/r")) == "example.org:2222/a/b"


def test_a_remote_that_names_nothing_leaves_the_place(repo: Path) -> None:
    (repo / ".git/config").write_text('[remote "origin"]\n\turl = https://[bad\n')
    assert identified(repo) == f"path:{repo}"


def test_without_a_remote_the_place_of_the_repository_names_it(repo: Path) -> None:
    inside = repo / "src"
    inside.mkdir()
    assert identified(inside) == identified(repo) == f"path:{repo}"


def test_a_worktree_is_the_same_project(repo: Path) -> None:
    tree = repo.parent / "tree"
    git(repo, "worktree", "add", "-q", str(tree))
    assert identified(tree) == identified(repo)


def test_without_git_the_folder_names_the_project(tmp_path: Path) -> None:
    assert identified(tmp_path) == f"path:{tmp_path}"


def test_a_folder_whose_name_is_no_text_still_has_an_id(tmp_path: Path) -> None:
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9\n"))
    odd.mkdir()
    assert identified(odd) == f"path:{tmp_path}/caf\\xe9\\n"


def test_long_paths_are_shortened_and_told_apart(tmp_path: Path) -> None:
    one, two = (identified(tmp_path / first / ("deep/" * 100)) for first in ("a", "b"))
    assert one != two
    assert len(one) < 300


@pytest.mark.parametrize("folder", ["/nul\x00inside", "/" + "x" * 5000])
def test_a_folder_that_cannot_be_is_refused(folder: str) -> None:
    with pytest.raises(InvalidValue, match="cannot be used"):
        place_of(folder)


def test_the_top_of_the_working_tree_is_found(repo: Path, tmp_path: Path) -> None:
    inside = repo / "src"
    inside.mkdir()
    assert root_of(inside) == repo
    assert root_of(tmp_path) == tmp_path


def test_a_broken_git_pointer_is_not_a_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("nonsense")
    assert identified(tmp_path) == f"path:{tmp_path}"


def test_a_place_is_all_that_a_folder_says(repo: Path) -> None:
    git(repo, "remote", "add", "origin", "git@example.org:shop/api.git")
    inside = repo / "billing"
    inside.mkdir()
    (inside / ".recollect.toml").write_text('project = "billing"')
    assert place_of(str(inside)) == FolderFacts(
        root=str(repo),
        name=ProjectId("name:billing"),
        remote=ProjectId("git:example.org/shop/api"),
        path=ProjectId(f"path:{repo}"),
    )
    assert place_of(str(repo)).name is None


def test_the_root_of_a_worktree_is_its_own_and_its_path_is_that_of_the_repository(repo: Path) -> None:
    tree = repo.parent / "tree"
    git(repo, "worktree", "add", "-q", str(tree))
    assert (place_of(str(tree)).root, place_of(str(tree)).path) == (str(tree), f"path:{repo}")


def test_the_nearest_marker_speaks_and_marks_the_top_outside_of_git(tmp_path: Path) -> None:
    near = tmp_path / "near"
    (near / "deep").mkdir(parents=True)
    (tmp_path / ".recollect.toml").write_text('project = "far"')
    (near / ".recollect.toml").write_text('project = "near"')
    seen = place_of(str(near / "deep"))
    assert (seen.name, seen.path, seen.root) == ("name:near", f"path:{near}", str(near))


def test_a_marker_above_a_repository_does_not_reach_into_it(repo: Path) -> None:
    (repo.parent / ".recollect.toml").write_text('project = "above"')
    assert place_of(str(repo)).name is None


@pytest.mark.parametrize("url", ["https://example.org/" + "x" * 500, "https://example.org/a\u202eb"])
def test_a_remote_that_could_not_be_shown_is_none(repo: Path, url: str) -> None:
    (repo / ".git/config").write_text(f'[remote "origin"]\n\turl = {url}\n')
    assert place_of(str(repo)).remote is None


@pytest.mark.parametrize("format", ["sha1", "sha256"])
def test_the_root_commit_is_the_first_of_the_main_line(tmp_path: Path, format: str) -> None:  # noqa: A002
    repo = tmp_path / "repo"
    repo.mkdir()
    git(repo, "init", "-q", "-b", "main", f"--object-format={format}")
    commit(repo)
    first = git(repo, "rev-parse", "HEAD").strip()
    git(repo, "checkout", "-q", "--orphan", "other")
    commit(repo)
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "--allow-unrelated-histories", "-m", "Join", "other")
    (repo / "HEAD").write_text("a file that is called like a revision")
    inside = repo / "src"
    inside.mkdir()
    assert root_commit(str(repo)) == root_commit(str(inside)) == f"root:{first}"


def test_a_worktree_has_the_root_commit_of_its_repository(repo: Path) -> None:
    git(repo, "worktree", "add", "-q", str(repo.parent / "tree"))
    assert root_commit(str(repo.parent / "tree")) == root_commit(str(repo)) is not None


def test_without_commits_without_git_or_with_half_of_the_history_there_is_no_root_commit(tmp_path: Path) -> None:
    whole = a_repository(tmp_path / "whole", commits=3)
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / ".git").write_text("gitdir: /nowhere/at/all")
    assert root_commit(str(a_repository(tmp_path / "empty", commits=0))) is None
    assert root_commit(str(a_clone(whole, tmp_path / "shallow", "--depth=1"))) is None
    assert root_commit(str(tmp_path)) is None
    assert root_commit(str(tmp_path / "absent")) is None
    assert root_commit(str(broken)) is None
    assert root_commit("/nul\x00inside") is None


@pytest.fixture
def git_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Count the calls of git from now on, through a git that notes each one."""
    programs, calls = tmp_path / "programs", tmp_path / "calls"
    programs.mkdir()
    (programs / "git").write_text(f'#!/bin/sh\necho x >> {calls}\nexec {shutil.which("git")} "$@"\n')
    (programs / "git").chmod(0o700)

    def count_from_now() -> int:
        monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
        return len(calls.read_text().splitlines()) if calls.exists() else 0

    return count_from_now


@pytest.mark.parametrize("format", ["sha1", "sha256"])
def test_git_does_not_run_before_the_first_commit(
    tmp_path: Path,
    git_calls: Callable[[], int],
    format: str,  # noqa: A002
) -> None:
    repo = tmp_path / "repo"
    repo.mkdir()
    git(repo, "init", "-q", "-b", "feature/one", f"--object-format={format}")
    (repo / "file").write_text("staged")
    git(repo, "add", "file")
    git(repo, "gc", "-q")  # writes a list of packed branches that is empty
    before = git_calls()
    assert root_commit(str(repo)) is None
    assert git_calls() == before
    commit(repo)
    before = git_calls()
    assert root_commit(str(repo)) == f"root:{git(repo, 'rev-parse', 'HEAD').strip()}"
    assert git_calls() == before + 2  # with the one of this test


def test_git_does_not_run_on_a_branch_without_a_commit(repo: Path, git_calls: Callable[[], int]) -> None:
    tree = repo.parent / "tree"
    git(repo, "worktree", "add", "-q", str(tree))
    assert root_commit(str(tree)) is not None
    git(repo, "pack-refs", "--all")
    git(tree, "checkout", "-q", "--orphan", "new")
    before = git_calls()
    assert root_commit(str(tree)) is None
    assert git_calls() == before
    assert root_commit(str(repo)) is not None
    commit(tree)
    assert root_commit(str(tree)) not in (None, root_commit(str(repo)))


def test_the_root_commit_is_found_wherever_the_branch_is_stored(repo: Path) -> None:
    first = root_commit(str(repo))
    assert first is not None
    git(repo, "pack-refs", "--all")
    assert not (repo / ".git/refs/heads/main").exists()
    assert root_commit(str(repo)) == first
    git(repo, "checkout", "-q", "--detach")
    assert root_commit(str(repo)) == first
    git(repo, "checkout", "-q", "main")
    packed = repo / ".git/packed-refs"
    many = "".join(f"{first.removeprefix('root:')} refs/heads/a{number:06}\n" for number in range(18_000))
    head, _, rest = packed.read_text().partition("\n")
    packed.write_text(f"{head}\n{many}{rest}")
    assert root_commit(str(repo)) == first


def test_git_decides_about_a_folder_that_is_no_valid_repository(repo: Path) -> None:
    broken = repo / "inside"
    (broken / ".git").mkdir(parents=True)
    (broken / ".git/HEAD").write_text("ref: refs/heads/main\n")
    assert root_commit(str(broken)) == root_commit(str(repo)) is not None


def test_in_a_reftable_git_runs_only_if_there_are_objects(repo: Path, git_calls: Callable[[], int]) -> None:
    """The git here may not know reftables: these are laid out as it writes them."""
    empty = a_repository(repo.parent / "empty", commits=0)
    for folder in (repo, empty):
        (folder / ".git/reftable").mkdir()
        (folder / ".git/HEAD").write_text("ref: refs/heads/.invalid\n")
    before = git_calls()
    assert root_commit(str(empty)) is None
    assert git_calls() == before
    root_commit(str(repo))
    assert git_calls() == before + 1


def test_the_environment_of_a_git_hook_does_not_lead_astray(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = root_commit(str(repo))
    monkeypatch.setenv("GIT_DIR", str(a_repository(repo.parent / "other") / ".git"))
    assert root_commit(str(repo)) == own is not None


@pytest.mark.parametrize("program", [None, "exec sleep 30", "echo nonsense", "exit 3"])
def test_a_git_that_is_missing_slow_or_strange_is_no_root_commit(
    repo: Path, monkeypatch: pytest.MonkeyPatch, program: str | None
) -> None:
    programs = repo.parent / "programs"
    programs.mkdir()
    if program is not None:
        (programs / "git").write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{program}\n")
        (programs / "git").chmod(0o700)
    monkeypatch.setenv("PATH", str(programs))
    assert root_commit(str(repo)) is None


def test_a_repository_of_a_stranger_cannot_make_git_run_something(repo: Path) -> None:
    """A history with a missing part would be fetched, by the program that the repository's configuration names."""
    trace = repo.parent / "trace"
    commit(repo)
    first = git(repo, "rev-list", "--max-parents=0", "HEAD").strip()
    (repo / ".git/objects" / first[:2] / first[2:]).unlink()
    git(repo, "config", "core.repositoryFormatVersion", "1")
    git(repo, "config", "extensions.partialClone", "origin")
    git(repo, "config", "remote.origin.promisor", "true")
    git(repo, "config", "remote.origin.url", f"ext::sh -c touch% {trace}")
    git(repo, "config", "protocol.ext.allow", "always")
    assert root_commit(str(repo)) is None
    assert not trace.exists()
