import logging

import pytest
from starlette.testclient import TestClient

from recollect.daemon.app import create_app
from recollect.daemon.openapi import FAILURES, build_description
from recollect.domain.settings import Settings
from recollect.engine.engine import Engine
from recollect.store.sqlite.store import SqliteStore
from recollect.workspace import git
from tests.flows.conftest import engine_on
from tests.served import post, served

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


def test_the_description_says_which_answers_can_come_where() -> None:
    paths = build_description()["paths"]
    assert set(paths["/v1/recall"]["post"]["responses"]) == {"200", *FAILURES}
    assert set(paths["/v1/hello"]["get"]["responses"]) == {"200", "401", "403", "421", "431", "500"}


def test_a_path_that_is_not_there_and_a_method_that_is_not_taken_are_told_apart() -> None:
    store = SqliteStore(None)
    with TestClient(create_app(served(engine_on(store)))) as client:
        told = [
            client.get("/v1/nothing"),
            client.get("/v2"),
            client.post("/v1/hello"),
            client.get("/v1/recall"),
            client.post("/v1/nothing"),
        ]
    store.close()
    assert [(one.status_code, one.json()["error"]["code"]) for one in told] == [
        (404, "not_found"),
        (404, "not_found"),
        (405, "wrong_method"),
        (405, "wrong_method"),
        (404, "not_found"),
    ]
