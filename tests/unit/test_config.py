from pathlib import Path

import pytest

from recollect.config import MAX_SOCKET_PATH_BYTES, load, places
from recollect.domain.errors import InvalidSettings
from recollect.domain.memory import Kind
from recollect.domain.settings import Settings


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def test_without_file_and_environment_the_defaults_hold(file: Path) -> None:
    assert load(file, {}) == Settings()


def test_the_file_changes_what_it_names_and_the_environment_has_the_last_word(file: Path) -> None:
    file.write_text("[budgets]\nstart_tokens = 900\nturn_tokens = 300\n[kinds.threshold]\ndecision = 0.6\n")
    settings = load(file, {"RECOLLECT_BUDGETS__TURN_TOKENS": "250", "RECOLLECT_TURN__ENABLED": "no", "HOME": "/x"})
    assert (settings.budgets.start_tokens, settings.budgets.turn_tokens) == (900, 250)
    assert settings.kinds.threshold[Kind.DECISION] == 0.6
    assert settings.kinds.threshold[Kind.OUTCOME] == 0.55
    assert settings.turn.enabled is False


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[budget]\nx = 1", "no section 'budget'; did you mean 'budgets'?"),
        ("[budgets]\nstart_token = 1", "did you mean 'start_tokens'?"),
        ("[kinds.threshold]\ndecisions = 1", "did you mean 'decision'?"),
        ("[budgets]\nstart_tokens = 'many'", "budgets.start_tokens is a number"),
        ("[budgets]\nstart_tokens = 1.5", "whole number"),
        ("[budgets]\nstart_tokens = -1", "from 0 to 100,000"),
        ("[start]\ndecision_days = 99999999", "from 0 to 100,000"),
        ("[budgets]\nstart_tokens = true", "is a number"),
        ("[turn]\nenabled = 2", "true or false"),
        ("budgets = 3", "is a section"),
        ("[kinds]\nthreshold = 3", "table of kinds"),
        ("not toml", "cannot be read as TOML"),
    ],
)
def test_a_mistake_in_the_file_is_refused_with_its_place(file: Path, text: str, message: str) -> None:
    file.write_text(text)
    with pytest.raises(InvalidSettings, match=message) as refused:
        load(file, {})
    assert str(file) in str(refused.value)


def test_a_mistake_in_the_environment_is_refused_too(file: Path) -> None:
    with pytest.raises(InvalidSettings, match=r"the environment: .*did you mean 'turn_tokens'"):
        load(file, {"RECOLLECT_BUDGETS__TURN_TOKEN": "1"})


def test_places_follow_the_xdg_folders(tmp_path: Path) -> None:
    runtime = tmp_path / "run"
    runtime.mkdir()
    found = places({"HOME": "/h", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "relative", "XDG_RUNTIME_DIR": str(runtime)})
    assert found.database == Path("/d/recollect/recollect.db")
    assert found.settings == Path("/h/.config/recollect/config.toml")
    assert found.state == Path("/h/.local/state/recollect")
    assert found.socket == runtime / "recollect" / "daemon.sock"


def test_a_runtime_folder_that_does_not_exist_is_not_used() -> None:
    found = places({"HOME": "/h", "XDG_RUNTIME_DIR": "/nowhere/at/all"})
    assert found.socket == Path("/h/.local/state/recollect/daemon.sock")


def test_a_path_too_long_for_a_socket_moves_to_the_temporary_folder() -> None:
    found = places({"HOME": "/" + "h" * 90, "TMPDIR": "/t"})
    assert found.socket.parent.parent == Path("/t")
    assert len(str(found.socket)) <= MAX_SOCKET_PATH_BYTES
    assert found.socket != places({"HOME": "/" + "g" * 90, "TMPDIR": "/t"}).socket
