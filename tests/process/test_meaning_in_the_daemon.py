"""The daemon learns what is kept in the background, and answers by meaning from then on."""

import time
from pathlib import Path
from typing import Any

from recollect import wiring
from recollect.domain.settings import Settings
from tests.process.conftest import Home, taught
from tests.requirements import covers

PATIENCE_S = 30.0


def asked(home: Home, text: str, message: str, session: str = "s1") -> Any:
    return home.client.post(
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
        while engine.unembedded():
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
