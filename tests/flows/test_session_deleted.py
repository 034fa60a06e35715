"""A session is deleted: what is known of it goes, down to the bytes, and what it has proven stays."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recollect.domain.changes import ChangeAction
from recollect.domain.errors import StoreError
from recollect.domain.event import Event, ToolSucceeded
from recollect.domain.health import Health
from recollect.domain.memory import Kind, MessageId, Role, SessionId, Source, Tier
from recollect.domain.session import Summary
from recollect.domain.settings import Settings, Start, StartStyle
from recollect.engine.learning import inbox
from recollect.store.sqlite.store import SqliteStore
from tests.builders import (
    NOW,
    OTHER_PROJECT,
    PROJECT,
    a_deletion,
    a_draft,
    a_failure,
    a_prompt,
    a_question,
    a_reply,
    a_start,
    an_end,
)
from tests.flows.conftest import engine_on
from tests.flows.on_disk import path, store
from tests.flows.test_learning import FINDING, RULE, learnt, lived
from tests.store.forgetting.victim import back_up, left_in

__all__ = ["path", "store"]  # fixtures

S1 = SessionId("s1")
ASIDE = "By the way, the quokka deployment lives behind the marmot proxy."
OPEN = "next: feed the numbatzq before the release"
PIECES = [b"quokka", b"marmot", b"numbatzq", b"connection pool in src/db/pool.py", b"wombatzq"]


def a_life(session: str = "s1") -> list[Event]:
    """It states a rule, which is confirmed, and finds something out, which waits; it ends with a note."""
    return [
        a_start(session),
        a_prompt(RULE, session=session, message="m1"),
        a_prompt(ASIDE, session=session, message="m2"),
        a_reply(FINDING, session=session, final=True),
        a_failure("wombatzq: command not found", session=session, message="t1", call="c1"),
        an_end(session, OPEN, summary=Summary(asked="move the quokka deployment", done=("it is half moved",))),
    ]


def rows_of(store: SqliteStore, session: SessionId = S1) -> dict[str, int]:
    with store._database.read() as connection:
        counted = {
            table: connection.execute(f"SELECT count(*) FROM {table} WHERE session = ?", (session,)).fetchone()[0]
            for table in ("injection", "turn", "inbox", "recap")
        }
        sessions = connection.execute("SELECT count(*) FROM session WHERE id = ?", (session,)).fetchone()[0]
    return {name: count for name, count in {**counted, "session": sessions}.items() if count}


def test_its_state_is_gone_and_its_confirmed_memories_stay(store: SqliteStore) -> None:
    engine = engine_on(store)
    lived(engine, *a_life())
    (rule,) = learnt(store, Tier.CONFIRMED)
    assert learnt(store, Tier.CANDIDATE)
    assert set(rows_of(store)) >= {"injection", "turn", "recap", "session"}

    engine.handle(a_deletion())

    assert rows_of(store) == {}
    assert learnt(store) == [rule]
    assert rule.source.session == S1, "where it was said stays known"
    assert engine.recall_turns("quokka deployment", PROJECT, limit=5) == []
    assert "numbatzq" not in engine.handle(a_start("s2")).block
    engine.tidy(NOW)
    assert [finding.health for finding in store.check()] == [Health.FINE]


def test_no_byte_of_it_is_left_in_any_file(store: SqliteStore, path: Path) -> None:
    engine = engine_on(store)
    lived(engine, *a_life())
    back_up(path, "schema-004-20260101T000000")
    assert {name for name, _ in left_in(path.parent, PIECES)} >= {"schema-004-20260101T000000.db"}
    engine.handle(a_deletion())
    assert engine.live.needs_tidying, "whoever deletes a session does not wait for the file to be written anew"
    engine.tidy(NOW)
    assert not engine.live.needs_tidying
    assert left_in(path.parent, PIECES) == set()
    assert left_in(path.parent, [b"pytest -q before you commit"]), "what it has proven is there"


def test_what_other_sessions_were_told_of_it_goes_too(store: SqliteStore, path: Path) -> None:
    engine = engine_on(store)
    lived(engine, *a_life())
    told = engine.handle(a_start("s2")).block
    assert "numbatzq" in told
    assert "quokka" in told
    quoted = engine.handle(a_prompt("Where does the quokka deployment live?", session="s2", message="m9")).block
    assert "marmot" in quoted
    engine.handle(a_deletion())
    left = engine.handle(a_start("s2")).block
    assert RULE in left
    assert "numbatzq" not in left
    engine.tidy(NOW)
    assert left_in(path.parent, [b"numbatzq", b"marmot"]) == set()


def test_what_waits_to_be_learnt_from_is_not_learnt(store: SqliteStore) -> None:
    engine = engine_on(store)
    for event in a_life():
        engine.handle(event)
    assert engine.store.count_waiting_events()
    engine.handle(a_deletion())
    assert engine.store.count_waiting_events() == 0
    while engine.learn_some():
        pass
    assert learnt(store) == []


def test_a_candidate_that_another_session_said_too_stays(store: SqliteStore) -> None:
    engine = engine_on(store)
    lived(engine, *a_life(), *a_life("s2"))
    both = learnt(store, Tier.CANDIDATE)
    assert any(memory.mentions for memory in both)
    engine.handle(a_deletion())
    assert [memory.text for memory in learnt(store, Tier.CANDIDATE)] == [m.text for m in both if m.mentions]


def test_what_another_session_is_and_was_told_stays(store: SqliteStore) -> None:
    engine = engine_on(store)
    engine.remember(a_draft("Auth needs a token refresh.", days_old=90))
    left = Summary(asked="move the quokka deployment", done=("it is half moved",))
    lived(engine, a_start("s0"), an_end("s0", "next: feed the numbatzq", summary=left))
    start = engine.handle(a_start("s2")).block
    assert "- open: feed the numbatzq" in start
    assert '- asked: "move the quokka deployment"' in start
    block = engine.handle(a_prompt("Fix auth token handling", session="s2", message="m1")).block
    lived(engine, a_start(), a_prompt(f"{ASIDE} Now feed the numbatzq.", message="m1"), an_end())
    engine.handle(a_deletion())
    assert engine.replay(SessionId("s2"), [MessageId("m1")]) == {"m1": block}
    assert engine.handle(a_start("s2")).block == start, "another session left this, in words that this one said too"
    assert set(rows_of(store, SessionId("s2"))) >= {"injection", "session"}


def test_what_the_sessions_of_another_project_were_told_stays(store: SqliteStore) -> None:
    engine = engine_on(store)
    lived(engine, a_start("p1", project=OTHER_PROJECT), an_end("p1", OPEN, project=OTHER_PROJECT))
    told = engine.handle(a_start("p2", project=OTHER_PROJECT)).block
    assert "numbatzq" in told
    lived(engine, *a_life())
    engine.handle(a_deletion())
    assert engine.handle(a_start("p2", project=OTHER_PROJECT)).block == told


def test_the_request_of_it_goes_too(store: SqliteStore) -> None:
    engine = engine_on(store, Settings(start=Start(style=StartStyle.FULL)))
    asked = "Please can you move the quokka deployment behind the marmot. It takes too long. And hurry, it is late."
    lived(engine, a_start(), an_end("s1", summary=Summary(asked=asked, files=("src/numbatzq/feeding.py",))))
    lived(engine, a_start("s0"), an_end("s0", summary=Summary(asked="count the wombatzq", done=("there are nine",))))
    told = engine.handle(a_start("s2")).block
    assert "quokka" in told
    engine.handle(a_deletion())
    left = engine.handle(a_start("s2")).block
    assert "wombatzq" in left
    assert "quokka" not in left
    assert "numbatzq" not in left


@pytest.mark.parametrize("late", [None, a_prompt(ASIDE, message="m9")], ids=["at once", "and a prompt after it"])
def test_nobody_deletes_the_session_of_another_host(store: SqliteStore, late: Event | None) -> None:
    engine = engine_on(store)
    lived(engine, *a_life())
    before, known = rows_of(store), learnt(store)
    engine.handle(replace(a_deletion(), host="opencode"))
    assert (rows_of(store), learnt(store)) == (before, known)
    if late is not None:
        engine.handle(late)
        assert rows_of(store)["inbox"], "what it says is heard"


@pytest.mark.parametrize(
    "late",
    [
        a_reply("The quokka is fed.", final=True),
        a_prompt(ASIDE, message="m7"),
        a_failure("quokka: command not found", message="t7", call="c7"),
        ToolSucceeded(session=S1, at=NOW, tool="bash", output="quokka", call="c8"),
        an_end("s1", OPEN),
    ],
    ids=lambda event: type(event).__name__,
)
def test_what_is_told_of_it_late_does_not_bring_it_back(store: SqliteStore, late: Event) -> None:
    engine = engine_on(store)
    lived(engine, *a_life())
    engine.handle(a_deletion())
    before = learnt(store)
    assert engine.handle(late).block == ""
    while engine.learn_some():
        pass
    assert set(rows_of(store)) <= {"session"}
    assert learnt(store) == before


def test_one_that_starts_again_is_a_new_one(store: SqliteStore) -> None:
    engine = engine_on(store)
    lived(engine, *a_life())
    first = engine.handle(a_start()).block
    engine.handle(a_deletion())
    engine.remember(a_draft("Never use globals.", kind=Kind.RULE))
    again = engine.handle(a_start()).block
    assert "globals" in again
    assert "globals" not in first
    assert engine.handle(a_prompt(ASIDE, message="m1")).kept
    assert set(rows_of(store)) == {"injection", "inbox", "session"}


def test_an_agent_that_still_asks_is_answered(store: SqliteStore) -> None:
    engine = engine_on(store)
    engine.remember(a_draft("Invoices use the slow queue."))
    engine.handle(a_start())
    engine.handle(a_deletion())
    assert engine.handle(a_question("invoices queue")).ids


def test_a_session_that_nobody_knows_is_nothing(store: SqliteStore) -> None:
    engine = engine_on(store)
    lived(engine, *a_life("s2"))
    before, deeds = learnt(store), engine.changes(limit=20)
    engine.handle(a_deletion("never"))
    engine.handle(a_deletion("never"))
    assert (learnt(store), engine.changes(limit=20)) == (before, deeds)
    assert rows_of(store, SessionId("never")) == {}


def test_told_twice_it_is_deleted_once(store: SqliteStore) -> None:
    engine = engine_on(store)
    lived(engine, *a_life())
    engine.handle(a_deletion())
    deeds = engine.changes(limit=20)
    engine.handle(a_deletion())
    assert engine.changes(limit=20) == deeds


def test_the_last_deed_of_a_person_can_be_undone_all_the_same(store: SqliteStore) -> None:
    engine = engine_on(store)
    lived(engine, *a_life())
    kept = engine.remember(a_draft("Never use globals.", kind=Kind.RULE)).memory
    engine.handle(a_deletion())
    assert engine.changes(limit=1)[0].kind is ChangeAction.PURGE
    assert [memory.id for memory in engine.undo(None, at=NOW, by="cli").removed] == [kept.id]


def test_a_wish_of_it_is_forgotten(store: SqliteStore) -> None:
    engine = engine_on(store)
    engine.handle(a_start())
    engine.handle(a_prompt("[no-capture] look at the quokka", message="m1"))
    engine.handle(a_deletion())
    lived(engine, a_start(), a_reply(FINDING, final=True), an_end())
    assert learnt(store), "the new one has no such wish"


def test_what_waits_in_memory_for_the_disk_goes_too(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = engine_on(store)
    engine.handle(a_start())
    engine.handle(a_start("s2"))
    with monkeypatch.context() as full:

        def put_event(_: Event) -> None:
            raise StoreError("The disk is full.")

        full.setattr(store, "put_event", put_event)
        assert not engine.handle(a_prompt(ASIDE, message="m1")).kept
        assert not engine.handle(a_prompt("Something else.", session="s2", message="m2")).kept
    assert len(engine.live.unwritten.events) == 2
    engine.handle(a_deletion())
    assert len(engine.live.unwritten.events) == 1
    inbox.write_waiting_events(engine.store, engine.live)
    assert rows_of(store).get("inbox") is None


def test_what_the_disk_refuses_while_it_is_deleted_goes_too(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = engine_on(store)
    engine.handle(a_start())
    begun, may_fail = threading.Event(), threading.Event()
    put_event = store.put_event

    def refuse(_: Event) -> None:
        monkeypatch.setattr(store, "put_event", put_event)
        begun.set()
        may_fail.wait(5)
        raise StoreError("The disk is full.")

    monkeypatch.setattr(store, "put_event", refuse)
    with ThreadPoolExecutor(2) as threads:
        threads.submit(engine.handle, a_prompt(ASIDE, message="m1"))
        assert begun.wait(5)
        deletion = threads.submit(engine.handle, a_deletion())
        while not engine.live.deleted.has(a_prompt(ASIDE)):
            pass
        may_fail.set()
        deletion.result(5)
    lived(engine, a_start(), a_reply("Hello again."))
    assert [turn.text for turn in store.turns_of(S1)] == ["Hello again."]


def test_a_candidate_of_which_it_is_the_only_source_is_purged_whatever_became_of_it(store: SqliteStore) -> None:
    engine = engine_on(store)
    source = Source(role=Role.ASSISTANT, session=S1)
    engine.handle(a_start())
    old = engine.remember(a_draft("The quokka sleeps.", tier=Tier.CANDIDATE, source=source)).memory
    engine.forget([old.id], at=NOW, by="cli")
    engine.handle(a_deletion())
    assert store.get(old.id) is None


def test_a_session_that_is_deleted_while_it_is_learnt_from_leaves_nothing_in_memory() -> None:
    class DeletesMeanwhile(SqliteStore):
        def past_events(self, session: SessionId, **how: Any) -> list[Event]:
            past = super().past_events(session, **how)
            if session == S1:
                engine.handle(a_deletion())
            return past

    store = DeletesMeanwhile(None)
    engine = engine_on(store)
    lived(engine, a_start(), a_prompt(ASIDE))
    lived(engine, a_start("s2"), a_prompt("Something else.", session="s2"))
    assert [session for session, _ in engine.live.learning.listeners] == ["s2"]
    store.close()


def test_a_file_that_cannot_be_written_anew_is_still_due(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = engine_on(store)
    lived(engine, a_start(), a_prompt(ASIDE))
    engine.handle(a_deletion())
    with monkeypatch.context() as busy:

        def scrub(_: object) -> bool:
            raise StoreError("The disk is busy.")

        busy.setattr(store, "scrub", scrub)
        with pytest.raises(StoreError):
            engine.tidy(NOW)
    assert engine.live.needs_tidying
    engine.tidy(NOW)
    assert not engine.live.needs_tidying


def test_an_engine_that_has_heard_nothing_deletes_too(store: SqliteStore) -> None:
    lived(engine_on(store), *a_life())
    engine_on(store).handle(a_deletion())
    assert rows_of(store) == {}
