"""Links in the place of files that we write: what they lead to stays as it was, and it is said."""

from pathlib import Path

import pytest

from tests.process.conftest import Home, refused, taught
from tests.requirements import covers


@pytest.fixture
def precious(tmp_path: Path) -> Path:
    file = tmp_path / "precious"
    file.write_text("export PATH=$HOME/bin\n")
    return file


@covers("PRI-6")
def test_a_link_in_the_place_of_the_daemons_lock_is_refused(home: Home, precious: Path) -> None:
    home.places.lock.parent.mkdir(parents=True, mode=0o700)
    home.places.lock.symlink_to(precious)
    assert f"{home.places.lock} is a link" in refused(home, "start")
    assert precious.read_text() == "export PATH=$HOME/bin\n"


def test_a_link_in_the_place_of_the_log_leaves_the_daemon_without_one_and_is_said(home: Home, precious: Path) -> None:
    precious.chmod(0o644)
    home.places.log.parent.mkdir(parents=True, mode=0o700)
    home.places.log.symlink_to(precious)
    home.said("start")
    taught(home)
    assert (precious.read_text(), precious.stat().st_mode & 0o777) == ("export PATH=$HOME/bin\n", 0o644)
    noted = [(error["where"], error["code"]) for error in home.client.get("/v1/status")["last_errors"]]
    assert ("log", "it is a link; remove it") in noted  # beside a model that is missing


def test_a_link_in_a_repository_does_not_choose_where_a_name_is_written(home: Home, precious: Path) -> None:
    planted = home.path / "planted"
    planted.mkdir()
    (planted / ".recollect.toml").symlink_to(precious)
    precious.write_text("[budget]\n")
    done = home.recollect("project", "name", "shop", cwd=planted)
    assert done.returncode == 1
    assert b".recollect.toml" in done.stderr
    assert precious.read_text() == "[budget]\n"


def test_a_link_in_the_place_of_the_models_lock_is_refused(home: Home, precious: Path) -> None:
    home.places.model.parent.mkdir(parents=True)
    (home.places.model.parent / f".{home.places.model.name}.lock").symlink_to(precious)
    done = home.recollect("model", "build", "--wheel", str(precious))
    assert (done.returncode, b"Traceback" in done.stderr) == (1, False)
    assert precious.read_text() == "export PATH=$HOME/bin\n"
