"""Asking: what is kept is found by its words, by its parts and by what it means. The embedder here is made up."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.domain.memory import Kind, MemoryId, Role, Viewer
from recollect.domain.search import Filters, MemoryStatus
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, OTHER_PROJECT, PROJECT, a_draft, a_memory, a_turn
from tests.driver import Engine
from tests.flows.conftest import engine_on
from tests.requirements import covers
from tests.vectors import OTHER_MODEL, ConceptModel

HERE = Viewer(project=PROJECT, language="python")
MINUTE = timedelta(minutes=1)


@pytest.fixture
def model() -> ConceptModel:
    return ConceptModel()


@pytest.fixture
def engine(store: SqliteStore, model: ConceptModel) -> Engine:
    return engine_on(store, model=model)


def embed_everything(engine: Engine) -> int:
    done = 0
    while many := engine.embed_some():
        done += many
    return done


def found(engine: Engine, query: str, viewer: Viewer = HERE, **filters: Any) -> list[str]:
    return [hit.memory.text for hit in engine.recall(query, viewer, limit=5, now=NOW, filters=Filters(**filters))]


def turns_found(engine: Engine, query: str, **filters: Any) -> list[str]:
    return [hit.turn.text for hit in engine.recall_turns(query, PROJECT, limit=5, filters=Filters(**filters))]


NAMES = "parse_date in src/dates/parser.py raises E1042 when ParseOptions has tz-aware set; 日本語の文字列 breaks it."


@covers("RET-1")
@pytest.mark.parametrize("has_model", [True, False])
@pytest.mark.parametrize(
    "query",
    [
        *("parse_date", "parse", "date", "src/dates/parser.py", "parser.py", "dates", "E1042", "e1042", "ParseOptions"),
        *("parseoptions", "options", "tz-aware", "aware", "日本語", "文字列", "文字", "raising", "What about E1042?"),
    ],
)
def test_a_name_is_found_whole_and_in_parts(store: SqliteStore, query: str, has_model: bool) -> None:
    engine = engine_on(store, model=ConceptModel() if has_model else None)
    engine.remember_all([a_draft(NAMES), a_draft("The queue is drained at noon.")])
    embed_everything(engine)
    assert found(engine, query)[0] == NAMES


words = st.sampled_from("cache redis parse_date naïve 日本語 E1042 src/app.py kebab-case Zürich HttpClients".split())
texts = st.lists(words, min_size=1, max_size=4).map(" ".join)


@covers("RET-1")
@given(
    said=st.lists(texts, min_size=1, max_size=8, unique_by=lambda text: frozenset(text.split())),  # else it is the same
    asked=st.lists(words | st.sampled_from(["what", "unheard", "of"]), min_size=1, max_size=6),
    has_model=st.booleans(),
    embedded=st.integers(0, 8),
)
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_never_an_empty_answer_while_a_word_of_the_question_occurs(
    said: Sequence[str], asked: Sequence[str], has_model: bool, embedded: int
) -> None:
    store = SqliteStore(None)
    engine = engine_on(store, model=ConceptModel() if has_model else None)
    engine.remember_all([a_draft(text) for text in said])
    engine.embed_some(limit=embedded or 1)
    hits = {hit.memory.text for hit in engine.recall(" ".join(asked), HERE, limit=50, now=NOW)}
    assert {text for text in said if set(asked) & set(text.split())} <= hits
    store.close()


@covers("RET-1")
def test_what_means_the_same_is_found_without_a_common_word_and_says_why(engine: Engine) -> None:
    engine.remember_all([a_draft("Never park the automobile here."), a_draft("Lunch is at noon.")])
    assert found(engine, "vehicle") == []
    assert embed_everything(engine) == 2
    (hit,) = engine.recall("vehicle", HERE, limit=5, now=NOW)
    assert hit.memory.text == "Never park the automobile here."
    assert hit.factors["words"] == 0
    assert hit.factors["meaning"] == pytest.approx(0.58, abs=0.2)
    assert 0 < hit.relevance <= 1


def test_what_has_word_and_meaning_comes_before_what_has_one_of_them(engine: Engine) -> None:
    engine.remember_all([a_draft("automobile paint"), a_draft("vehicle paint"), a_draft("vehicle automobile car")])
    embed_everything(engine)
    assert found(engine, "vehicle paint")[0] == "vehicle paint"


def test_what_is_new_is_found_by_its_words_before_it_has_a_vector(engine: Engine) -> None:
    engine.remember(a_draft("Deploys need a ticket."))
    embed_everything(engine)
    engine.remember(a_draft("Rollouts need two tickets."))
    assert engine.store.count_missing_vectors(None).memories == 1
    assert sorted(found(engine, "rollout ticket")) == ["Deploys need a ticket.", "Rollouts need two tickets."]


def test_another_projects_memory_is_found_by_no_meaning(engine: Engine) -> None:
    engine.remember(a_draft("Park the automobile.", scope=f"project:{OTHER_PROJECT}"))
    embed_everything(engine)
    assert found(engine, "vehicle") == []
    assert found(engine, "vehicle", Viewer(project=OTHER_PROJECT)) == ["Park the automobile."]


def test_what_is_forgotten_is_found_by_no_meaning_and_comes_back_with_it(engine: Engine) -> None:
    memory = engine.remember(a_draft("Park the automobile.")).memory
    embed_everything(engine)
    assert found(engine, "vehicle") == ["Park the automobile."]
    engine.forget([memory.id], at=NOW, by="test")
    assert found(engine, "vehicle") == []
    engine.undo(None, at=NOW, by="test")
    assert embed_everything(engine) == 1
    assert found(engine, "vehicle") == ["Park the automobile."]


def test_joined_projects_are_searched_by_meaning_without_embedding_again(engine: Engine) -> None:
    engine.remember(a_draft("Park the automobile.", scope=f"project:{OTHER_PROJECT}"))
    engine.archive([a_turn("Where is the automobile?", project=OTHER_PROJECT)])
    embed_everything(engine)
    engine.join(OTHER_PROJECT, PROJECT, at=NOW, by="test")
    assert embed_everything(engine) == 0
    assert found(engine, "vehicle") == ["Park the automobile."]
    assert turns_found(engine, "vehicle") == ["Where is the automobile?"]


@covers("RET-3")
def test_after_a_change_of_the_model_nothing_old_is_compared_and_all_is_embedded_again(store: SqliteStore) -> None:
    old, new = engine_on(store, model=ConceptModel()), engine_on(store, model=ConceptModel(OTHER_MODEL))
    old.remember_all([a_draft("Park the automobile."), a_draft("Deploys need a ticket.")])
    old.archive([a_turn("Where is the automobile?")])
    assert embed_everything(old) == 3
    assert (found(new, "vehicle"), turns_found(new, "vehicle")) == ([], [])
    assert found(new, "automobile") == ["Park the automobile."], "by its words, meanwhile"
    missing = new.store.count_missing_vectors(OTHER_MODEL)
    assert (missing.memories, missing.turns) == (2, 1)
    assert new.embed_some(limit=1) == 1
    assert found(old, "vehicle") == []
    assert embed_everything(new) == 2
    assert found(new, "vehicle") == ["Park the automobile."]
    assert turns_found(new, "vehicle") == ["Where is the automobile?"]


@covers("RET-4")
def test_without_a_model_everything_works_by_words(store: SqliteStore) -> None:
    engine = engine_on(store)
    engine.remember_all([a_draft("Park the automobile."), a_draft("Deploys need a ticket.")])
    engine.archive([a_turn("Where is the automobile?")])
    assert engine.embed_some() == 0
    assert found(engine, "automobile") == ["Park the automobile."]
    (turn,) = engine.recall_turns("automobile", PROJECT, limit=5)
    assert (turn.turn.text, turn.factors["words"]) == ("Where is the automobile?", 1.0)
    assert 0.3 < turn.relevance < 1
    assert (found(engine, "vehicle"), turns_found(engine, "vehicle")) == ([], [])
    (hit,) = engine.recall("automobile", HERE, limit=5, now=NOW)
    assert "meaning" not in hit.factors


def test_vectors_of_before_wait_for_the_model_to_come_back(store: SqliteStore) -> None:
    with_model, without = engine_on(store, model=ConceptModel()), engine_on(store)
    with_model.remember(a_draft("Park the automobile."))
    embed_everything(with_model)
    assert found(without, "vehicle") == []
    without.remember(a_draft("Park the car."))
    assert found(with_model, "vehicle") == ["Park the automobile."]
    assert embed_everything(with_model) == 1
    assert len(found(with_model, "vehicle")) == 2


@covers("RET-5")
@pytest.mark.parametrize("by", ["words", "meaning"])
@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, ["new", "rule", "everywhere", "language"]),
        ({"kinds": frozenset({Kind.RULE})}, ["rule"]),
        ({"kinds": frozenset({Kind.RULE, Kind.PREFERENCE})}, ["rule", "everywhere"]),
        ({"scope": "universal"}, ["everywhere"]),
        ({"scope": "language:python"}, ["language"]),
        ({"scope": f"project:{PROJECT}"}, ["new", "rule"]),
        ({"since": NOW - timedelta(days=5)}, ["new", "everywhere"]),
        ({"until": NOW - timedelta(days=5)}, ["rule", "language"]),
        ({"as_of": NOW - timedelta(days=3)}, ["old", "rule", "language"]),
        ({"as_of": NOW - timedelta(days=50)}, []),
        ({"status": MemoryStatus.SUPERSEDED}, ["old"]),
        ({"status": MemoryStatus.ANY}, ["old", "new", "rule", "everywhere", "language"]),
        ({"status": MemoryStatus.ANY, "kinds": frozenset({Kind.DECISION}), "until": NOW - timedelta(days=5)}, ["old"]),
    ],
)
def test_filters_narrow_what_is_found(
    store: SqliteStore, engine: Engine, by: str, filters: dict[str, Any], expected: list[str]
) -> None:
    kept: list[tuple[str, float, dict[str, Any]]] = [
        ("old", 9, {"superseded_by": MemoryId("new")}),
        ("new", 2, {}),
        ("rule", 8, {"kind": Kind.RULE}),
        ("everywhere", 1, {"scope": "universal", "kind": Kind.PREFERENCE}),
        ("language", 30, {"scope": "language:python", "kind": Kind.OUTCOME}),
        ("elsewhere", 1, {"scope": f"project:{OTHER_PROJECT}"}),
        ("another language", 1, {"scope": "language:go"}),
    ]
    for name, days_old, fields in kept:
        store.add(a_memory("automobile", id=MemoryId(name), days_old=days_old, **fields))
    embed_everything(engine)
    query = {"words": "automobile", "meaning": "vehicle"}[by]
    hits = engine.recall(query, HERE, limit=9, now=NOW, filters=Filters(**filters))
    assert {hit.memory.id for hit in hits} == set(expected)


class TestTheArchive:
    SAID = (
        ("s1", Role.USER, "Which database shall we take for billing?"),
        ("s1", Role.ASSISTANT, "The second one, it costs less."),
        ("s1", Role.USER, "Fine, thanks."),
        ("s2", Role.USER, "The second one is broken."),
        ("s2", Role.ASSISTANT, "Restart it."),
        ("s3", Role.USER, "Maria: park the automobile behind the house."),
    )

    @pytest.fixture(autouse=True)
    def archived(self, engine: Engine) -> None:
        engine.archive(
            [
                a_turn(text, session=session, message=f"m{n}", role=role, at=NOW + n * MINUTE)
                for n, (session, role, text) in enumerate(self.SAID)
            ]
        )
        embed_everything(engine)

    @covers("RET-6")
    def test_answers_with_session_turn_and_date(self, engine: Engine) -> None:
        (hit, *_) = engine.recall_turns("vehicle", PROJECT, limit=1)
        assert (hit.turn.session, hit.turn.message, hit.turn.at) == ("s3", "m5", NOW + 5 * MINUTE)
        assert 0 < hit.relevance <= 1
        assert set(hit.factors) == {"words", "meaning", "session", "neighbours", "speaker", "user"}

    @covers("RET-6")
    def test_the_answer_that_follows_its_question_comes_before_the_same_words_elsewhere(self, engine: Engine) -> None:
        hits = turns_found(engine, "Which postgres for billing")
        assert hits[0] == self.SAID[0][2]
        assert hits.index(self.SAID[1][2]) < (hits.index(self.SAID[3][2]) if self.SAID[3][2] in hits else 99)

    def test_is_found_by_the_day_on_which_it_was_said(self, engine: Engine) -> None:
        engine.archive([a_turn("Something.", session="s9", at=NOW - timedelta(days=200))])
        assert turns_found(engine, "14 August 2025")[0] == "Something.", "although nothing is known of its meaning yet"
        embed_everything(engine)
        assert turns_found(engine, "14 August 2025")[0] == "Something."

    def test_of_other_times_is_left_out(self, engine: Engine) -> None:
        assert self.SAID[5][2] not in turns_found(engine, "automobile", until=NOW + 4 * MINUTE)
        assert turns_found(engine, "automobile", since=NOW + 5 * MINUTE) == [self.SAID[5][2]]

    def test_of_another_project_is_not_searched(self, engine: Engine) -> None:
        assert engine.recall_turns("automobile", OTHER_PROJECT, limit=5) == []
        assert engine.recall_turns("automobile", None, limit=5) == []


def test_an_empty_store_answers_with_nothing_and_asks_no_model(engine: Engine, model: ConceptModel) -> None:
    assert (found(engine, "vehicle"), turns_found(engine, "vehicle"), model.asked) == ([], [], [])
