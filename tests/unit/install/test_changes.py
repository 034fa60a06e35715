"""All of it or nothing."""

import os
from pathlib import Path

import pytest

from recollect.domain.errors import InstallError
from recollect.install import changes
from recollect.install.changes import FileEdit, apply_edits, diff_of


def an_edit(path: Path, after: bytes | None = b"new\n") -> FileEdit:
    return FileEdit(path=path, before=changes.content(path), after=after)


def some_edits(folder: Path) -> list[FileEdit]:
    """One of each kind, in folders that are there and folders that are not."""
    (folder / "old").write_text("old\n")
    (folder / "gone").write_text("gone\n")
    (folder / "elsewhere").write_text("stays\n")
    (folder / "link").symlink_to("elsewhere")
    files = [an_edit(folder / "old"), an_edit(folder / "a" / "b" / "new")]
    return [*files, an_edit(folder / "gone", None), an_edit(folder / "link", None)]


def everything(folder: Path) -> dict[str, object]:
    return {
        str(path): path.readlink() if path.is_symlink() else path.is_file() and path.read_text()
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize("fails", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("after", [0, 1, 2])
def test_what_fails_half_way_is_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: BaseException, after: int
) -> None:
    edits = [*some_edits(tmp_path), an_edit(tmp_path / "z" / "last")]
    before, left, replace = everything(tmp_path), [after], Path.replace

    def fail(path: Path, to: Path) -> Path:
        left[0] -= 1
        if left[0] == -1:
            raise fails
        return replace(path, to)

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises((InstallError, KeyboardInterrupt)) as raised:
        apply_edits(edits)
    assert everything(tmp_path) == before
    if isinstance(fails, OSError):
        assert "No space left on device. Nothing was changed." in str(raised.value)


def test_all_of_it_is_made(tmp_path: Path) -> None:
    edits = some_edits(tmp_path)
    apply_edits(edits)
    assert [changes.content(edit.path) for edit in edits] == [b"new\n", b"new\n", None, None]
    assert [path.name for path in tmp_path.rglob(".recollect-*")] == []


@pytest.mark.parametrize(("what", "mode"), [("file", 0o444), ("folder", 0o555)])
def test_what_is_read_only_is_refused_before_anything_is_touched(tmp_path: Path, what: str, mode: int) -> None:
    locked = tmp_path / "locked"
    locked.mkdir()
    (locked / "file").write_text("old\n")
    edits = [an_edit(tmp_path / "first"), an_edit(locked / "file")]
    (locked / "file" if what == "file" else locked).chmod(mode)
    with pytest.raises(InstallError, match="read-only") as refused:
        apply_edits(edits)
    locked.chmod(0o755)
    assert "Nothing was changed." in str(refused.value)
    assert not (tmp_path / "first").exists()


def test_a_file_where_a_folder_should_be_is_said(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("")
    with pytest.raises(InstallError, match="is no folder"):
        apply_edits([an_edit(tmp_path / "config" / "file")])


def test_what_somebody_changes_meanwhile_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old\n")
    edits = [an_edit(tmp_path / "first"), an_edit(tmp_path / "file")]
    (tmp_path / "file").write_text("theirs\n")
    with pytest.raises(InstallError, match="meanwhile"):
        apply_edits(edits)
    assert everything(tmp_path) == {str(tmp_path / "file"): "theirs\n"}


def test_a_diff_shows_the_changed_lines_and_their_neighbours(tmp_path: Path) -> None:
    edit = FileEdit(path=Path("/a"), before=b"1\r\n2\r\n3\r\n", after=b"1\r\n3\r\n4\r\n")
    assert diff_of(edit) == ["--- /a", "+++ /a", "@@ -1,3 +1,3 @@", " 1", "-2", " 3", "+4"]
    assert diff_of(an_edit(tmp_path / "new"))[:2] == ["--- /dev/null", f"+++ {tmp_path / 'new'}"]


def test_what_another_process_wrote_is_not_undone(tmp_path: Path) -> None:
    """Two that install at the same time write the same: the one that is refused must not take it out again."""
    edits = [an_edit(tmp_path / "first"), an_edit(tmp_path / "second")]
    apply_edits([edits[1]])
    with pytest.raises(InstallError, match=r"meanwhile; try again\. Nothing was changed\."):
        apply_edits(edits)
    assert everything(tmp_path) == {str(tmp_path / "second"): "new\n"}


def test_what_cannot_be_put_back_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edits = [an_edit(tmp_path / "first"), an_edit(tmp_path / "second")]
    replace, unlink = Path.replace, Path.unlink

    def read_only(path: Path, to: Path) -> Path:
        if to.name == "second":
            raise OSError(30, "Read-only file system")
        return replace(path, to)

    def stays(path: Path, missing_ok: bool = False) -> None:
        if path.name == "first":
            raise OSError(30, "Read-only file system")
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "replace", read_only)
    monkeypatch.setattr(Path, "unlink", stays)
    with pytest.raises(InstallError, match=r"could not be put back: .*first") as raised:
        apply_edits(edits)
    assert "Nothing was changed" not in str(raised.value)


def test_one_installs_at_a_time_and_the_other_is_told(tmp_path: Path) -> None:
    with (
        changes.lock_installation(tmp_path / "state"),
        pytest.raises(InstallError, match="Another `recollect install`"),
        changes.lock_installation(tmp_path / "state", wait_s=0),
    ):
        pytest.fail("both were at work")
    with changes.lock_installation(tmp_path / "state", wait_s=0):
        assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700
        assert (tmp_path / "state" / changes.LOCK).stat().st_mode & 0o777 == 0o600


def test_a_file_keeps_its_other_names(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a longer old text\n")
    (tmp_path / "other").hardlink_to(tmp_path / "file")
    apply_edits([an_edit(tmp_path / "file")])
    assert (tmp_path / "other").read_text() == "new\n"
    assert (tmp_path / "other").samefile(tmp_path / "file")


def test_a_file_keeps_its_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.write_text("old\n")
    if os.geteuid() == 0:
        os.chown(file, 12345, 12346)
        apply_edits([an_edit(file)])
        assert (file.stat().st_uid, file.stat().st_gid) == (12345, 12346)
        file.write_text("old\n")

    node = file.stat().st_ino
    monkeypatch.setattr(changes, "_keeps_owner", lambda *_: False)
    apply_edits([an_edit(file)])
    assert (file.stat().st_ino, file.read_text()) == (
        node,
        "new\n",
    )  # where it may not be given away, it is overwritten
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("to", ["nowhere", "folder"])
def test_a_folder_that_is_a_link_to_nowhere_or_to_itself_is_said(tmp_path: Path, to: str) -> None:
    (tmp_path / "folder").symlink_to(tmp_path / to)
    with pytest.raises(InstallError, match="folder is a link that leads nowhere"):
        apply_edits([an_edit(tmp_path / "folder" / "in" / "file")])
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
