import os
import shutil
import subprocess
from pathlib import Path

import pytest

from recollect.workspace import language
from recollect.workspace.git import branch_of, language_of
from recollect.workspace.git_index import index_of, sample_paths
from recollect.workspace.language import main_language
from tests.repositories import a_repository, commit, git


def files(folder: Path, *paths: str) -> Path:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).touch()
    return folder


def many(pattern: str, count: int) -> list[str]:
    return [pattern.format(number) for number in range(count)]


def tracked(folder: Path, *paths: str) -> Path:
    """A repository that tracks these paths; none of them has to lie there."""
    repo = a_repository(folder)
    blob = git(repo, "hash-object", "-w", "/dev/null").strip()
    lines = "".join(f"100644 {blob}\t{path}\n" for path in paths)
    subprocess.run(["git", "update-index", "--index-info"], cwd=repo, check=True, input=lines, text=True)
    return repo


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        ([*many("shop/{}.py", 10), *many("scripts/{}.sh", 3)], "python"),
        (["main.go", "go.mod", "README.md", "deploy.yaml"], "go"),
        (["a.ts", "b.js"], "typescript"),
        (["a.tsx", "b.js", "c.mjs"], "javascript"),
        (["src/lib.rs", "Cargo.toml", "Cargo.lock"], "rust"),
        (["App.java", "B.kt", "C.kt"], "kotlin"),
        (["Program.cs"], "c#"),
        (["main.tf", "vars.tf", "run.sh"], "terraform"),
        (["lib/a.ex", "test/a_test.exs", "config/x.json"], "elixir"),
        (["README.md", "data.json", "style.css", "index.html", "Makefile", "package-lock.json"], None),
        ([], None),
    ],
)
def test_the_language_is_the_one_that_most_files_are_written_in(
    tmp_path: Path, paths: list[str], expected: str | None
) -> None:
    assert main_language(str(files(tmp_path / "lying", *paths))) == expected
    assert main_language(str(tracked(tmp_path / "repo", *paths))) == expected


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["a.c", "a.h", "b.h"], "c"),
        (["a.cpp", "a.h", "b.h"], "c++"),
        (["a.h"], "c"),
        (["src/a.cc", "include/a.h", "include/b.h"], "c++"),
        (["lib/one.c", "lib/two.c", "lib/a.h", "app/three.cpp", "app/b.h", "app/c.h", "app/d.h"], "c++"),
        (["View.m", "View.h"], "objective-c"),
    ],
)
def test_a_header_is_of_the_language_of_what_stands_beside_it(tmp_path: Path, paths: list[str], expected: str) -> None:
    assert main_language(str(files(tmp_path, *paths))) == expected


def test_a_component_is_of_the_language_of_the_scripts_beside_it(tmp_path: Path) -> None:
    assert main_language(str(files(tmp_path / "one", "App.vue", "B.vue", "main.ts", "c.py", "d.py"))) == "typescript"
    assert main_language(str(files(tmp_path / "two", "App.svelte"))) == "javascript"


@pytest.mark.parametrize(
    "foreign",
    [
        "node_modules/x/{}.js",
        "vendor/x/{}.js",
        "web/dist/{}.js",
        "build/{}.js",
        ".venv/lib/{}.js",
        "third_party/{}.js",
        "api/generated/{}.js",
        ".yarn/releases/{}.js",
        "static/{}.min.js",
    ],
)
def test_what_others_wrote_or_a_tool_made_does_not_count(tmp_path: Path, foreign: str) -> None:
    paths = ["main.py", *many(foreign, 5)]
    assert main_language(str(files(tmp_path / "lying", *paths))) == "python"
    assert main_language(str(tracked(tmp_path / "repo", *paths))) == "python"


def test_what_git_does_not_track_does_not_count(tmp_path: Path) -> None:
    repo = tracked(tmp_path / "repo", "main.go")
    assert main_language(str(files(repo, *many("scratch{}.py", 5)))) == "go"


def test_before_anything_is_tracked_the_files_that_lie_there_tell(tmp_path: Path) -> None:
    assert main_language(str(files(a_repository(tmp_path / "repo", commits=0), "main.go"))) == "go"


@pytest.mark.parametrize("version", ["2", "3", "4"])
@pytest.mark.parametrize("count", [1, 2, 40, 2000])
def test_every_version_of_an_index_is_read(tmp_path: Path, version: str, count: int) -> None:
    repo = tracked(tmp_path / "repo", *many("src/module{}.py", count))
    git(repo, "update-index", "--index-version", version)
    index = index_of(str(repo))
    assert index is not None
    assert sorted(sample_paths(index, 40)) == sorted(many("src/module{}.py", count))
    assert main_language(str(repo)) == "python"


