import pytest

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Kind, MemoryId, New, Same, Viewer
from recollect.engine.engine import Engine
from tests.builders import NOW, PROJECT, a_draft


def test_what_is_new_is_stored_and_found(engine: Engine) -> None:
    outcome = engine.remember(a_draft("  We deploy with Helm.\n"))
    assert isinstance(outcome, New)
    (hit,) = engine.recall("helm", Viewer(project=PROJECT), limit=5, now=NOW)
    assert hit.memory == outcome.memory
    assert hit.memory.text == "We deploy with Helm."
    assert 0 < hit.score <= 1
    assert set(hit.factors) == {"relevance", "recency", "importance", "frequency", "kind"}


def test_what_is_known_is_counted_not_stored_twice(engine: Engine) -> None:
    first = engine.remember(a_draft("We deploy with Helm."))
    again = engine.remember(a_draft("we  deploy with helm."))
    assert isinstance(again, Same)
    assert (again.memory.id, again.memory.seen, engine.count()) == (first.memory.id, 2, 1)


def test_another_kind_or_scope_is_another_memory(engine: Engine) -> None:
    for fields in ({}, {"kind": Kind.RULE}, {"scope": "universal"}):
        assert isinstance(engine.remember(a_draft("Keep it small.", **fields)), New)


def test_ids_are_short_come_from_the_content_and_are_never_shared(engine: Engine) -> None:
    ids = {engine.remember(a_draft(f"Fact number {n}.")).memory.id for n in range(200)}
    assert len(ids) == 200
    assert {len(memory_id) for memory_id in ids} == {8}


def test_a_given_id_is_kept_and_a_taken_one_refused(engine: Engine) -> None:
    engine.remember(a_draft("One.", id=MemoryId("b-1")))
    with pytest.raises(InvalidValue, match="a memory 'b-1' already"):
        engine.remember(a_draft("Two.", id=MemoryId("b-1")))
    assert engine.count() == 1


def test_a_memory_may_name_a_successor_that_comes_later(engine: Engine) -> None:
    engine.remember(a_draft("The port is 80.", superseded_by=MemoryId("new")))
    engine.remember(a_draft("The port is 81.", id=MemoryId("new")))
    hits = engine.recall("port", Viewer(project=PROJECT), limit=5, now=NOW)
    assert [hit.memory.id for hit in hits] == ["new"]
