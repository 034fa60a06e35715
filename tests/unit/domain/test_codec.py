"""Records as JSON by the types of their fields."""

import copy
import pickle
from dataclasses import MISSING, fields

import pytest

from recollect.domain.codec import field_types, json_decoder, json_encoder
from recollect.domain.event import SessionEnded
from recollect.domain.memory import FIELD_ORDER, Draft, Kind, Memory, MemoryId, ProjectId, Scope, SessionId, Usage
from recollect.domain.session import Note, NoteCode, Summary
from tests.builders import NOW, a_draft


def test_the_order_of_fields_names_fields_once() -> None:
    known = [one.name for one in fields(Memory)]
    assert len(set(FIELD_ORDER)) == len(FIELD_ORDER)
    assert set(FIELD_ORDER) <= set(known)
    ordered = [one.name for one in field_types(Memory, FIELD_ORDER)]
    assert ordered[: len(FIELD_ORDER)] == list(FIELD_ORDER)
    assert sorted(ordered) == sorted(known)


def test_a_draft_and_a_memory_have_the_same_parts() -> None:
    draft = {one.name for one in fields(Draft)} - {"at"}
    assert draft == {one.name for one in fields(Memory)} - {"created_at", "forgotten_at"}


def test_a_memory_takes_every_field_of_its_draft() -> None:
    draft = a_draft(" Tabs. ", title="Indent", rules=2, flag="why", seen=4, use=Usage(shown=2))
    memory = Memory.from_draft(draft, MemoryId("m7"))
    assert (memory.id, memory.text, memory.created_at, memory.valid_from) == ("m7", "Tabs.", draft.at, draft.at)
    for name in {one.name for one in fields(Draft)} - {"id", "text", "at", "valid_from"}:
        assert getattr(memory, name) == getattr(draft, name), name


def test_types_are_found_behind_optional_values_lists_and_ids() -> None:
    found = {one.name: (one.kind, one.is_list, one.is_optional, one.default) for one in field_types(Memory)}
    assert found["id"] == (str, False, False, MISSING)
    assert found["kind"] == (Kind, False, False, MISSING)
    assert found["superseded_by"] == (str, False, True, None)
    assert found["conflicts"] == (str, True, False, ())


def test_an_event_is_read_as_it_was_written() -> None:
    names = ("notes", "summary", "host")
    event = SessionEnded(
        session=SessionId("s1"),
        at=NOW,
        notes=(Note(code=NoteCode.NEXT, text="rotate keys"),),
        summary=Summary(asked="Why?", files=("a.py",)),
    )
    written = json_encoder(SessionEnded, names)(event)
    assert written["notes"] == ["next: rotate keys"]
    assert json_decoder(SessionEnded, names)(written) == {name: getattr(event, name) for name in names}
    del written["summary"]["is_slight"]  # an older version did not write it
    assert json_decoder(SessionEnded, names)(written)["summary"] == event.summary


def test_a_scope_is_its_text_and_does_not_change() -> None:
    scope = Scope.project(ProjectId("shop"))
    assert (scope, scope.level, scope.name, f"{scope}") == ("project:shop", "project", "shop", "project:shop")
    assert {scope: 1}[Scope.parse("project:shop")] == 1
    with pytest.raises(AttributeError):
        scope.name = "other"
    for twin in (copy.deepcopy(scope), pickle.loads(pickle.dumps(scope))):
        assert (twin, twin.level, twin.name) == (scope, scope.level, scope.name)
