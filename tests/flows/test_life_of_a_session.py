"""A whole session, moment by moment; and the same where nothing may be said, or nothing works."""

import logging
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from recollect.daemon import app
from recollect.domain.event import Event, ToolSucceeded
from recollect.domain.injection import Moment, Placement
from recollect.domain.memory import Kind, MemoryId, MessageId, Role, Sensitivity, SessionId, Source
from recollect.domain.settings import Settings, TurnSettings
from recollect.domain.vector import ModelId, Vector
from recollect.hosts import opencode
from recollect.store.sqlite.store import SqliteStore
from tests.builders import (
    NOW,
    OTHER_PROJECT,
    a_draft,
    a_failure,
    a_prompt,
    a_question,
    a_reply,
    a_start,
    an_end,
    compacted,
    compacting,
)
from tests.driver import Engine
from tests.flows.conftest import engine_on
from tests.flows.test_tool_error import FAILED, a_fix
from tests.requirements import covers
from tests.served import post
from tests.vectors import MODEL

ASK = "Fix auth token handling"


def a_life(session: str = "s1") -> list[Event]:
    done = ToolSucceeded(session=SessionId(session), at=NOW, tool="edit", input={"filePath": "auth.py"})
    return [
        a_start(session),
        a_prompt(ASK, session=session),
        done,
        a_failure(FAILED, session=session),
        a_question("auth token", session=session),
        a_reply("I refresh the token now.", session=session),
        compacting(session),
        compacted(session),
        an_end(session, "impl: tokens are refreshed"),
    ]


@covers("SCN-A5", "INJ-11")
def test_each_moment_answers_in_its_own_form(engine: Engine, store: SqliteStore) -> None:
    engine.remember(a_draft("Always use type hints.", kind=Kind.PREFERENCE))
    engine.remember(a_draft("Auth needs a token refresh.", days_old=90))
    engine.remember(a_draft("The auth token lies in a cookie.", days_old=90))
    engine.remember(a_fix())
    start, prompt, done, failure, question, reply, summary, after, end = map(engine.handle, a_life())
    assert [bool(answer.block) for answer in (start, prompt, failure, question, summary)] == [True] * 5
    assert [answer.block for answer in (done, reply, after, end)] == [""] * 4
    assert [answer.placement for answer in (start, prompt, failure, question, summary)] == [
        Placement.SYSTEM,
        Placement.MESSAGE,
        Placement.TOOL,
        Placement.ANSWER,
        Placement.SUMMARY,
    ]
    used = store.usage(SessionId("s1"))
    assert [usage.point for usage in used] == list(Moment)
    assert [usage.tokens for usage in used] == [a.tokens for a in (start, prompt, failure, summary, question)]
    assert all(0 < usage.tokens <= usage.budget_tokens for usage in used)
    for logged in store.log_of(SessionId("s1")):
        assert logged.took_ms > 0
        assert logged.injection.considered >= len(logged.injection.choices) > 0
        assert (logged.injection.relevance is not None) is bool(logged.injection.ids)


@covers("SCN-A5")
def test_moments_in_any_order_and_of_unknown_sessions_are_answered(engine: Engine) -> None:
    engine.remember(a_draft("Auth needs a token refresh."))
    for number, event in enumerate(reversed(a_life())):
        engine.handle(event)
        engine.handle(a_life(f"lone {number}")[number])


@covers("SCN-A11", "PRI-1", "PRI-2")
def test_what_is_restricted_of_another_session_or_a_secret_is_never_shown(store: SqliteStore) -> None:
    engine = engine_on(store)
    key = "AKIA" + "QWERTYUIOPASDFGH"
    others = Source(role=Role.USER, session=SessionId("other"))
    engine.remember(a_draft("Restricted: the auth token is zebra.", sensitivity=Sensitivity.RESTRICTED))
    engine.remember(a_draft("Only there: auth token zebra.", sensitivity=Sensitivity.SESSION, source=others))
    engine.remember(a_draft("In s9: auth token zebra.", scope="session:s9"))
    engine.remember(a_draft("Elsewhere: auth token zebra.", scope=f"project:{OTHER_PROJECT}"))
    engine.remember(a_draft(f"The auth token of staging is {key} and it works.", id=MemoryId("leaky")))
    engine.remember(a_fix(sensitivity=Sensitivity.RESTRICTED))
    engine.handle(an_end("before", f"next: try the auth token {key}"))
    life = a_life()
    answers = [engine.handle(event) for event in [*life, a_start("s2"), a_question(memory=MemoryId("leaky"))]]
    assert any(answer.ids == ("leaky",) for answer in answers)
    for answer in answers:
        assert "zebra" not in answer.block
        assert key not in answer.block
        assert "cursor" not in answer.block


