"""Claude Code's name of a project is found again as a folder, or not guessed."""

from pathlib import Path

from recollect.workspace.claude_code import folder_of, name_of


def test_the_folder_that_is_there_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "my.work" / "shop-api"
    folder.mkdir(parents=True)
    assert folder_of(name_of(folder)) == folder


def test_what_is_not_there_or_could_be_several_is_not_guessed(tmp_path: Path) -> None:
    (tmp_path / "shop-api").mkdir()
    (tmp_path / "shop" / "api").mkdir(parents=True)
    assert folder_of(name_of(tmp_path / "shop" / "api")) is None
    assert folder_of(name_of(tmp_path / "nothing")) is None
    assert folder_of("no-path") is None
    assert folder_of("") is None
