"""All of it or nothing."""

from pathlib import Path

import pytest

from recollect.domain.errors import InstallError
from recollect.install import changes
from recollect.install.changes import Edit, diff_of, make


def an_edit(path: Path, after: bytes | None = b"new\n") -> Edit:
    return Edit(path=path, before=changes.content(path), after=after)


def some_edits(folder: Path) -> list[Edit]:
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
        make(edits)
    assert everything(tmp_path) == before
    if isinstance(fails, OSError):
        assert "No space left on device. Nothing was changed." in str(raised.value)


def test_all_of_it_is_made(tmp_path: Path) -> None:
    edits = some_edits(tmp_path)
    make(edits)
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
        make(edits)
    locked.chmod(0o755)
    assert "Nothing was changed." in str(refused.value)
    assert not (tmp_path / "first").exists()


def test_a_file_where_a_folder_should_be_is_said(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("")
    with pytest.raises(InstallError, match="is no folder"):
        make([an_edit(tmp_path / "config" / "file")])


def test_what_somebody_changes_meanwhile_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old\n")
    edits = [an_edit(tmp_path / "first"), an_edit(tmp_path / "file")]
    (tmp_path / "file").write_text("theirs\n")
    with pytest.raises(InstallError, match="meanwhile"):
        make(edits)
    assert everything(tmp_path) == {str(tmp_path / "file"): "theirs\n"}


def test_a_diff_shows_the_changed_lines_and_their_neighbours(tmp_path: Path) -> None:
    edit = Edit(path=Path("/a"), before=b"1\r\n2\r\n3\r\n", after=b"1\r\n3\r\n4\r\n")
    assert diff_of(edit) == ["--- /a", "+++ /a", "@@ -1,3 +1,3 @@", " 1", "-2", " 3", "+4"]
    assert diff_of(an_edit(tmp_path / "new"))[:2] == ["--- /dev/null", f"+++ {tmp_path / 'new'}"]
