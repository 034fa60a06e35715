"""The real model in the real engine: what people say in other words is found."""

import socket
from pathlib import Path

import pytest

from recollect.domain.memory import Scope, SessionId, Viewer
from recollect.embed.cached import CachedEmbedder
from recollect.embed.minilm import load
from recollect.engine.moments.on_demand import UNCERTAIN
from recollect.mcp.tools import NOTHING, Asker, call
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, PROJECT, a_draft, a_prompt, a_turn
from tests.driver import Engine
from tests.flows.blocks import ids_in
from tests.flows.conftest import engine_on
from tests.requirements import covers

HERE = Viewer(project=PROJECT)
KEPT = (
    "Passwords are hashed with argon2id before they are stored.",
    "The nightly job copies the database to cold storage.",
    "Pull requests need two approvals before they are merged.",
    "Dates are always kept in UTC and shown in local time.",
    "CI caches the npm folder between runs.",
)


def no_network(*_: object, **__: object) -> None:
    raise AssertionError("nothing here needs a network")


@pytest.fixture(scope="module")
def model(model_folder: Path) -> CachedEmbedder:
    return CachedEmbedder(load(model_folder), lambda: 0.0)


@pytest.fixture
def engine(store: SqliteStore, model: CachedEmbedder, monkeypatch: pytest.MonkeyPatch) -> Engine:
    monkeypatch.setattr(socket.socket, "connect", no_network)
    engine = engine_on(store, model=model)
    engine.remember_all([a_draft(text) for text in KEPT])
    assert engine.embed_some() == len(KEPT)
    return engine


@covers("RET-1", "RET-3")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("secure password storage", KEPT[0]),
        ("backup of the db", KEPT[1]),
        ("how many approvals does a PR need", KEPT[2]),
        ("timezone handling", KEPT[3]),
    ],
)
def test_what_is_meant_is_found_first(engine: Engine, query: str, expected: str) -> None:
    hits = engine.recall(query, HERE, limit=3, now=NOW)
    assert hits[0].memory.text == expected
    assert hits[0].factors["meaning"] > 0.4


def test_a_question_about_something_else_finds_nothing_that_shares_no_word(engine: Engine) -> None:
    assert engine.recall("giraffe enclosure feeding timetable", HERE, limit=3, now=NOW) == []


@covers("RET-6")
def test_an_old_turn_is_found_by_what_it_means(engine: Engine) -> None:
    engine.archive(
        [
            a_turn("I adopted a puppy last weekend, he is called Biscuit.", message="m1"),
            a_turn("The build is green again.", session="s2"),
        ]
    )
    assert engine.embed_some() == 2
    (hit, *_) = engine.recall_turns("what is the name of my dog", PROJECT, limit=2)
    assert (hit.turn.session, hit.turn.message) == ("s1", "m1")


def test_the_same_question_costs_nothing_the_second_time(engine: Engine, model: CachedEmbedder) -> None:
    engine.recall("database backups", HERE, limit=3, now=NOW)
    many = len(model._known)
    engine.recall("database backups", HERE, limit=3, now=NOW)
    assert len(model._known) == many


def test_a_slip_of_the_finger_still_calls_a_memory_by_its_name(engine: Engine) -> None:
    engine.remember(a_draft("Queues are quorum queues on three nodes.", title="Broker", aliases=("RabbitMQ",)))
    assert engine.embed_some() == 1
    assert "quorum" in engine.handle(a_prompt("rabitmq memory alarm on node 2", session="a")).block
    assert "quorum" not in engine.handle(a_prompt("rabbi memory game on node 2", session="b")).block


def test_an_agent_that_searches_gets_the_nearest_few_marked_and_one_that_starts_a_task_does_not(
    engine: Engine, tmp_path: Path
) -> None:
    asker = Asker(session=SessionId("mcp-1"), at=NOW, folder=str(tmp_path))
    kept = a_draft("We deploy with Helm to GKE", scope=Scope.project(engine.enter_project(str(tmp_path), NOW)))
    known = engine.remember(kept).memory
    engine.embed_some()
    asked = "how do we ship to production"
    told = call(engine, asker, "search", {"query": asked}).text
    assert UNCERTAIN in told
    assert ids_in(told) == [known.id]
    assert call(engine, asker, "context", {"task": asked}).text == NOTHING
    assert call(engine, asker, "search", {"query": "qwerty zxcvb"}).text == NOTHING
    assert UNCERTAIN not in call(engine, asker, "search", {"query": "deploy with Helm"}).text
