from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from recollect import paths
from recollect.domain.errors import InvalidSettings
from recollect.paths import MAX_SOCKET_PATH_BYTES, find_paths, find_project_file, has_settings
from tests.mounts import needs_mounts, read_only


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / ".recollect.toml"


def test_the_projects_file_is_found_from_every_folder_that_can_be_looked_into(tmp_path: Path, project: Path) -> None:
    inside = tmp_path / "src" / "deep"
    inside.mkdir(parents=True)
    (tmp_path / "link").symlink_to(inside)
    assert find_project_file(str(inside)) is None
    project.touch()
    assert find_project_file(str(inside)) == find_project_file(str(tmp_path / "link")) == project.resolve()
    for unusable in ("/a\x00b", "/" + "x" * 5000):
        assert find_project_file(unusable) is None


def test_places_follow_the_xdg_folders(tmp_path: Path) -> None:
    runtime = tmp_path / "run"
    runtime.mkdir()
    found = find_paths(
        {"HOME": "/h", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "relative", "XDG_RUNTIME_DIR": str(runtime)}
    )
    assert found.database == Path("/d/recollect/recollect.db")
    assert found.settings == Path("/h/.config/recollect/config.toml")
    assert found.state == Path("/h/.local/state/recollect")
    assert found.socket == runtime / "recollect" / "daemon.sock"


def test_a_runtime_folder_that_does_not_exist_is_not_used(short_folder: Path) -> None:
    found = find_paths({"HOME": str(short_folder), "XDG_RUNTIME_DIR": "/nowhere/at/all"})
    assert found.socket == short_folder / ".local/state/recollect/daemon.sock"
    assert found.log.parent == found.token.parent == found.state


@needs_mounts
def test_what_cannot_be_written_moves_to_the_temporary_folder(short_folder: Path) -> None:
    home, runtime = short_folder / "home", short_folder / "run"
    for folder in (home, runtime):
        folder.mkdir()
    alone = {"HOME": str(home), "TMPDIR": "/t"}
    both = alone | {"XDG_RUNTIME_DIR": str(runtime)}
    with read_only(home):
        found = find_paths(alone)
        assert found.runtime.parent == Path("/t")
        assert found.log.parent == found.token.parent == found.runtime
        assert found.state == home / ".local/state/recollect"
        assert find_paths(both).socket == runtime / "recollect/daemon.sock"
        assert find_paths(both).log == runtime / "recollect/daemon.log"
        with read_only(runtime):
            assert find_paths(both).runtime.parent == Path("/t")
            assert find_paths(both).runtime != found.runtime
    assert find_paths(alone).socket == home / ".local/state/recollect/daemon.sock"


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A path that has room for a socket's below it."""
    with TemporaryDirectory(prefix="r") as folder:
        yield Path(folder)


def test_a_path_too_long_for_a_socket_moves_to_the_temporary_folder() -> None:
    found = find_paths({"HOME": "/" + "h" * 90, "TMPDIR": "/t"})
    assert found.socket.parent.parent == Path("/t")
    assert len(str(found.socket)) <= MAX_SOCKET_PATH_BYTES
    assert found.socket != find_paths({"HOME": "/" + "g" * 90, "TMPDIR": "/t"}).socket


def test_the_model_lies_in_the_cache_or_where_a_variable_says(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path)}
    assert find_paths(env).model == tmp_path / ".cache/recollect/model"
    assert find_paths(env | {"RECOLLECT_MODEL": ""}).model == tmp_path / ".cache/recollect/model"
    assert find_paths(env | {"XDG_CACHE_HOME": "/cache"}).model == Path("/cache/recollect/model")
    named = find_paths(env | {"RECOLLECT_MODEL": "/models/mine"})
    assert (named.model, named.model_built) == (Path("/models/mine"), Path("/models/mine"))


def test_a_model_folder_that_depends_on_where_one_stands_is_refused() -> None:
    with pytest.raises(InvalidSettings, match="RECOLLECT_MODEL is 'models/mine'; it takes the whole path"):
        find_paths({"HOME": "/home/someone", "RECOLLECT_MODEL": "models/mine"})


def test_the_model_of_a_release_wheel_is_the_last_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packaged = tmp_path / "data"
    packaged.mkdir()
    monkeypatch.setattr(paths, "PACKAGED_MODEL", packaged)
    env = {"HOME": str(tmp_path)}
    assert find_paths(env).model == packaged
    assert find_paths(env).model_built == tmp_path / ".cache/recollect/model"
    assert find_paths(env | {"RECOLLECT_MODEL": "/none"}).model == Path("/none")
    find_paths(env).model_built.mkdir(parents=True)
    assert find_paths(env).model == find_paths(env).model_built


def test_settings_are_looked_for_in_files_and_variables(tmp_path: Path, project: Path) -> None:
    env = {"HOME": str(tmp_path), "RECOLLECT_MODEL": "/models/mine"}
    found, inside = find_paths(env), tmp_path / "src"
    inside.mkdir()
    assert not has_settings(found, str(inside), env)
    assert has_settings(found, str(inside), env | {"RECOLLECT_SEARCH__HITS": "1"})
    project.touch()
    assert has_settings(found, str(inside), env)
    assert not has_settings(found, None, env)
    found.settings.parent.mkdir(parents=True)
    found.settings.symlink_to("nowhere")  # reading it is an error, which must be reported
    assert has_settings(found, None, env)
