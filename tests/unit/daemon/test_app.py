import logging
from dataclasses import replace

import pytest
from starlette.testclient import TestClient

from recollect.connection import CLIENT_HEADER, client_header
from recollect.daemon.app import create_app
from recollect.daemon.openapi import FAILURES, build_description
from recollect.domain.settings import Settings
from recollect.store.sqlite.store import SqliteStore
from recollect.workspace import git
from tests.driver import Engine
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


@pytest.mark.parametrize(
    ("path", "body", "answer"),
    [
        ("question", {}, {}),
        ("question", {"client": None, "session": None, "of_a_later_version": 1}, {}),
        ("question", {"client": 0}, "`client` must be the id of a process"),
        ("question", {"client": True}, "`client` must be a whole number. This takes `folder`, `session`, `working`"),
        ("question", {"working": "s"}, "`working` must be a list of texts"),
        ("question", {"host": "emacs"}, "There is no host 'emacs'"),
        ("question", {"host": None}, "`host` is missing or not a text"),
        ("answer", {"id": "q"}, "`text` is missing or not a text. This takes `id`, `text`, `tokens`, `folder`"),
        ("answer", {"id": "q", "text": "", "tokens": 1.5}, "`tokens` must be a whole number"),
        ("answer", {"id": "q", "text": "", "tokens": None, "host": "opencode"}, {"kept": 0}),
        ("sent", {"session": "s", "messages": ["m", "m/call"]}, {}),
        ("sent", {"session": "s"}, "`messages` must be a list of texts. This takes `session`, `messages`"),
        ("replay", {"session": "s", "messages": [""]}, "The id '' is not usable"),
        ("asking", {"session": "s", "folder": "shop"}, "The `folder` must be the absolute path"),
    ],
)
def test_a_plugin_s_request_is_read_by_its_contract(path: str, body: object, answer: object) -> None:
    store = SqliteStore(None)
    status, given = post(engine_on(store), f"/v1/{path}", body)
    store.close()
    if isinstance(answer, str):
        assert status == 400
        assert answer in given["error"]["message"]
    else:
        assert (status, given) == (200, answer)


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


def test_a_request_that_names_another_version_or_environment_is_refused_and_one_that_names_none_is_answered() -> None:
    store = SqliteStore(None)
    wanted = [None, client_header("here"), client_header("elsewhere"), "0.0.1 here"]
    with TestClient(create_app(replace(served(engine_on(store)), environment="here"))) as client:
        told = [
            client.post(path, json={"folder": "/"}, headers={} if name is None else {CLIENT_HEADER: name})
            for path in ("/v1/list", "/v1/wake")
            for name in wanted
        ]
    store.close()
    assert [one.status_code for one in told] == [200, 200, 412, 412] * 2
    assert told[-1].json()["error"]["code"] == "daemon_differs"
