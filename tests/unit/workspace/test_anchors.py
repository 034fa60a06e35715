"""Files that memories speak of: fresh, changed, gone, or none of our business."""

import os
import threading
from collections.abc import Callable
from hashlib import sha1
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.errors import InvalidValue
from recollect.domain.freshness import FileState, SeenFile
from recollect.domain.memory import Anchor
from recollect.workspace import anchors as anchors_module
from recollect.workspace import git_index
from recollect.workspace.anchors import AnchoredFiles
from tests.repositories import a_repository, git
from tests.requirements import covers

FRESH, CHANGED, GONE, UNKNOWN = FileState
LONG_AGO = 1_600_000_000
MISSING = Anchor("src/a.py", "0" * 40)


def written(root: Path, path: str = "src/a.py", content: bytes = b"a = 1\n") -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return file


def a_committed_file(root: Path, *, content: bytes = b"a = 1\n", **options: str) -> Path:
    file = written(a_repository(root), content=content)
    for name, value in options.items():
        git(root, "config", name.replace("_", "."), value)
    os.utime(file, (LONG_AGO, LONG_AGO))  # git trusts a file that is older than its index
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "a file")
    return file


def state(root: Path, anchor: Anchor) -> FileState:
    (only,) = states(AnchoredFiles(), root, anchor)
    return only


def states(files: AnchoredFiles, root: Path, *anchors: Anchor, asked: bool = True) -> list[FileState]:
    return [file.state for file in files.check_files(str(root), anchors, asked=asked)]


def blob(root: Path, path: str = "src/a.py") -> str:
    return git(root, "rev-parse", f"HEAD:{path}").strip()


@pytest.mark.parametrize("make", [a_repository, lambda folder: folder.mkdir() or folder])
@covers("MEM-8")
def test_a_file_is_fresh_until_it_changes_and_gone_when_it_is_not_there(
    tmp_path: Path, make: Callable[[Path], Path]
) -> None:
    root = make(tmp_path / "shop")
    file = written(root)
    anchor = AnchoredFiles().anchor(str(root), str(root / "src"), "a.py")
    assert anchor == Anchor("src/a.py", sha1(b"blob 6\x00a = 1\n").hexdigest())
    assert state(root, anchor) is FRESH
    written(root, content=b"a = 2\n")
    assert state(root, anchor) is CHANGED
    written(root)
    assert state(root, anchor) is FRESH
    file.rename(root / "src/b.py")
    assert state(root, anchor) is GONE


