import logging

import pytest

from recollect.domain.settings import Settings
from recollect.engine.engine import Engine
from recollect.store.sqlite.store import SqliteStore
from recollect.workspace import git
from tests.served import post

PROMPT = {
    "hook": "chat.message",
    "sessionID": "s1",
    "messageID": "m1",
    "directory": "/",
    "parts": [{"type": "text", "text": "How do we deploy with Helm?"}],
}


SAID = "We deploy with Helm."


def a_clock_with_a_bug() -> float:
    raise KeyError(SAID)


def test_a_bug_is_answered_and_logged_without_what_was_said(caplog: pytest.LogCaptureFixture) -> None:
    store = SqliteStore(None)
    with caplog.at_level(logging.INFO, logger="recollect.daemon"):
        status, answer = post(
            Engine(store, lambda _: Settings(), git, a_clock_with_a_bug), "/v1/hosts/opencode", PROMPT
        )
    store.close()
    assert status == 500
    assert answer["error"]["code"] == "internal"
    assert "KeyError" in answer["error"]["message"]
    assert "KeyError" in caplog.text
    assert "a_clock_with_a_bug" in caplog.text
    assert "Helm" not in caplog.text
    assert "Helm" not in answer["error"]["message"]
