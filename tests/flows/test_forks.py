"""A session that is resumed, or is a copy of another: what was shown is replayed, byte for byte."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from recollect.domain.event import InitialMessage, Prompt, SessionStarted, StartSource
from recollect.domain.injection import Moment
from recollect.domain.learning import Origin
from recollect.domain.memory import Kind, MessageId, SessionId
from recollect.store.sqlite.store import SqliteStore
from tests.builders import (
    NOW,
    OTHER_PROJECT,
    a_draft,
    a_failure,
    a_prompt,
    a_question,
    a_start,
    an_end,
    compacted,
)
from tests.driver import Engine
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


@covers("INJ-6", "PRI-4")
@pytest.mark.parametrize(
    "fields", [{"project": OTHER_PROJECT}, {"host": "opencode"}], ids=["another project", "another host"]
)
def test_who_says_to_be_the_fork_of_a_session_of_others_starts_as_a_new_one(
    told: Engine, fields: dict[str, Any]
) -> None:
    told.remember(a_draft("Staging is called aquarium.", kind=Kind.RULE))
    told.handle(a_prompt("What is staging called?", message="m9"))
    assert told.handle(a_fork(**fields)).block != told.handle(a_start()).block
    assert told.replay(SessionId("fork"), [MessageId("m1"), MessageId("m2"), MessageId("m9")]) == {}
    assert told.replay_tools(SessionId("fork"), [MessageId("t1")]) == {}


@covers("INJ-6")
def test_what_an_agent_was_answered_is_known_to_a_fork_too(told: Engine) -> None:
    assert told.handle(a_question("invoices queue")).ids
    told.handle(a_fork({"m1": "f1", "m2": "f2"}))
    assert told.handle(a_prompt(POOL, session="fork", message="f3")).block == ""


@covers("INJ-6")
def test_a_fresh_session_starts_with_where_the_last_one_ended(told: Engine) -> None:
    told.handle(an_end("s1", "next: ship it"))
    assert "- open: ship it" in told.handle(a_start("s2")).block


@covers("SCO-9")
def test_a_copy_does_not_count_as_shown_again(told: Engine, store: SqliteStore) -> None:
    before = {memory.id: memory.use.shown for memory in store.everything()}
    told.handle(a_fork())
    assert {memory.id: memory.use.shown for memory in store.everything()} == before


@pytest.mark.parametrize("starts", ["told", "recognised"])
def test_what_a_fork_copied_is_counted_where_it_was_sent(timed: Engine, starts: str) -> None:
    before = timed.log.usage()
    timed.handle(a_fork() if starts == "told" else a_copy(*ALL_HELD))
    assert timed.log.usage() == before
    assert timed.log.usage(SessionId("fork")) == []
    assert timed.handle(a_prompt(POOL, session="fork", message="f9", at=at(21))).block
    assert [(usage.point, usage.blocks) for usage in timed.log.usage(SessionId("fork"))] == [(Moment.PROMPT, 1)]


@pytest.mark.parametrize("starts", ["told", "recognised", "of nobody"])
def test_the_person_who_speaks_in_a_fork_is_the_user(timed: Engine, store: SqliteStore, starts: str) -> None:
    parent = SessionId("nobody") if starts == "of nobody" else SessionId("s1")
    timed.handle(a_copy(*ALL_HELD) if starts == "recognised" else a_fork(parent=parent))
    assert origin_of_a_prompt(timed, store, "fork") is Origin.USER


def test_whoever_goes_on_with_the_session_of_a_subagent_is_not_the_user(timed: Engine, store: SqliteStore) -> None:
    timed.handle(a_start("child", parent=SessionId("s1")))
    assert origin_of_a_prompt(engine_on(store), store, "child") is Origin.SUBAGENT
    assert origin_of_a_prompt(engine_on(store), store, "s1") is Origin.USER


def origin_of_a_prompt(engine: Engine, store: SqliteStore, session: str) -> Origin:
    """As it is written down, where the host does not say whose session it is."""
    engine.handle(a_prompt(POOL, session=session, message="f9", at=at(21)))
    (heard,) = [
        one
        for one in store.past_events(SessionId(session), limit=100, waiting=True)
        if isinstance(one, Prompt) and one.message == "f9"
    ]
    return heard.origin


# A host that copies messages under new names, keeps their times, and does not say of which session.
def at(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


@pytest.fixture
def timed(engine: Engine) -> Engine:
    """The session s1 was shown a start block, two turns, an error and an off-topic silence, each at its own time."""
    engine.remember(a_draft("Always use type hints.", kind=Kind.PREFERENCE))
    engine.remember(a_draft("Auth needs a token refresh.", days_old=90))
    engine.remember(a_draft("Helm deployment goes through staging.", days_old=90))
    engine.remember(a_draft("Invoices use the slow queue.", days_old=90))
    engine.remember(a_fix())
    engine.handle(a_start())
    engine.handle(a_prompt(AUTH, message="m1", at=at(1)))
    engine.handle(a_failure(FAILED, message="t1", call="c1", at=at(3)))
    engine.handle(a_prompt("Thanks!", message="m2", at=at(5)))
    engine.handle(a_prompt(HELM, message="m3", at=at(7)))
    engine.remember(a_draft("Never use globals.", kind=Kind.PREFERENCE))
    return engine


def held(message: str, seconds: float, **calls: float) -> InitialMessage:
    return InitialMessage(
        message=MessageId(message), at=at(seconds), calls={call: at(moment) for call, moment in calls.items()}
    )


ALL_HELD = (held("f1", 1), held("a1", 2, c1=3), held("f2", 5), held("a2", 6), held("f3", 7), held("a3", 8))


def a_copy(*holds: InitialMessage, session: str = "fork", **fields: Any) -> SessionStarted:
    return a_start(session, holds=holds, at=at(20), **fields)


@covers("INJ-6")
def test_a_fork_is_known_by_the_times_of_its_messages(timed: Engine) -> None:
    start = timed.handle(a_start()).block
    assert timed.handle(a_copy(*ALL_HELD)).block == start
    assert blocks(timed, "fork", "f1", "f2", "f3") == blocks(timed, "s1", "m1", "m2", "m3")
    parents = timed.replay_tools(SessionId("s1"), [MessageId("t1")])[MessageId("t1")]
    assert timed.replay_tools(SessionId("fork"), [MessageId("a1")]) == {"a1": parents}
    assert "c1" in parents
    assert timed.handle(a_prompt(AUTH, session="fork", message="f4", at=at(21))).block == ""
    assert timed.handle(a_prompt(POOL, session="fork", message="f5", at=at(22))).block


@covers("INJ-6", "INJ-5")
def test_a_fork_has_only_what_its_own_messages_carry(timed: Engine) -> None:
    timed.handle(a_copy(*ALL_HELD[:2]))
    assert timed.replay(SessionId("fork"), [MessageId("f1"), MessageId("f3")]).keys() == {"f1"}
    assert timed.handle(a_prompt(HELM, session="fork", message="f4", at=at(21))).block, "its model never saw m3"


@covers("INJ-6")
def test_a_session_of_which_the_start_was_told_before_its_messages_came_is_a_fork_too(timed: Engine) -> None:
    start = timed.handle(a_start()).block
    first = timed.handle(a_start("fork", at=at(19))).block
    assert first != start
    assert timed.handle(a_copy(*ALL_HELD)).block == start
    assert timed.handle(a_start("fork", at=at(30))).block == start


@covers("INJ-6")
def test_a_session_that_was_sent_something_itself_is_no_fork(timed: Engine) -> None:
    timed.handle(a_start("own", at=at(10)))
    own = timed.handle(a_prompt(POOL, session="own", message="o1", at=at(11))).block
    timed.handle(a_copy(*ALL_HELD, held("o1", 11), session="own"))
    assert timed.replay(SessionId("own"), [MessageId("o1"), MessageId("f1")]) == {"o1": own}


@pytest.mark.parametrize(
    "fields", [{"project": OTHER_PROJECT}, {"host": "opencode"}], ids=["another project", "another host"]
)
@covers("INJ-6")
def test_only_sessions_of_the_same_host_and_project_are_copied(timed: Engine, fields: dict[str, Any]) -> None:
    timed.handle(a_copy(*ALL_HELD, **fields))
    assert timed.replay(SessionId("fork"), [MessageId("f1")]) == {}


@covers("INJ-6")
def test_times_that_nobody_was_sent_anything_at_say_nothing(timed: Engine) -> None:
    block = timed.handle(a_copy(held("f1", 1.001), held("a1", 2, c2=3))).block
    assert "globals" in block
    assert timed.replay(SessionId("fork"), [MessageId("f1")]) == {}


@covers("INJ-6")
def test_of_two_that_fit_the_one_with_more_of_the_messages_is_the_parent(timed: Engine) -> None:
    timed.handle(a_start("other", at=at(6)))
    other = timed.handle(a_prompt(POOL, session="other", message="o1", at=at(7))).block
    timed.handle(a_copy(*ALL_HELD))
    assert blocks(timed, "fork", "f3") == blocks(timed, "s1", "m3") != [other]


@covers("INJ-6")
def test_a_fork_of_a_fork_carries_the_same_bytes(timed: Engine) -> None:
    timed.handle(a_copy(*ALL_HELD))
    own = timed.handle(a_prompt(POOL, session="fork", message="f4", at=at(21))).block
    start = timed.handle(a_copy(held("g1", 1), held("g4", 21), session="second")).block
    assert start == timed.handle(a_start()).block
    assert blocks(timed, "second", "g1", "g4") == [*blocks(timed, "s1", "m1"), own]


@covers("INJ-6", "INJ-5")
def test_a_fork_from_before_a_compaction_is_in_the_context_of_then(timed: Engine) -> None:
    start = timed.handle(a_start()).block
    timed.handle(compacted(at=at(9)))
    later = timed.handle(a_start(source=StartSource.COMPACT, at=at(10))).block
    timed.handle(a_prompt(HELM, message="m4", at=at(11)))
    assert later != start
    assert timed.handle(a_copy(*ALL_HELD[:2])).block == start
    assert timed.handle(a_prompt(AUTH, session="fork", message="f9", at=at(22))).block == ""
    assert timed.handle(a_copy(held("h4", 11), session="after")).block == later
    assert timed.handle(a_prompt(AUTH, session="after", message="h9", at=at(23))).block, "the compaction took it"


@covers("INJ-6")
def test_who_wanted_to_be_left_alone_is_left_alone_in_the_copy_too(timed: Engine) -> None:
    timed.handle(a_start(recalls=False, at=at(10)))
    timed.handle(a_copy(*ALL_HELD))
    assert timed.handle(a_prompt(POOL, session="fork", message="f4", at=at(21))).block == ""


@covers("INJ-6")
def test_a_start_that_is_told_twice_copies_once(timed: Engine, store: SqliteStore) -> None:
    first = timed.handle(a_copy(*ALL_HELD)).block
    log = store.log_of(SessionId("fork"))
    assert timed.handle(a_copy(*ALL_HELD)).block == first
    assert store.log_of(SessionId("fork")) == log


@covers("SCO-9")
def test_a_copy_that_was_recognised_does_not_count_as_shown_again(timed: Engine, store: SqliteStore) -> None:
    before = {memory.id: memory.use.shown for memory in store.everything()}
    timed.handle(a_copy(*ALL_HELD))
    assert {memory.id: memory.use.shown for memory in store.everything()} == before


def test_what_the_parent_said_is_not_quoted_in_the_copy(timed: Engine, store: SqliteStore) -> None:
    timed.handle(a_copy(*ALL_HELD))
    session = store.session(SessionId("fork"))
    assert session is not None
    assert session.parent == "s1"
