"""The daemon learns what is kept in the background, and answers by meaning from then on."""

import json
import shutil
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from recollect import wiring
from recollect.domain.settings import Settings
from recollect.embed.manifest import parse
from tests.process.conftest import Home, taught
from tests.requirements import covers

PATIENCE_S = 30.0


def asked(home: Home, text: str, message: str, session: str = "s1") -> Any:
    return home.post(
        "/v1/hosts/opencode",
        {
            "hook": "chat.message",
            "sessionID": session,
            "messageID": message,
            "directory": str(home.path),
            "parts": [{"type": "text", "text": text}],
        },
    )


def wait_until(home: Home, model: str) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while home.json("status")["model"] != model:
        assert time.monotonic() < give_up, home.json("status")
        time.sleep(0.05)


def wait_until_embedded(home: Home, folder: Path) -> None:
    model = wiring.Model(folder)
    give_up = time.monotonic() + PATIENCE_S
    with wiring.open_engine(lambda _: Settings(), home.places.database, model) as engine:
        embeds = model()
        assert embeds is not None
        while (missing := engine.store.count_missing_vectors(embeds.model)).memories or missing.turns:
            assert time.monotonic() < give_up
            time.sleep(0.05)


@covers("RET-3")
def test_what_is_taught_is_found_by_its_meaning_soon_after(home: Home, model_folder: Path) -> None:
    home = home.with_model(model_folder)
    taught(home, "Users sign in with a passkey; there are no passwords.", "--kind", "preference")
    home.said("start")
    assert home.json("status")["model"] == "not loaded yet"  # nobody has asked anything
    asked(home, "good morning, what is the plan for today?", "m1")
    wait_until(home, "loaded")
    wait_until_embedded(home, model_folder)
    answer = asked(home, "How does the login screen authenticate somebody without a password?", "m2", session="s2")
    assert "passkey" in answer["block"]


@covers("RET-3")
def test_what_is_taught_or_imported_beside_a_daemon_gets_its_meaning_without_an_agent(
    home: Home, model_folder: Path
) -> None:
    home = home.with_model(model_folder)
    home.said("start")
    home.said("list")
    assert home.json("status")["model"] == "not loaded yet", "who only looks needs no model"
    taught(home, "Users sign in with a passkey; there are no passwords.")
    wait_until_embedded(home, model_folder)
    lines = "".join(json.dumps({"text": f"Fact number {n} about the ledger."}) + "\n" for n in range(20))
    home.said("import", "--no-embed", "-", stdin=lines.encode())
    wait_until_embedded(home, model_folder)


@covers("RET-4")
def test_without_a_model_the_daemon_answers_by_words_and_says_so(home: Home) -> None:
    taught(home, "Deployments go through Helm charts.", "--kind", "decision")
    home.said("start")
    assert "Helm charts" in asked(home, "Where are the Helm charts of our deployments?", "m1")["block"]
    wait_until(home, "model_missing")
    assert "model missing" in home.said("status")


def test_a_model_that_is_built_later_is_found_by_a_running_daemon(home: Home, model_folder: Path) -> None:
    later = home.path / "later"
    home = home.with_model(later)
    taught(home, "Deployments go through Helm charts.", "--kind", "decision")
    home.said("start")
    asked(home, "good morning, what is the plan for today?", "m1")
    wait_until(home, "model_missing")
    later.symlink_to(model_folder)
    asked(home, "and what comes after that, later in the day?", "m2")
    wait_until(home, "loaded")


def test_nobody_is_called_and_nothing_is_written_beside_our_own_files(home: Home, model_folder: Path) -> None:
    """The run time of the model would leave a device id in the home folder, and tell its maker about it."""
    home = home.with_model(model_folder)
    taught(home, "Deployments go through Helm charts.")
    home.said("recall", "deployments")
    home.said("start")
    asked(home, "good morning, what is the plan for today?", "m1")
    wait_until(home, "loaded")
    ours = {".local", "proj"}
    assert {path.name for path in home.path.iterdir()} <= ours
    assert not list(home.path.rglob("*onnx*"))
    assert not list(home.path.rglob("*Microsoft*"))


def test_a_model_that_is_replaced_is_taken_over_and_the_vectors_are_made_once(home: Home, model_folder: Path) -> None:
    mine = home.path / "mine"
    shutil.copytree(model_folder, mine)
    home = home.with_model(mine)
    for n in range(40):
        taught(home, f"Fact number {n} about the ledger.")
    home.said("start")
    asked(home, "good morning, what is the plan for today?", "m1")
    wait_until_embedded(home, mine)
    other = with_another_tokenizer(mine)
    assert home.json("model", "embed")["embedded"] == 41, "and what was asked"
    asked(home, "and what comes after that, later in the day?", "m2")
    time.sleep(0.5)
    assert home.json("model", "status")["vectors_of"] == other
    assert home.json("model", "status")["waiting"] == {"memories": 0, "turns": 0}


def with_another_tokenizer(folder: Path) -> str:
    """The same model in other bytes, with a manifest that says so."""
    tokenizer = folder / "tokenizer.json"
    tokenizer.write_text(tokenizer.read_text() + "\n")
    manifest = json.loads((folder / "manifest.json").read_text())
    data = tokenizer.read_bytes()
    manifest["files"]["tokenizer.json"] = {"bytes": len(data), "sha256": sha256(data).hexdigest()}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return str(parse((folder / "manifest.json").read_bytes()).id)


@pytest.mark.parametrize("content", [b"garbage", b"{}", b""], ids=["no JSON", "an empty object", "nothing"])
def test_files_that_are_no_model_leave_search_to_the_words(home: Home, model_folder: Path, content: bytes) -> None:
    mine = home.path / "mine"
    shutil.copytree(model_folder, mine)
    home = home.with_model(mine)
    taught(home, "Deployments go through Helm charts.")
    (mine / "tokenizer.json").write_bytes(content)
    manifest = json.loads((mine / "manifest.json").read_text())
    manifest["files"]["tokenizer.json"] = {"bytes": len(content), "sha256": sha256(content).hexdigest()}
    (mine / "manifest.json").write_text(json.dumps(manifest))
    done = home.recollect("recall", "deployments")
    assert (done.returncode, b"Helm charts" in done.stdout) == (0, True)
    assert b"model build --force" in done.stderr
    home.said("start")
    asked(home, "good morning, what is the plan for today?", "m1")
    wait_until(home, "model_error")
    shutil.rmtree(mine)
    shutil.copytree(model_folder, mine)
    asked(home, "and what comes after that, later in the day?", "m2")
    wait_until(home, "loaded")
