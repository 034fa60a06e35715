import json

import pytest

from recollect.cli.formats.memory_json import draft_of, record_of
from recollect.domain import memory as memory_module
from recollect.domain.codec import field_types
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import MAX_PARTS, Anchor, Kind, Memory, MemoryId, Sensitivity, Viewer
from recollect.domain.outcome import New, Same
from tests.builders import NOW, PROJECT, a_draft, a_start
from tests.driver import Engine


def test_what_is_new_is_stored_and_found(engine: Engine) -> None:
    outcome = engine.remember(a_draft("  We deploy with Helm.\n"))
    assert isinstance(outcome, New)
    (hit,) = engine.recall("helm", Viewer(project=PROJECT), limit=5, now=NOW)
    assert hit.memory == outcome.memory
    assert hit.memory.text == "We deploy with Helm."
    assert 0 < hit.score <= 1
    assert set(hit.factors) == {"relevance", "recency", "importance", "frequency", "kind", "words", "entity", "named"}


def test_what_is_known_is_counted_not_stored_twice(engine: Engine) -> None:
    first = engine.remember(a_draft("We deploy with Helm."))
    again = engine.remember(a_draft("we  deploy with helm."))
    assert isinstance(again, Same)
    assert (again.memory.id, again.memory.seen, engine.store.count()) == (first.memory.id, 2, 1)


def test_what_is_said_again_with_more_is_merged_and_the_stricter_sensitivity_holds(engine: Engine) -> None:
    engine.remember(a_draft("We deploy with Helm.", title="deploy", aliases=("helm",), importance=1.5))
    engine.remember(a_draft("We deploy with Helm.", aliases=("zebra",), sensitivity=Sensitivity.RESTRICTED))
    again = engine.remember(a_draft("We deploy with Helm.", sensitivity=Sensitivity.PUBLIC)).memory
    assert (again.title, again.aliases, again.importance) == ("deploy", ("helm", "zebra"), 1.7)
    assert again.sensitivity is Sensitivity.RESTRICTED
    (hit,) = engine.recall("zebra", Viewer(project=PROJECT), limit=5, now=NOW)
    assert hit.memory == again
    assert engine.handle(a_start()).block == ""


def test_other_words_are_kept_as_evidence_once(engine: Engine) -> None:
    engine.remember(a_draft("Integration tests run against a real database in the pipeline."))
    said = "Integration tests run against the real database in our pipeline."
    again = engine.remember(a_draft(said, evidence=(f"- {said}",)))
    assert isinstance(again, Same)
    assert again.memory.evidence == (f"- {said}",)
    assert engine.remember(a_draft(said)).memory.evidence == (f"- {said}",)


def test_lists_that_grow_keep_the_newest_parts(engine: Engine) -> None:
    many = [f"part {number} of it" for number in range(MAX_PARTS)]
    anchors = tuple(map(Anchor, many))
    engine.remember(a_draft("Auth uses JWT.", aliases=tuple(many), evidence=tuple(many), anchors=anchors))
    again = a_draft("Auth uses JWT.", aliases=("new",), evidence=("new",), anchors=(Anchor("new"),))
    same = engine.remember(again)
    assert isinstance(same, Same)
    for parts in (same.memory.aliases, same.memory.evidence, [anchor.path for anchor in same.memory.anchors]):
        assert list(parts) == [*many[1:], "new"]
    draft_of(json.loads(json.dumps(record_of(same.memory))), now=NOW, project=None, source=same.memory.source)


def test_a_later_field_has_the_value_of_the_newer_statement(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    later = [one for one in field_types(Memory) if one.name == "rules"]
    monkeypatch.setattr(memory_module, "LATER_FIELDS", later)
    for rules, known in ((2, 2), (None, 2), (3, 3)):
        stored = engine.remember(a_draft("Auth uses JWT.", rules=rules))
        assert isinstance(stored, New | Same)
        assert stored.memory.rules == known


def test_several_are_kept_all_or_none(engine: Engine) -> None:
    drafts = [a_draft("One.", id=MemoryId("same")), a_draft("Two.", id=MemoryId("same"))]
    with pytest.raises(InvalidValue):
        engine.remember_all(drafts)
    assert engine.store.count() == 0


@pytest.mark.parametrize("text", ["\u200b\u202e", "\x1b[31m", "\ufe0f"])
def test_text_that_nobody_can_see_is_refused(engine: Engine, text: str) -> None:
    with pytest.raises(InvalidValue, match="no visible characters"):
        engine.remember(a_draft(text))


def test_another_kind_or_scope_is_another_memory(engine: Engine) -> None:
    for fields in ({}, {"kind": Kind.RULE}, {"scope": "universal"}):
        assert isinstance(engine.remember(a_draft("Keep it small.", **fields)), New)


def test_ids_are_short_come_from_the_content_and_are_never_shared(engine: Engine) -> None:
    ids = {engine.remember(a_draft(f"Fact number {n}.")).memory.id for n in range(200)}
    assert len(ids) == 200
    assert {len(memory_id) for memory_id in ids} == {8}


def test_a_given_id_is_kept_and_a_taken_one_refused(engine: Engine) -> None:
    engine.remember(a_draft("One.", id=MemoryId("b-1")))
    with pytest.raises(InvalidValue, match="already a memory 'b-1'"):
        engine.remember(a_draft("Two.", id=MemoryId("b-1")))
    assert engine.store.count() == 1


def test_a_memory_may_name_a_successor_that_comes_later(engine: Engine) -> None:
    engine.remember(a_draft("The port is 80.", superseded_by=MemoryId("new")))
    engine.remember(a_draft("The port is 81.", id=MemoryId("new")))
    hits = engine.recall("port", Viewer(project=PROJECT), limit=5, now=NOW)
    assert [hit.memory.id for hit in hits] == ["new"]