@covers("MEM-8")
def test_the_hash_is_the_id_that_git_gives_the_file(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    a_committed_file(root)
    assert AnchoredFiles().anchor(str(root), str(root), "src/a.py").hash == blob(root)


def test_a_repository_with_longer_ids_gets_longer_ids(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256", "shop")
    root = tmp_path / "shop"
    written(root)
    git(root, "add", "-A")
    anchor = AnchoredFiles().anchor(str(root), str(root), "src/a.py")
    assert anchor.hash == git(root, "hash-object", "src/a.py").strip()
    assert (len(anchor.hash or ""), state(root, anchor)) == (64, FRESH)


def test_a_worktree_has_its_own_files(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    a_committed_file(root)
    git(root, "worktree", "add", "-q", str(tmp_path / "other"))
    anchor = AnchoredFiles().anchor(str(root), str(root), "src/a.py")
    written(root, content=b"changed\n")
    assert state(root, anchor) is CHANGED
    assert state(tmp_path / "other", anchor) is FRESH
    (tmp_path / "other/src/a.py").unlink()
    assert state(tmp_path / "other", anchor) is GONE


@covers("MEM-8")
@pytest.mark.parametrize("version", ["2", "4"])
def test_a_file_that_git_knows_under_another_name_has_moved(tmp_path: Path, version: str) -> None:
    root = tmp_path / "shop"
    a_committed_file(root, index_version=version)
    anchor = AnchoredFiles().anchor(str(root), str(root), "src/a.py")
    written(root, "lib/other.py", b"another\n")
    git(root, "mv", "src/a.py", "lib/b.py")
    (seen,) = AnchoredFiles().check_files(str(root), [anchor], asked=True)
    assert (seen.state, seen.moved_to, seen.is_stale) == (GONE, "lib/b.py", True)
    written(root, "lib/c.py")
    git(root, "add", "-A")
    assert AnchoredFiles().check_files(str(root), [anchor], asked=True) == [
        SeenFile("src/a.py", GONE)
    ]  # to which of the two?
    (root / "lib/c.py").unlink()
    (root / "lib/b.py").unlink()
    git(root, "rm", "-q", "--cached", "lib/c.py")
    assert AnchoredFiles().check_files(str(root), [anchor], asked=True) == [
        SeenFile("src/a.py", GONE)
    ]  # and from there, too


@pytest.mark.parametrize("name", ["x\udcff.py", "x\u202e.py"])
def test_a_name_that_cannot_be_shown_is_not_told(tmp_path: Path, name: str) -> None:
    root = tmp_path / "shop"
    a_committed_file(root)
    anchor = AnchoredFiles().anchor(str(root), str(root), "src/a.py")
    git(root, "mv", "src/a.py", name)
    assert AnchoredFiles().check_files(str(root), [anchor], asked=True) == [SeenFile("src/a.py", GONE)]


@pytest.mark.parametrize("later", [b"a = 1\r\n", b"a = 1\n"])
def test_other_line_ends_are_no_change_where_git_converts_them(tmp_path: Path, later: bytes) -> None:
    root = tmp_path / "shop"
    file = a_committed_file(root, content=b"a = 1\r\n", core_autocrlf="true")
    anchor = AnchoredFiles().anchor(str(root), str(root), "src/a.py")
    assert anchor.hash == blob(root) != git(root, "hash-object", "--no-filters", "src/a.py").strip()
    file.write_bytes(later)
    assert state(root, anchor) is FRESH
    file.write_bytes(b"a = 2\r\n")
    assert state(root, anchor) is CHANGED


def filtered(root: Path, version: str) -> Path:
    written(root, ".gitattributes", b"*.py filter=shout\n")
    a_repository(root)
    git(root, "config", "filter.shout.clean", "tr a-z A-Z")
    git(root, "config", "index.version", version)
    return a_committed_file(root)


@pytest.mark.parametrize("version", ["2", "4"])
def test_what_a_filter_makes_of_a_file_is_fresh_while_git_finds_it_clean(tmp_path: Path, version: str) -> None:
    root = tmp_path / "shop"
    file = filtered(root, version)
    anchor = Anchor("src/a.py", blob(root))
    assert anchor.hash != git(root, "hash-object", "--no-filters", "src/a.py").strip()
    assert state(root, anchor) is FRESH
    file.write_bytes(b"a = 2\n")
    assert state(root, anchor) is CHANGED
    git(root, "add", "-A")
    assert state(root, anchor) is CHANGED


@pytest.mark.parametrize("version", ["2", "4"])
def test_a_file_that_a_sparse_checkout_leaves_out_is_not_gone(tmp_path: Path, version: str) -> None:
    root = tmp_path / "shop"
    a_committed_file(root, index_version=version)
    written(root, "docs/b.md")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "more")
    anchor = Anchor("src/a.py", blob(root))
    git(root, "sparse-checkout", "set", "docs")
    assert not (root / "src").exists()
    assert state(root, anchor) is FRESH
    assert state(root, Anchor("src/a.py", "0" * 40)) is CHANGED
    assert state(root, Anchor("src/other.py", "0" * 40)) is GONE


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_a_large_file_is_not_read_but_looked_up_in_the_index(
    tmp_path: Path, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "shop"
    file = a_committed_file(root, index_version=version)
    written(root, "src/aa.py")
    git(root, "add", "-AN")  # an intent to add has flags of its own: version 3
    monkeypatch.setattr(anchors_module, "MAX_READ_BYTES", 3)
    anchor = Anchor("src/a.py", blob(root))
    assert state(root, anchor) is FRESH
    assert state(root, Anchor("src/a.py", "0" * 40)) is CHANGED
    os.utime(file, (LONG_AGO + 1, LONG_AGO + 1))
    assert state(root, anchor) is UNKNOWN  # the same size, and perhaps the same content
    file.write_bytes(b"longer than before\n")
    assert state(root, anchor) is CHANGED
    assert state(root, Anchor(str(written(root, "untracked.bin").name), "0" * 40)) is UNKNOWN


def test_a_file_that_git_saw_in_the_moment_it_wrote_its_index_is_read(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    filtered(root, "2")
    anchor = Anchor("src/a.py", blob(root))
    index = root / ".git/index"
    os.utime(index, (LONG_AGO, LONG_AGO))
    assert state(root, anchor) is CHANGED  # by its bytes; what git says of it is not sure


@pytest.mark.parametrize(
    "index", [b"", b"DIRC", b"DIRC\0\0\0\4\0\0\xff\xff" + b"\xff" * 70, b"DIRC\0\0\0\2\0\0\0\1" * 9]
)
def test_an_index_that_makes_no_sense_says_nothing(tmp_path: Path, index: bytes) -> None:
    root = tmp_path / "shop"
    a_committed_file(root)
    (root / ".git/index").write_bytes(index)
    assert state(root, MISSING) is CHANGED
    assert state(root, Anchor("src/b.py", "0" * 40)) is GONE


@pytest.fixture(scope="module", params=["2", "4"])
def an_index(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("index") / "shop"
    a_committed_file(root, index_version=request.param)
    return root / ".git/index"


@given(data=st.data())
def test_a_damaged_index_raises_nothing(an_index: Path, data: st.DataObject) -> None:
    whole = an_index.read_bytes()
    damaged = bytearray(whole[: data.draw(st.integers(0, len(whole)))])
    for at in data.draw(st.lists(st.integers(0, max(0, len(damaged) - 1)), max_size=4)):
        if damaged:
            damaged[at] = data.draw(st.integers(0, 255))
    broken = an_index.with_name("broken")
    broken.write_bytes(damaged)
    for digits in (40, 64):
        git_index.read_entries(broken, ["src/a.py", "a.py", "src/b.py"], digits)
        git_index.paths_by_id(broken, ["0" * digits, sha1(b"blob 6\x00a = 1\n").hexdigest()])
    assert set(git_index.read_entries(an_index, ["src/a.py", "a.py", "src/b.py"], 40)) == {"src/a.py"}


def test_no_more_is_kept_than_there_is_room_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_index, "MAX_CACHED", 3)
    monkeypatch.setattr(anchors_module, "SETTLED_NS", -(1 << 62))
    root, files = a_repository(tmp_path / "shop"), AnchoredFiles()
    for number in range(10):
        written(root, f"{number}.py")
        assert states(files, root, Anchor(f"{number}.py", "0" * 40)) == [CHANGED]
    assert (len(files._known), len(files._index._entries)) == (3, 3)


@covers("MEM-8")
@pytest.mark.parametrize("path", ["../secret", "link", "folder-link/secret", "/etc/passwd", "src/../../secret", "."])
def test_nothing_outside_of_the_project_is_read(tmp_path: Path, path: str) -> None:
    root = a_repository(tmp_path / "shop")
    secret = written(tmp_path, "secret")
    (root / "link").symlink_to(secret)
    (root / "folder-link").symlink_to(tmp_path)
    assert state(root, Anchor(path, "0" * 40)) is UNKNOWN
    assert AnchoredFiles().add_hash(str(root), Anchor(path)) == Anchor(path)
    with pytest.raises(InvalidValue, match="cannot be used"):
        AnchoredFiles().anchor(str(root), str(root), path)


def test_a_path_from_the_top_of_the_disk_is_no_file_of_the_folder_one_is_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, "a.py")
    monkeypatch.chdir(tmp_path)
    assert state(tmp_path, Anchor("/a.py", "0" * 40)) is UNKNOWN
    assert state(Path("/"), Anchor(str(tmp_path / "a.py").lstrip("/"), "0" * 40)) is CHANGED


def test_a_link_inside_of_the_project_stands_for_its_file(tmp_path: Path) -> None:
    root = a_repository(tmp_path / "shop")
    written(root)
    (root / "link").symlink_to("src/a.py")
    anchor = AnchoredFiles().anchor(str(root), str(root), "link")
    assert anchor.path == "src/a.py"
    assert state(root, Anchor("link", anchor.hash)) is FRESH


def test_pipes_folders_devices_and_circles_of_links_keep_nobody_waiting(tmp_path: Path) -> None:
    root = a_repository(tmp_path / "shop")
    os.mkfifo(root / "pipe")
    (root / "folder").mkdir()
    (root / "a").symlink_to("b")
    (root / "b").symlink_to("a")
    for path in ("pipe", "folder", "a", "x" * 400):
        assert state(root, Anchor(path, "0" * 40)) is UNKNOWN
        with pytest.raises(InvalidValue):
            AnchoredFiles().anchor(str(root), str(root), path)


def test_a_pipe_in_place_of_the_index_keeps_nobody_waiting(tmp_path: Path) -> None:
    root = a_repository(tmp_path / "shop")
    (root / ".git/index").unlink(missing_ok=True)
    os.mkfifo(root / ".git/index")
    assert state(root, MISSING) is GONE


@given(
    path=st.text(min_size=1, max_size=500).filter(str.isprintable), known=st.text(min_size=1).filter(str.isprintable)
)
def test_no_path_and_no_hash_raises(path: str, known: str) -> None:
    here = str(Path(__file__).parent)
    for given_hash in (known, "0" * 40):
        AnchoredFiles().check_files(here, [Anchor(path, given_hash)], asked=True)
    AnchoredFiles().add_hash(here, Anchor(path))


@pytest.mark.parametrize("path", ["no\x00thing", "x\udc80", "\ud800"])
def test_names_that_no_memory_can_have_are_refused_with_words(tmp_path: Path, path: str) -> None:
    with pytest.raises(InvalidValue):
        AnchoredFiles().anchor(str(tmp_path), str(tmp_path), path)


def test_a_name_that_is_no_utf_8_is_refused_with_words(tmp_path: Path) -> None:
    (tmp_path / "x\udc80").write_bytes(b"")
    with pytest.raises(InvalidValue, match="path of an anchor"):
        AnchoredFiles().anchor(str(tmp_path), str(tmp_path), "x\udc80")


def test_what_may_not_be_read_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As root every file can be read: the system call says no instead."""
    root = a_repository(tmp_path / "shop")
    written(root)

    def denied(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.open", denied)
    assert state(root, MISSING) is UNKNOWN
    with pytest.raises(InvalidValue, match=r"cannot be read: Permission denied\. Give another one"):
        AnchoredFiles().anchor(str(root), str(root), "src/a.py")


@pytest.mark.parametrize("known", [None, "4f1e", "Z" * 40, "0" * 41])
def test_without_a_whole_id_nothing_is_known(tmp_path: Path, known: str | None) -> None:
    written(tmp_path)
    assert state(tmp_path, Anchor("src/a.py", known)) is UNKNOWN


def test_in_a_project_that_is_not_there_nothing_is_gone(tmp_path: Path) -> None:
    assert state(tmp_path / "unmounted", MISSING) is UNKNOWN


def test_a_file_is_read_once_while_it_looks_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path)
    os.utime(file, (LONG_AGO, LONG_AGO))
    monkeypatch.setattr(anchors_module, "SETTLED_NS", -(1 << 62))
    files, anchor = AnchoredFiles(), AnchoredFiles().anchor(str(tmp_path), str(tmp_path), "src/a.py")
    assert states(files, tmp_path, anchor) == [FRESH]
    with monkeypatch.context() as context:
        context.setattr(anchors_module, "_read_file", lambda *_: pytest.fail("it was read again"))
        assert states(files, tmp_path, anchor) == [FRESH]
    file.write_bytes(b"a = 2\n")
    os.utime(file, (LONG_AGO, LONG_AGO))  # the time was put back: its change has a time of its own
    assert states(files, tmp_path, anchor) == [CHANGED]


def test_what_is_known_to_be_fresh_takes_no_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path)
    (tmp_path / "link.py").symlink_to(file)
    monkeypatch.setattr(anchors_module, "SETTLED_NS", -(1 << 62))
    files, anchor = AnchoredFiles(prompt_s=60), AnchoredFiles().anchor(str(tmp_path), str(tmp_path), "src/a.py")
    linked, unknown = Anchor("link.py", anchor.hash), Anchor("src/a.py", "4f1e")
    assert states(files, tmp_path, anchor, unknown, linked, asked=False) == [FRESH, UNKNOWN, FRESH]
    with monkeypatch.context() as context:
        context.setattr(threading, "Thread", lambda **_: pytest.fail("a thread was made"))
        assert states(files, tmp_path, anchor, unknown, asked=False) == [FRESH, UNKNOWN]
    file.unlink()
    assert states(files, tmp_path, anchor, unknown, asked=False) == [GONE, UNKNOWN]


def test_what_was_written_just_now_is_read_again(tmp_path: Path) -> None:
    files, file = AnchoredFiles(), written(tmp_path)
    anchor = AnchoredFiles().anchor(str(tmp_path), str(tmp_path), "src/a.py")
    for content, expected in ((b"a = 1\n", FRESH), (b"a = 2\n", CHANGED), (b"a = 1\n", FRESH)):
        file.write_bytes(content)
        assert states(files, tmp_path, anchor) == [expected]


@covers("MEM-8")
def test_a_prompt_does_not_wait_for_a_slow_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path)
    answers, reading = threading.Event(), anchors_module._read_file

    def slow(file: str, at_most: int) -> bytes:
        answers.wait(30)
        return reading(file, at_most)

    monkeypatch.setattr(anchors_module, "_read_file", slow)
    hasty, patient = AnchoredFiles(prompt_s=0.001), AnchoredFiles(prompt_s=30)
    for _ in range(2 * anchors_module.MAX_THREADS):  # a disk that hangs must not collect threads without end
        assert states(hasty, tmp_path, MISSING, asked=False) == [UNKNOWN]
    assert len([one for one in threading.enumerate() if one.name == "files"]) <= anchors_module.MAX_THREADS
    answers.set()
    assert states(patient, tmp_path, MISSING, asked=False) == [CHANGED]


def test_a_draft_of_a_known_folder_gets_the_hash_of_now(tmp_path: Path) -> None:
    written(tmp_path)
    whole = AnchoredFiles().anchor(str(tmp_path), str(tmp_path), "src/a.py")
    for path in ("src/a.py", "./src/a.py", str(tmp_path / "src/a.py")):
        assert AnchoredFiles().add_hash(str(tmp_path), Anchor(path)) == whole
    for other in (Anchor("src/a.py", "4f1e"), Anchor("src/b.py")):
        assert AnchoredFiles().add_hash(str(tmp_path), other) == other


def test_a_file_too_large_to_be_hashed_is_kept_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path)
    monkeypatch.setattr(anchors_module, "MAX_HASHED_BYTES", 3)
    assert AnchoredFiles().anchor(str(tmp_path), str(tmp_path), "src/a.py") == Anchor("src/a.py", None)
