import os
import subprocess
from pathlib import Path

import pytest

from recollect.domain.errors import InvalidValue
from recollect.workspace.git import identify, normalise_remote, root_of


def git(folder: Path, *args: str) -> None:
    identity = ("-c", "user.name=Test", "-c", "user.email=test@example.invalid")
    subprocess.run(["git", *identity, *args], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "Begin")
    return folder


@pytest.mark.parametrize(
    "url",
    [
        "git@GitHub.com:Owner/repo.git",
        "ssh://git@github.com/Owner/repo.git",
        "ssh://git@github.com:22/Owner/repo",
        "https://github.com/Owner/repo.git",
        "https://user:token@github.com/Owner/repo/",
    ],
)
def test_one_remote_is_one_project_however_it_is_written(url: str) -> None:
    assert normalise_remote(url, Path("/r")) == "github.com/Owner/repo"


def test_a_token_in_a_remote_never_becomes_part_of_the_identity(repo: Path) -> None:
    git(repo, "remote", "add", "origin", "https://user:ghp_secret@example.org/shop/api.git")
    assert identify(str(repo)) == "git:example.org/shop/api"


def test_origin_names_the_project_also_from_a_folder_inside(repo: Path) -> None:
    git(repo, "remote", "add", "fork", "git@example.org:me/api.git")
    git(repo, "remote", "add", "origin", "git@example.org:shop/api.git")
    inside = repo / "src" / "deep"
    inside.mkdir(parents=True)
    assert identify(str(inside)) == "git:example.org/shop/api"


def test_a_remote_that_is_a_path_is_read_from_its_repository(repo: Path) -> None:
    git(repo, "remote", "add", "origin", "../upstream.git")
    assert identify(str(repo)) == f"git:{repo.parent / 'upstream'}"


def test_a_path_with_blanks_and_quotes_is_read_whole(repo: Path) -> None:
    git(repo, "remote", "add", "origin", "/srv/My Repos/one.git")
    (repo / ".git/config").write_text('[remote "origin"]\n\turl = "/srv/My Repos/one.git"\n')
    assert identify(str(repo)) == "git:/srv/My Repos/one"


def test_another_port_is_another_project() -> None:
    assert normalise_remote("ssh://git@example.org:2222/a/b", Path("/r")) == "example.org:2222/a/b"


def test_a_remote_that_names_nothing_leaves_the_place(repo: Path) -> None:
    (repo / ".git/config").write_text('[remote "origin"]\n\turl = https://[bad\n')
    assert identify(str(repo)) == f"path:{repo}"


def test_without_a_remote_the_place_of_the_repository_names_it(repo: Path) -> None:
    inside = repo / "src"
    inside.mkdir()
    assert identify(str(inside)) == identify(str(repo)) == f"path:{repo}"


def test_a_worktree_is_the_same_project(repo: Path) -> None:
    tree = repo.parent / "tree"
    git(repo, "worktree", "add", "-q", str(tree))
    assert identify(str(tree)) == identify(str(repo))


def test_without_git_the_folder_names_the_project(tmp_path: Path) -> None:
    assert identify(str(tmp_path)) == f"path:{tmp_path}"


def test_a_folder_whose_name_is_no_text_still_has_an_id(tmp_path: Path) -> None:
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9\n"))
    odd.mkdir()
    assert identify(str(odd)) == f"path:{tmp_path}/caf\\xe9\\n"


def test_long_paths_are_shortened_and_told_apart(tmp_path: Path) -> None:
    one, two = (identify(str(tmp_path / first / ("deep/" * 100))) for first in ("a", "b"))
    assert one != two
    assert len(one) < 300


@pytest.mark.parametrize("folder", ["/nul\x00inside", "/" + "x" * 5000])
def test_a_folder_that_cannot_be_is_refused(folder: str) -> None:
    with pytest.raises(InvalidValue, match="cannot be used"):
        identify(folder)


def test_the_top_of_the_working_tree_is_found(repo: Path, tmp_path: Path) -> None:
    inside = repo / "src"
    inside.mkdir()
    assert root_of(inside) == repo
    assert root_of(tmp_path) == tmp_path


def test_a_broken_git_pointer_is_not_a_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("nonsense")
    assert identify(str(tmp_path)) == f"path:{tmp_path}"
