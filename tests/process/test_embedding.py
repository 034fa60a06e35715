"""Vectors in bulk: import and `model embed` show how far they are, and what is done stays done."""

import json
import pty
import signal
import sqlite3
import subprocess
from pathlib import Path

import pytest

from tests.process.conftest import RECOLLECT, Home, all_shown, taught, without_styles

MANY = 500


@pytest.fixture
def facts(tmp_path: Path) -> Path:
    file = tmp_path / "facts.jsonl"
    file.write_text(
        "".join(json.dumps({"text": f"Fact {n} about how the ledger is kept."}) + "\n" for n in range(MANY))
    )
    return file


def waiting(home: Home) -> int:
    return int(home.json("model", "status")["waiting"]["memories"])


def interrupted(home: Home, *args: str) -> tuple[str, str]:
    """What a command prints that gets Ctrl-C when it has embedded something."""
    process = subprocess.Popen(
        [RECOLLECT, *args], env=home.env, cwd=home.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "%" in line:
            break
    else:
        pytest.fail("it was done before it was interrupted")
    process.send_signal(signal.SIGINT)
    said, told = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in told
    return said, told


def test_an_import_is_embedded_at_once_or_left_to_the_background(
    home: Home, model_folder: Path, tmp_path: Path
) -> None:
    home = home.with_model(model_folder)
    file = tmp_path / "two.jsonl"
    file.write_text('{"text": "Deployments go through Helm."}\n{"text": "The cat sleeps."}\n')
    done = home.recollect("import", str(file), "--no-embed")
    assert (done.stdout, done.stderr) == (b"2 new, 0 known already, 0 lines refused.\n", b"")
    assert waiting(home) == 2
    home.said("undo")
    assert home.json("import", str(file))["new"] == 2
    assert waiting(home) == 0
    home.said("import", "-", "--dry-run", stdin=b'{"text": "Another."}')
    assert waiting(home) == 0


def test_an_import_that_is_interrupted_while_it_embeds_is_kept(home: Home, model_folder: Path, facts: Path) -> None:
    home = home.with_model(model_folder)
    said, told = interrupted(home, "import", str(facts))
    assert f"{MANY} new" in said
    assert "The import is stored. The daemon computes the remaining vectors" in told
    assert len(home.said("export").splitlines()) == MANY
    assert 0 < waiting(home) < MANY


def test_embedding_that_is_interrupted_keeps_what_is_done_and_goes_on_from_there(
    home: Home, model_folder: Path, facts: Path
) -> None:
    home.said("import", str(facts))
    home = home.with_model(model_folder)
    assert waiting(home) == MANY
    _, told = interrupted(home, "model", "embed")
    left = waiting(home)
    assert 0 < left < MANY
    assert f"{MANY - left} of {MANY} vectors are stored. The daemon computes the remaining vectors" in told
    assert home.json("model", "embed")["embedded"] == left
    assert waiting(home) == 0
    assert "Nothing to do" in home.said("model", "embed")
    assert home.json("doctor")["healthy"]


def test_a_terminal_gets_a_bar(home: Home, model_folder: Path, facts: Path) -> None:
    home.said("import", str(facts))
    home = home.with_model(model_folder)
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [RECOLLECT, "model", "embed"],
        env=home.env | {"TERM": "xterm", "COLUMNS": "80"},
        cwd=home.path,
        stdout=subprocess.PIPE,
        stderr=follower,
    )
    shown = all_shown(leader, follower)
    said, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "Embedding" in without_styles(shown.decode())
    assert f"/{MANY}" in without_styles(shown.decode())
    assert said.decode() == f"{MANY} texts embedded; all memories and turns are found by meaning now.\n"


def test_without_a_model_it_says_what_to_do_and_nothing_is_embedded(home: Home) -> None:
    taught(home)
    done = home.recollect("model", "embed")
    assert done.returncode == 3
    assert b"Build it with `recollect model build`. Until then, search uses words only." in done.stdout
    answer = home.recollect("model", "embed", "--json")
    assert (answer.returncode, json.loads(answer.stdout)["embedded"]) == (3, 0)
    assert home.said("import", "-", stdin=b'{"text": "By words."}').startswith("1 new")
    status = json.loads(home.recollect("model", "status", "--json").stdout)
    assert (status["waiting"], status["vectors_of"]) == ({"memories": 2, "turns": 0}, None)


def test_the_status_says_how_much_waits_and_whose_vectors_there_are(home: Home, model_folder: Path) -> None:
    home = home.with_model(model_folder)
    assert "0 memories and 0 turns without a vector" in home.said("model", "status")
    assert not home.places.database.exists(), "who only looks writes nothing"
    taught(home)
    assert "1 memory and 0 turns without a vector" in home.said("model", "status")
    assert home.said("model", "embed").startswith("1 text embedded")
    status = home.json("model", "status")
    assert status["vectors_of"] == status["id"]
    with sqlite3.connect(home.places.database) as connection:
        connection.execute("UPDATE embedding SET model = 'another-model'")
    connection.close()
    said = home.said("model", "status")
    assert "1 memory and 0 turns without a vector" in said
    assert "the stored ones are from another-model: they are not used and will be replaced" in said
    assert home.json("model", "embed")["embedded"] == 1
    assert home.json("model", "status")["vectors_of"] == status["id"]


def test_a_database_that_cannot_be_read_does_not_hide_the_state_of_the_model(home: Home, model_folder: Path) -> None:
    home = home.with_model(model_folder)
    home.places.database.parent.mkdir(parents=True)
    home.places.database.write_text("no database " * 100)
    assert "unknown: " in home.said("model", "status")
    assert home.json("model", "status")["waiting"] is None