def test_a_repository_with_long_ids_is_read(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256")
    files(tmp_path, "main.rs", "lib.rs", "run.sh")
    git(tmp_path, "add", ".")
    assert main_language(str(tmp_path)) == "rust"


def test_of_a_large_index_every_part_is_heard(tmp_path: Path) -> None:
    """The first folder alone has more files than are looked at, and is not what the project is written in."""
    repo = tracked(tmp_path / "repo", *many("a/helper{}.sh", 8_000), *many("packages/core/module{}.ts", 20_000))
    index = index_of(str(repo))
    assert index is not None
    paths = sample_paths(index, 40)
    assert 2_000 < len(paths) < 10_000
    assert set(paths) <= {*many("a/helper{}.sh", 8_000), *many("packages/core/module{}.ts", 20_000)}
    assert main_language(str(repo)) == "typescript"


def test_links_and_submodules_are_no_files_of_a_language(tmp_path: Path) -> None:
    inner = files(a_repository(tmp_path / "inner.py"), "x.py")
    git(inner, "add", ".")
    commit(inner)
    repo = a_repository(tmp_path / "repo")
    git(repo, "submodule", "add", "-q", str(inner), "inner.py")
    (repo / "link.py").symlink_to("nowhere.py")
    files(repo, "main.go")
    git(repo, "add", ".")
    assert main_language(str(repo)) == "go"


def test_links_are_not_followed_without_git(tmp_path: Path) -> None:
    elsewhere = files(tmp_path / "elsewhere", *many("{}.py", 5))
    folder = files(tmp_path / "folder", "main.go")
    (folder / "more").symlink_to(elsewhere)
    (folder / "round").symlink_to(folder)
    (folder / "link.py").symlink_to(elsewhere / "0.py")
    assert main_language(str(folder)) == "go"


def test_a_folder_is_looked_through_only_so_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = "/".join(["d"] * 20)
    assert main_language(str(files(tmp_path / "deep", f"{deep}/main.py"))) is None
    monkeypatch.setattr(language, "MAX_ENTRIES_IN_FOLDER", 3)
    monkeypatch.setattr(language, "MAX_ENTRIES", 5)
    seen = list(language._paths_on_disk(str(files(tmp_path / "wide", *many("{}.py", 9), *many("x/{}.py", 9)))))
    assert len(seen) <= 6


def test_a_broken_index_is_none(tmp_path: Path) -> None:
    repo = tracked(tmp_path / "repo", *many("{}.py", 50))
    index = repo / ".git" / "index"
    whole = index.read_bytes()
    for broken in (b"", b"DIRC", whole[:13], whole[:300], b"\x00" * 5000, whole[:12] + os.urandom(3000)):
        index.write_bytes(broken)
        assert main_language(str(repo)) in (None, "python")
    index.unlink()
    os.mkfifo(index)
    assert main_language(str(repo)) is None


@pytest.mark.parametrize("folder", ["/nul\x00inside", "/" + "x" * 5000, "/no/such/folder", ""])
def test_a_folder_that_cannot_be_read_has_no_language_and_no_branch(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert (main_language(folder), language_of(folder), branch_of(folder)) == (None, None, None)


def test_the_home_folder_is_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(files(tmp_path / "home", "a.py", "project/b.go")))
    assert main_language(str(tmp_path / "home")) is None
    assert main_language(str(tmp_path)) is None
    assert main_language(str(tmp_path / "home" / "project")) == "go"


def test_a_folder_inside_has_the_language_of_its_repository(tmp_path: Path) -> None:
    repo = tracked(tmp_path / "repo", "a.go", "b.go", "tools/c.py")
    (repo / "tools").mkdir()
    assert language_of(str(repo / "tools")) == "go"


def test_a_worktree_has_its_own_language_and_branch(tmp_path: Path) -> None:
    repo = files(a_repository(tmp_path / "repo"), "main.go")
    git(repo, "add", ".")
    tree = tmp_path / "tree"
    git(repo, "worktree", "add", "-q", "-b", "feature/zürich-2", str(tree))
    git(files(tree, "main.rs"), "add", ".")
    (tree / "src").mkdir()
    assert (language_of(str(repo)), branch_of(str(repo))) == ("go", "main")
    assert (language_of(str(tree)), branch_of(str(tree / "src"))) == ("rust", "feature/zürich-2")


def test_without_a_branch_there_is_none(tmp_path: Path) -> None:
    repo = a_repository(tmp_path / "repo")
    git(repo, "checkout", "-q", "--detach")
    assert branch_of(str(repo)) is None
    assert branch_of(str(tmp_path)) is None
    assert branch_of(str(a_repository(tmp_path / "new", commits=0))) == "main"


@pytest.mark.parametrize(
    "head",
    ["", "ref:", "ref: refs/tags/x", "ref: refs/heads/", "ref: refs/heads/.invalid", "ref: refs/heads/a\x1b[31mb"],
)
def test_a_strange_head_is_no_branch(tmp_path: Path, head: str) -> None:
    repo = a_repository(tmp_path / "repo")
    (repo / ".git/HEAD").write_text(head)
    assert branch_of(str(repo)) is None
    (repo / ".git/HEAD").unlink()
    os.mkfifo(repo / ".git/HEAD")
    assert branch_of(str(repo)) is None
    shutil.rmtree(repo / ".git")
    (repo / ".git").write_text("nonsense")
    assert branch_of(str(repo)) is None


def test_a_secret_in_the_name_of_a_branch_is_not_told(tmp_path: Path) -> None:
    repo = a_repository(tmp_path / "repo")
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    (repo / ".git/HEAD").write_text(f"ref: refs/heads/try-{token}\n")
    assert token not in (branch_of(str(repo)) or "")
