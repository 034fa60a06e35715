"""Gone for good: neither a session that goes on, nor its transcript, nor a message told again brings it back."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect.capture.session import Listener
from recollect.domain.event import Event, InboxEntry, Prompt
from recollect.domain.health import Health
from recollect.domain.learning import Basis, Proposal
from recollect.domain.memory import Kind, MessageId, Role, Scope, ScopeLevel, SessionId, Tier
from recollect.domain.outcome import Hidden, Removal
from recollect.domain.session import Summary, Turn
from recollect.domain.settings import ForgetSettings, Settings
from recollect.domain.transcript import Mark
from recollect.engine.learning import backfill
from recollect.engine.learning.worker import extract_some
from recollect.store.sqlite.store import SqliteStore
from tests.builders import (
    NOW,
    OTHER_PROJECT,
    PROJECT,
    a_deletion,
    a_draft,
    a_failure,
    a_prompt,
    a_reply,
    a_start,
    a_turn,
    an_end,
)
from tests.driver import Engine
from tests.flows.conftest import engine_on
from tests.flows.on_disk import path, store
from tests.flows.test_learning import learnt, lived
from tests.requirements import covers
from tests.store.forgetting.victim import left_in

__all__ = ["path", "store"]  # fixtures

RULE = "Always use wobblezap in this project."
BEGINS: list[Event] = [
    a_start(),
    a_prompt(RULE),
    a_reply(f"Understood. {RULE}", message=MessageId("m2"), final=True),
]
GOES_ON: list[Event] = [
    a_prompt("Always run the linter before you commit.", message="m3"),
    a_reply("Done.", message=MessageId("m4"), final=True),
    an_end(),
]
FILE = Mark(source="a file", state="as it is")


def forget_rule(engine: Engine, store: SqliteStore) -> None:
    gone = [memory.id for memory in learnt(store) if "wobblezap" in memory.text]
    assert gone, "it was learnt"
    assert engine.forget_now(gone, at=NOW, by="cli").is_clean


def is_gone(engine: Engine, store: SqliteStore, path: Path) -> bool:
    """From what is kept, from what the next session is told, and from every file."""
    told = engine.handle(a_start("next")).block
    engine.tidy(NOW)
    assert [finding.health for finding in store.check()] == [Health.FINE]
    return "wobblezap" not in told and left_in(path.parent, [b"wobblezap"]) == set()


@pytest.mark.parametrize("by_another_process", [False, True])
@covers("PRI-7", "MEM-6")
def test_the_session_goes_on(store: SqliteStore, path: Path, by_another_process: bool) -> None:
    engine = engine_on(store)
    lived(engine, *BEGINS)
    other = SqliteStore(path) if by_another_process else store
    forget_rule(engine_on(other) if by_another_process else engine, other)
    if by_another_process:
        other.close()
    lived(engine, *GOES_ON)
    assert is_gone(engine, store, path)
    assert [memory.text for memory in learnt(store)] == ["Always run the linter before you commit."]


def test_the_undo_window_ends_while_the_session_goes_on(store: SqliteStore, path: Path) -> None:
    engine = engine_on(store)
    lived(engine, *BEGINS)
    engine.forget([memory.id for memory in learnt(store)], at=NOW, by="cli")
    engine.tidy(NOW + timedelta(days=2))
    lived(engine, *GOES_ON)
    assert is_gone(engine, store, path)


@pytest.mark.parametrize("what", ["memory", "project"])
def test_another_process_ends_the_undo_window_while_the_session_goes_on(
    store: SqliteStore, path: Path, what: str
) -> None:
    engine = engine_on(store)
    lived(engine, *BEGINS)
    other = SqliteStore(path)
    if what == "memory":
        engine_on(other).forget([memory.id for memory in learnt(store)], at=NOW, by="cli")
    else:
        engine_on(other).forget_project(PROJECT, at=NOW)
    engine_on(other).tidy(NOW + timedelta(days=2))
    other.close()
    lived(engine, *GOES_ON)
    assert is_gone(engine, store, path)


def test_forgotten_while_somebody_learns_from_the_next_message(
    store: SqliteStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = engine_on(store)
    lived(engine, *BEGINS)
    heard = Listener.hear

    def forgets_meanwhile(listener: Listener, event: Event) -> list[Proposal]:
        monkeypatch.setattr(Listener, "hear", heard)
        proposals = heard(listener, event)
        forget_rule(engine, store)
        return proposals

    monkeypatch.setattr(Listener, "hear", forgets_meanwhile)
    lived(engine, *GOES_ON)
    assert is_gone(engine, store, path)
    assert [memory.text for memory in learnt(store)] == ["Always run the linter before you commit."]


@pytest.mark.parametrize("ended", [False, True])
@covers("PRI-7", "MEM-6")
def test_a_host_tells_of_the_same_message_again(store: SqliteStore, path: Path, ended: bool) -> None:
    engine = engine_on(store)
    lived(engine, *BEGINS, *([an_end()] if ended else []))
    forget_rule(engine, store)
    lived(engine, *BEGINS[1:], *GOES_ON)
    engine.archive([a_turn(RULE, session="s1", message="m1"), a_turn("Hello there.", session="s1", message="m9")])
    assert engine.recall_turns("hello there", PROJECT, limit=1)
    assert is_gone(engine, store, path)
    assert [memory.text for memory in learnt(store)] == ["Always run the linter before you commit."]
    lived(engine, a_prompt(RULE, session="s2"))
    assert RULE in [memory.text for memory in learnt(store)], "said anew, it is new"


@pytest.mark.parametrize("state", ["as it is", "longer", "begins otherwise"])
@covers("PRI-7", "MEM-6", "IMP-1")
def test_its_transcript_is_read_again(store: SqliteStore, path: Path, state: str) -> None:
    engine = engine_on(store)
    failed = a_failure("wobblezap: command not found", call="c1", message=None)
    before: list[Event] = [*BEGINS, failed, an_end()]
    engine.backfill(FILE, lambda: before, now=NOW, project=PROJECT)
    forget_rule(engine, store)
    after = {
        "as it is": before,
        "longer": [*before[:-1], *GOES_ON],
        "begins otherwise": [BEGINS[0], a_prompt("Hello there.", message="m0"), *BEGINS[1:], *GOES_ON],
    }
    engine.backfill(replace(FILE, state=state), lambda: after[state], now=NOW, project=PROJECT)
    assert is_gone(engine, store, path)
    rules = [memory.text for memory in learnt(store, Tier.CONFIRMED)]
    assert rules == ([] if state == "as it is" else ["Always run the linter before you commit."])


def test_forgotten_while_the_events_that_wait_are_read(path: Path) -> None:
    longer = a_prompt(f"{RULE} Thank you.")

    class ForgetsMeanwhile(SqliteStore):
        def waiting_events(self, *, limit: int) -> list[InboxEntry]:
            waiting = super().waiting_events(limit=limit)
            if any(isinstance(entry.event, Prompt) and entry.event.text == longer.text for entry in waiting):
                forget_rule(engine, self)
            return waiting

    store = ForgetsMeanwhile(path)
    engine = engine_on(store)
    lived(engine, *BEGINS, longer, *GOES_ON)
    assert is_gone(engine, store, path)
    assert [memory.text for memory in learnt(store)] == ["Always run the linter before you commit."]
    store.close()


def test_forgotten_while_its_transcript_is_read(
    store: SqliteStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = engine_on(store)
    heard = Listener.hear
    unwanted: list[Event] = [
        a_prompt("[no-capture] Where is the quokka?", message="m5"),
        a_reply("The quokka sleeps.", message=MessageId("m6"), final=True),
    ]

    def forgets_meanwhile(listener: Listener, event: Event) -> list[Proposal]:
        if event == GOES_ON[0]:
            monkeypatch.setattr(Listener, "hear", heard)
            forget_rule(engine, store)
        return heard(listener, event)

    monkeypatch.setattr(Listener, "hear", forgets_meanwhile)
    monkeypatch.setattr(backfill, "BATCH_EVENTS", 4)  # the first ends between the prompt and its reply
    engine.backfill(FILE, lambda: [*BEGINS, *unwanted, *GOES_ON], now=NOW, project=PROJECT)
    assert is_gone(engine, store, path)
    assert [memory.text for memory in learnt(store)] == ["Always run the linter before you commit."]
    assert left_in(path.parent, [b"quokka"]) == set()


class Extractor:
    state: Any = None

    def propose(self, turns: Any) -> list[Proposal]:
        asked: list[Turn] = list(turns)
        return [
            Proposal(
                text=asked[0].text,
                kind=Kind.RULE,
                role=Role.USER,
                basis=Basis.MODEL,
                tier=Tier.CANDIDATE,
                level=ScopeLevel.PROJECT,
                durability=1.0,
            )
        ]


def test_forgotten_while_a_language_model_reads_it_and_a_request_learns(store: SqliteStore) -> None:
    class Slow(Extractor):
        def propose(self, turns: Any) -> list[Proposal]:
            forget_rule(engine, store)
            lived(engine, a_prompt("Hello there.", session="s2"))
            return super().propose(turns)

    engine = engine_on(store, extractor=Slow)
    lived(engine, *BEGINS, GOES_ON[0])
    assert extract_some(engine)
    assert not any("wobblezap" in memory.text for memory in learnt(store))


def test_an_exchange_that_waits_for_a_language_model_is_let_go(store: SqliteStore) -> None:
    engine = engine_on(store, extractor=Extractor)
    lived(engine, *BEGINS, GOES_ON[0])  # the next prompt ends the exchange
    forget_rule(engine, store)
    while extract_some(engine):
        pass
    assert not any("wobblezap" in memory.text for memory in learnt(store))


@covers("CAP-5")
def test_no_event_is_given_up_because_much_is_forgotten_while_it_is_learnt_from(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = engine_on(store)
    heard, times = Listener.hear, iter(range(9))

    def forgets_meanwhile(listener: Listener, event: Event) -> list[Proposal]:
        for _ in zip(range(1), times, strict=False):
            store.purge([engine.remember(a_draft("Something else.")).memory.id])
        return heard(listener, event)

    monkeypatch.setattr(Listener, "hear", forgets_meanwhile)
    lived(engine, *GOES_ON)
    assert [memory.text for memory in learnt(store)] == ["Always run the linter before you commit."]
    assert store.count_waiting_events() == 0


@pytest.mark.parametrize(("gone", "sent"), [("its project", 0), ("another session", 1)])
@covers("PRI-7")
def test_an_open_exchange_goes_with_its_project_but_not_with_another_session(
    store: SqliteStore, gone: str, sent: int
) -> None:
    asked: list[str] = []

    class Records(Extractor):
        def propose(self, turns: Any) -> list[Proposal]:
            asked.append(turns[0].text)
            return super().propose(turns)

    engine = engine_on(store, extractor=Records)
    lived(engine, a_start("s2"), a_prompt("Hello there.", session="s2"), *BEGINS)
    if gone == "its project":
        engine.forget_project(PROJECT, at=NOW)
    else:
        lived(engine, a_deletion("s2"))
    lived(engine, an_end())
    while extract_some(engine):
        pass
    assert asked == [RULE] * sent


def test_what_is_learnt_after_its_project_was_forgotten_does_not_outlive_it(store: SqliteStore, path: Path) -> None:
    engine = engine_on(store)
    for event in BEGINS:
        engine.handle(event)
    engine.forget_project(PROJECT, at=NOW)
    while engine.learn_some():
        pass
    engine.tidy(NOW + timedelta(days=2))
    assert is_gone(engine, store, path)
    assert learnt(store) == []


@pytest.mark.parametrize("event", [a_prompt(RULE), an_end("s1", "next: wobblezap")], ids=["a prompt", "its end"])
@covers("PRI-7")
def test_its_project_is_forgotten_while_an_event_is_learnt_from(
    store: SqliteStore, path: Path, monkeypatch: pytest.MonkeyPatch, event: Event
) -> None:
    engine = engine_on(store)
    lived(engine, a_start(), a_prompt("Hello there.", message="m0"))
    heard, times = Listener.hear, iter(range(1))

    def forgets_meanwhile(listener: Listener, event: Event) -> list[Proposal]:
        for _ in times:
            engine.forget_project(PROJECT, at=NOW)
        return heard(listener, event)

    monkeypatch.setattr(Listener, "hear", forgets_meanwhile)
    lived(engine, event)
    assert learnt(store) == []
    assert engine.recall_turns("wobblezap", PROJECT, limit=9) == []
    engine.tidy(NOW + timedelta(days=2))
    assert is_gone(engine, store, path)


@pytest.mark.parametrize("way", ["hidden", "deleted", "session"])
@covers("PRI-7")
def test_its_project_or_session_goes_while_its_transcript_is_read(
    store: SqliteStore, path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    engine = engine_on(store)
    engine.remember(a_draft("We deploy with Fly."))
    heard = Listener.hear

    def forgets_meanwhile(listener: Listener, event: Event) -> list[Proposal]:
        if event == GOES_ON[0]:
            monkeypatch.setattr(Listener, "hear", heard)
            if way == "session":
                engine.handle(a_deletion())
            else:
                engine.forget_project(PROJECT, at=NOW, now=way == "deleted")
        return heard(listener, event)

    monkeypatch.setattr(Listener, "hear", forgets_meanwhile)
    monkeypatch.setattr(backfill, "BATCH_EVENTS", 4)
    other = a_prompt("Always look at the ledger first.", session="s2", message="m9")
    engine.backfill(FILE, lambda: [*BEGINS, *GOES_ON, other], now=NOW, project=PROJECT)
    assert not any("linter" in memory.text for memory in learnt(store))
    assert engine.recall_turns("linter", PROJECT, limit=9) == []
    assert [turn.turn.session for turn in engine.recall_turns("ledger", PROJECT, limit=9)] == ["s2"]
    engine.tidy(NOW + timedelta(days=2))
    assert left_in(path.parent, [b"linter"]) == set()


def test_its_project_is_joined_with_another_while_its_transcript_is_read(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = engine_on(store)
    for project in (PROJECT, OTHER_PROJECT):
        engine.remember(a_draft("We deploy with Fly.", scope=f"project:{project}"))
    heard = Listener.hear

    def joins_meanwhile(listener: Listener, event: Event) -> list[Proposal]:
        if event == GOES_ON[0]:
            monkeypatch.setattr(Listener, "hear", heard)
            engine.join(PROJECT, OTHER_PROJECT, at=NOW, by="cli")
        return heard(listener, event)

    monkeypatch.setattr(Listener, "hear", joins_meanwhile)
    engine.backfill(FILE, lambda: [*BEGINS, *GOES_ON], now=NOW, project=PROJECT)
    (linter,) = (memory for memory in engine.all_memories() if "linter" in memory.text)
    assert linter.scope == Scope.project(OTHER_PROJECT)
    assert engine.recall_turns("linter", OTHER_PROJECT, limit=9)
    assert store.memory_ids_in(PROJECT) == []


@covers("CAP-5")
def test_undoing_a_forgotten_project_brings_back_what_was_read_meanwhile(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = engine_on(store)
    heard, hidden = Listener.hear, list[Removal]()

    def forgets_meanwhile(listener: Listener, event: Event) -> list[Proposal]:
        if event == GOES_ON[0]:
            monkeypatch.setattr(Listener, "hear", heard)
            hidden.append(engine.forget_project(PROJECT, at=NOW))
        return heard(listener, event)

    monkeypatch.setattr(Listener, "hear", forgets_meanwhile)
    engine.backfill(FILE, lambda: [*BEGINS, *GOES_ON], now=NOW, project=PROJECT)
    assert engine.recall_turns("linter", PROJECT, limit=9) == []
    assert isinstance(hidden[0], Hidden)
    engine.undo(hidden[0].undo, at=NOW, by="cli")
    assert engine.recall_turns("linter", PROJECT, limit=9)


@covers("PRI-7")
def test_a_session_deleted_after_its_transcript_was_read_leaves_nothing_in_its_next_recap(
    store: SqliteStore, path: Path
) -> None:
    engine = engine_on(store)
    engine.backfill(FILE, lambda: [*BEGINS, an_end()], now=NOW, project=PROJECT)
    forget_rule(engine, store)
    engine.handle(a_deletion())
    longer = replace(FILE, state="longer")
    engine.backfill(longer, lambda: [*BEGINS, *GOES_ON], now=NOW, project=PROJECT)
    assert engine.recall_turns("linter", PROJECT, limit=9)
    assert is_gone(engine, store, path)


def test_what_is_said_for_all_projects_is_not_learnt_once_its_own_is_forgotten(store: SqliteStore) -> None:
    engine = engine_on(store)
    engine.handle(a_prompt("In all my projects, always use tabs for indentation."))
    engine.forget_project(PROJECT, at=NOW)
    while engine.learn_some():
        pass
    assert learnt(store) == []


@pytest.mark.parametrize("undo_hours", [0, 24])
@covers("CAP-5", "PRI-7")
def test_a_session_of_nobody_teaches_nothing_after_its_project_is_forgotten(
    store: SqliteStore, path: Path, undo_hours: int
) -> None:
    engine = engine_on(store, Settings(forget=ForgetSettings(undo_hours=undo_hours)))
    lived(engine, *(replace(event, headless=True) for event in [*BEGINS, an_end()]))
    engine.forget_project(PROJECT, at=NOW, now=not undo_hours)
    engine.tidy(NOW + timedelta(days=2))
    assert store.session(SessionId("s1")) is None
    assert engine.store.holdings() == [], "an id is all that is left"
    engine.backfill(FILE, lambda: [*BEGINS, *GOES_ON], now=NOW, project=PROJECT)
    assert learnt(store) == []
    assert not store.has_turns(SessionId("s1"))
    assert is_gone(engine, store, path)


@pytest.mark.parametrize(
    ("notes", "summary"),
    [
        ((), Summary(asked="The wobblezap importer reads its files from Lyon.", ended="It is in its own module now.")),
        ((), Summary(asked="Look at the importer.", ended="The wobblezap importer reads its files from Lyon.")),
        ((), Summary(asked="The wobblezap importer reads its files…", ended="It is in its own module now.")),
        (
            ("next: The wobblezap importer reads its files", "next: write the docs"),
            Summary(asked="Go on.", ended="Ok."),
        ),
    ],
)
def test_a_part_of_it_in_what_a_block_tells_of_the_last_session(
    store: SqliteStore, path: Path, notes: tuple[str, ...], summary: Summary
) -> None:
    engine = engine_on(store, Settings())
    said = "The wobblezap importer reads its files from Lyon. It writes them to Postgres at night."
    memory = engine.remember(a_draft(said, days_old=60)).memory
    engine.handle(an_end("s0", *notes, summary=summary))
    engine.learn_some()
    assert "wobblezap" in engine.handle(a_start("s2")).block
    engine.forget_now([memory.id], at=NOW, by="cli")
    engine.tidy(NOW)
    assert left_in(path.parent, [b"wobblezap"]) == set()
