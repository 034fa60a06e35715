"""A session that is resumed, or is a copy of another: what was shown is replayed, byte for byte."""

from typing import Any

import pytest

from recollect.domain.event import SessionStarted, StartSource
from recollect.domain.memory import Kind, MessageId, SessionId
from recollect.engine.engine import Engine
from recollect.store.sqlite.store import SqliteStore
from tests.builders import a_draft, a_failure, a_prompt, a_question, a_start, an_end, compacted
from tests.flows.conftest import engine_on
from tests.flows.test_tool_error import FAILED, a_fix
from tests.requirements import covers

AUTH, HELM, POOL = "Fix auth token handling", "How does the Helm deployment go?", "Which queue do the invoices use?"


@pytest.fixture
def told(engine: Engine) -> Engine:
    """The session s1 was shown a start block, two turns and an error."""
    engine.remember(a_draft("Always use type hints.", kind=Kind.PREFERENCE))
    engine.remember(a_draft("Auth needs a token refresh.", days_old=90))
    engine.remember(a_draft("Helm deployment goes through staging.", days_old=90))
    engine.remember(a_draft("Invoices use the slow queue.", days_old=90))
    engine.remember(a_fix())
    engine.handle(a_start())
    engine.handle(a_prompt(AUTH, message="m1"))
    engine.handle(a_failure(FAILED, message="t1", call="c1"))
    engine.handle(a_prompt(HELM, message="m2"))
    engine.remember(a_draft("Never use globals.", kind=Kind.PREFERENCE))
    return engine


def a_fork(copied: dict[str, str] | None = None, **fields: Any) -> SessionStarted:
    named = {MessageId(old): MessageId(new) for old, new in (copied or {}).items()}
    known: dict[str, Any] = {"source": StartSource.FORK, "parent": SessionId("s1"), "copied": named}
    return a_start("fork", **(known | fields))


def blocks(engine: Engine, session: str, *messages: str) -> list[str]:
    replayed = engine.replay(SessionId(session), list(map(MessageId, messages)))
    return [replayed[MessageId(message)] for message in messages]


@covers("INJ-6")
def test_a_resumed_session_replays_what_was_shown_and_shows_nothing_twice(told: Engine, store: SqliteStore) -> None:
    start, turns = told.handle(a_start()).block, blocks(told, "s1", "m1", "m2")
    told.handle(an_end("s1", "next: ship it"))
    engine = engine_on(store)
    assert engine.handle(a_start(source=StartSource.RESUME)).block == start
    assert blocks(engine, "s1", "m1", "m2") == turns
    assert engine.handle(a_prompt(AUTH, message="m3")).block == ""
    assert engine.handle(a_prompt(POOL, message="m4")).block


@covers("INJ-6")
def test_a_fork_under_the_same_ids_carries_the_same_bytes(told: Engine) -> None:
    start = told.handle(a_start()).block
    assert told.handle(a_fork()).block == start
    assert blocks(told, "fork", "m1", "m2") == blocks(told, "s1", "m1", "m2")
    assert told.replay_tools(SessionId("fork"), [MessageId("t1")]) == told.replay_tools(
        SessionId("s1"), [MessageId("t1")]
    )
    assert told.handle(a_prompt(AUTH, session="fork", message="m3")).block == ""
    assert told.handle(a_prompt(POOL, session="fork", message="m4")).block


@covers("INJ-6")
def test_a_fork_under_new_ids_carries_the_same_bytes(told: Engine) -> None:
    told.handle(a_fork({"m1": "f1", "t1": "f2", "m2": "f3"}))
    assert blocks(told, "fork", "f1", "f3") == blocks(told, "s1", "m1", "m2")
    assert told.handle(a_prompt(AUTH, session="fork", message="f1")).block == blocks(told, "s1", "m1")[0]
    assert told.handle(a_prompt(HELM, session="fork", message="f4")).block == ""


@covers("INJ-6", "INJ-5")
def test_a_fork_from_the_middle_has_what_was_sent_until_then(told: Engine) -> None:
    told.handle(a_fork({"m1": "f1"}))
    assert told.handle(a_prompt(AUTH, session="fork", message="f2")).block == ""
    assert told.handle(a_prompt(HELM, session="fork", message="f3")).block, "its model never saw m2"


@covers("INJ-6")
def test_what_a_fork_is_shown_later_is_its_own(told: Engine) -> None:
    told.handle(a_fork())
    assert told.handle(a_prompt(POOL, session="fork", message="m3")).block
    assert told.handle(a_prompt(POOL, session="s1", message="m3")).block
    told.handle(compacted("fork"))
    assert told.handle(a_prompt(AUTH, session="s1", message="m4")).block == ""
    assert told.handle(a_prompt(AUTH, session="fork", message="m4")).block


@covers("INJ-6", "INJ-5")
def test_a_fork_after_a_compaction_has_what_is_live_in_its_parent(told: Engine) -> None:
    old = blocks(told, "s1", "m1")
    told.handle(compacted())
    start = told.handle(a_start(source=StartSource.COMPACT)).block
    assert told.handle(a_prompt(HELM, message="m3")).block
    assert told.handle(a_fork()).block == start
    assert "globals" in start
    assert told.handle(a_prompt(HELM, session="fork", message="m4")).block == ""
    assert told.handle(a_prompt(AUTH, session="fork", message="m5")).block, "the compaction took it"
    assert blocks(told, "fork", "m1") == old, "a message that the host still has is replayed all the same"


@covers("INJ-6")
def test_a_fork_is_copied_once(told: Engine) -> None:
    start = told.handle(a_fork()).block
    told.handle(a_prompt(POOL, message="m3"))
    assert told.handle(a_fork()).block == start
    assert told.handle(a_prompt(POOL, session="fork", message="m9")).block, "it was shown to the parent later"


@covers("INJ-6")
@pytest.mark.parametrize("parent", [None, SessionId("nobody")])
def test_a_fork_of_an_unknown_session_starts_as_a_new_one(told: Engine, parent: SessionId | None) -> None:
    block = told.handle(a_fork(parent=parent)).block
    assert "globals" in block
    assert told.handle(a_prompt(AUTH, session="fork")).block


@covers("INJ-6")
def test_what_an_agent_was_answered_is_known_to_a_fork_too(told: Engine) -> None:
    assert told.handle(a_question("invoices queue")).ids
    told.handle(a_fork({"m1": "f1", "m2": "f2"}))
    assert told.handle(a_prompt(POOL, session="fork", message="f3")).block == ""


@covers("INJ-6")
def test_a_fresh_session_starts_with_the_codes_of_the_last_one(told: Engine) -> None:
    told.handle(an_end("s1", "next: ship it"))
    assert "next: ship it" in told.handle(a_start("s2")).block


@covers("SCO-9")
def test_a_copy_does_not_count_as_shown_again(told: Engine, store: SqliteStore) -> None:
    before = {memory.id: memory.use.shown for memory in store.everything()}
    told.handle(a_fork())
    assert {memory.id: memory.use.shown for memory in store.everything()} == before