class Host:
    """A host that says whatever event it is given."""

    def __init__(self, event: Event) -> None:
        self._event = event

    def normalise(self, _: dict[str, Any], __: datetime) -> Event:
        return self._event

    render = staticmethod(opencode.render)
    is_waited_for = staticmethod(opencode.is_waited_for)


def tell(monkeypatch: pytest.MonkeyPatch, engine: Engine, event: Event) -> tuple[int, dict[str, Any]]:
    monkeypatch.setitem(app.HOSTS, "any", Host(event))
    return post(engine, "/v1/hosts/any", {})


@pytest.fixture
def broken(tmp_path: Path) -> Engine:
    """Its database lies in a file that is none any more."""
    path = tmp_path / "data" / "recollect.db"
    store = SqliteStore(path)
    engine = engine_on(store)
    engine.remember(a_draft("Auth needs a token refresh."))
    store.close()
    return engine


@covers("SCN-E4", "INJ-10")
@pytest.mark.parametrize("number", range(9), ids=[type(event).__name__ for event in a_life()])
def test_where_the_store_raises_nothing_is_thrown_or_injected_and_one_line_logged(
    broken: Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, number: int
) -> None:
    with caplog.at_level(logging.INFO, logger="recollect"):
        status, answer = tell(monkeypatch, broken, a_life()[number])
    assert status >= 400
    assert set(answer) == {"error"}
    assert len(caplog.records) == 1
    assert "token" not in caplog.text


class BrokenModel:
    """Understands one question, then fails."""

    def __init__(self) -> None:
        self._calls = 0

    @property
    def model(self) -> ModelId:
        return MODEL

    def embed(self, text: str) -> Vector:
        raise RuntimeError(text)

    def knows(self, word: str) -> bool:
        return bool(word)

    def embed_question(self, text: str) -> Vector:
        self._calls += 1
        if self._calls > 1:
            raise TimeoutError(text)
        return Vector(bytes(4 * 384))


@covers("SCN-D4", "INJ-10")
def test_where_a_search_fails_the_turn_goes_on_and_what_was_sent_stays(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = engine_on(store, model=BrokenModel())
    engine.remember(a_draft("Auth needs a token refresh.", days_old=90))
    engine.remember(a_draft("Deployment runs through the Helm chart.", days_old=90))
    _, first = tell(monkeypatch, engine, a_prompt(ASK, message="m1"))
    status, second = tell(monkeypatch, engine, a_prompt("How does the Helm deployment go?", message="m2"))
    assert (status, "block" in second) == (500, False)
    assert first["block"]
    assert engine.replay(SessionId("s1"), [MessageId("m1"), MessageId("m2")]) == {"m1": first["block"]}
    _, again = tell(monkeypatch, engine, a_prompt(ASK, message="m1"))
    assert again == first


@covers("SCN-D6")
def test_with_turns_switched_off_there_is_the_start_block_only(store: SqliteStore) -> None:
    engine = engine_on(store, Settings(turn=TurnSettings(enabled=False)))
    engine.remember(a_draft("Always use type hints.", kind=Kind.PREFERENCE))
    engine.remember(a_draft("Auth needs a token refresh.", days_old=90))
    start = engine.handle(a_start()).block
    assert [engine.handle(a_prompt(ASK, message=f"m{n}")).block for n in range(3)] == [""] * 3
    assert engine.handle(a_start()).block == start != ""


def test_the_first_session_ever_welcomes_the_person_and_tells_the_model_nothing(engine: Engine) -> None:
    first = engine.handle(a_start())
    assert first.block == ""
    assert "no memories" in first.notice
    engine.remember(a_draft("Always use type hints.", kind=Kind.PREFERENCE))
    assert engine.handle(a_start("s2")).notice == ""


@covers("SCN-A5")
def test_a_subagent_inherits_project_and_language_and_is_shown_its_own(engine: Engine) -> None:
    engine.remember(a_draft("Wrap errors with %w.", kind=Kind.RULE, scope="language:go"))
    engine.remember(a_draft("Auth needs a token refresh.", days_old=90))
    engine.handle(a_start("parent", language="go"))
    assert engine.handle(a_prompt(ASK, session="parent")).ids
    child = engine.handle(a_start("child", project=None, parent=SessionId("parent")))
    assert "%w" in child.block
    assert "refresh" in engine.handle(a_prompt(ASK, session="child", project=None)).block
    assert engine.handle(a_prompt(ASK, session="child", message="m2", project=None)).block == ""


def test_a_subagent_of_an_unknown_session_stands_alone(engine: Engine) -> None:
    engine.remember(a_draft("Always use type hints.", kind=Kind.PREFERENCE))
    assert engine.handle(a_start("child", project=None, parent=SessionId("nobody"))).block == ""
