import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from recollect.daemon import settings as followed
from recollect.daemon.settings import LiveSettings
from recollect.domain.errors import InvalidSettings
from recollect.domain.settings import Settings


@pytest.fixture
def user(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder / ".recollect.toml"


def turn_tokens(settings: LiveSettings, file: Path | None = None) -> int:
    return settings(None if file is None else str(file.parent)).budgets.turn_tokens


def write(path: Path, turn_tokens: object) -> None:
    """As an editor saves: a new file in place of the old one."""
    new = path.with_suffix(".new")
    new.write_text(f"[budgets]\nturn_tokens = {turn_tokens}\n")
    new.replace(path)


def test_without_files_everybody_has_the_defaults(user: Path, project: Path) -> None:
    settings = LiveSettings(user, {})
    assert settings(None) == settings(str(project.parent)) == settings("/a\x00b") == settings("gone") == Settings()


def test_a_file_that_comes_changes_and_goes_is_followed(user: Path, project: Path) -> None:
    settings = LiveSettings(user, {})
    write(user, 111)
    assert (turn_tokens(settings), turn_tokens(settings, project)) == (111, 111)
    write(project, 222)
    assert (turn_tokens(settings), turn_tokens(settings, project)) == (111, 222)
    write(project, 333)
    assert turn_tokens(settings, project) == 333
    project.unlink()
    assert turn_tokens(settings, project) == 111
    user.unlink()
    assert turn_tokens(settings, project) == 800


def test_each_project_has_its_own(user: Path, project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / ".recollect.toml"
    other.parent.mkdir()
    write(project, 222)
    write(other, 333)
    settings = LiveSettings(user, {"RECOLLECT_BUDGETS__START_TOKENS": "50"})
    assert (turn_tokens(settings, project), turn_tokens(settings, other), turn_tokens(settings)) == (222, 333, 800)
    assert {settings(str(file.parent)).budgets.start_tokens for file in (project, other, user)} == {50}


def test_a_file_that_did_not_change_is_not_read_again(user: Path, project: Path) -> None:
    write(project, 222)
    settings = LiveSettings(user, {})
    before = settings(str(project.parent))
    assert settings(str(project.parent)) is before
    facts = project.stat()
    project.write_text("[budgets]\nturn_tokens = 333\n")
    os.utime(project, ns=(facts.st_atime_ns, facts.st_mtime_ns))  # the same file, size and time: nobody can tell
    assert settings(str(project.parent)) is before


def test_a_mistake_in_a_projects_file_leaves_the_users_settings_and_is_said_once(
    user: Path, project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = LiveSettings(user, {})
    write(user, 111)
    write(project, 222)
    assert turn_tokens(settings, project) == 222
    write(project, "'secret words'")
    assert [turn_tokens(settings, project) for _ in range(3)] == [111, 111, 111]
    write(user, 112)
    assert turn_tokens(settings, project) == 112
    (said,) = caplog.messages
    assert str(project) in said
    assert "secret" not in said
    write(project, "-1")
    assert turn_tokens(settings, project) == 112
    write(project, 223)
    assert turn_tokens(settings, project) == 223
    assert len(caplog.messages) == 2


def test_a_project_that_reaches_for_its_users_business_is_left_out(
    user: Path, project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    project.write_text("[daemon]\nidle_minutes = 0.001\n[turn]\nenabled = false\n")
    assert LiveSettings(user, {})(str(project.parent)) == Settings()
    assert len(caplog.messages) == 1


def test_a_mistake_in_the_users_file_is_refused_at_the_start_and_later_keeps_what_was_good(
    user: Path, project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(user, "'many'")
    with pytest.raises(InvalidSettings, match="'many'"):
        LiveSettings(user, {})
    write(user, 111)
    write(project, 222)
    settings = LiveSettings(user, {})
    write(user, "'secret words'")
    assert [(turn_tokens(settings), turn_tokens(settings, project)) for _ in range(3)] == [(111, 222)] * 3
    (said,) = caplog.messages
    assert "secret" not in said
    write(user, 113)
    assert turn_tokens(settings) == 113


def test_many_may_ask_at_once(user: Path, project: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(project, "'many'")
    settings = LiveSettings(user, {})
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: turn_tokens(settings, project), range(200)))
    assert answers == [800] * 200
    assert len(caplog.messages) == 1


def test_of_many_projects_only_the_last_ones_are_kept_and_each_has_its_settings(
    user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(followed, "MAX_PROJECTS", 5)
    settings = LiveSettings(user, {})
    files = [tmp_path / f"project-{number}" / ".recollect.toml" for number in range(20)]
    for number, file in enumerate(files):
        file.parent.mkdir()
        write(file, 100 + number)
    for _ in range(2):
        assert [turn_tokens(settings, file) for file in files] == [100 + number for number in range(20)]
    assert len(settings._projects) == len(settings._merged) == 5
