"""What is written on one side of the wire is read as the same value on the other."""

import json
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from recollect.api import json_codec
from recollect.api.edit import EditedMemory
from recollect.api.forget import Forget, Forgotten
from recollect.api.operation import AnyOperation
from recollect.api.recall import Recall, Recalled
from recollect.api.remember import Remembered
from recollect.api.undo import RecentChanges, Undo
from recollect.cli.formats.memory_json import draft_of, record_of
from recollect.domain.changes import ChangeId
from recollect.domain.codec import FieldType, Shape, field_types
from recollect.domain.errors import InvalidValue, PayloadError, RecollectError
from recollect.domain.freshness import FileState, Freshness, SeenFile
from recollect.domain.memory import (
    Hit,
    Kind,
    Memory,
    MemoryId,
    Role,
    Scope,
    Source,
)
from recollect.domain.outcome import (
    Contradicts,
    Deleted,
    Edited,
    Hidden,
    New,
    NoMatch,
    Omissions,
    Planned,
    Removal,
    Same,
    Stored,
    Unchanged,
    Updates,
    tag_of,
)
from recollect.domain.search import Filters
from recollect.operations import OPERATIONS, find_operation
from recollect.store.sqlite.rows import from_ms, memory_of, memory_row, to_ms
from recollect.text.filters import NAMES
from tests.builders import NOW, a_memory

names = st.text("abcxyz019-_.", min_size=1, max_size=20)
moments = st.integers(to_ms(datetime(2020, 1, 1, tzinfo=UTC)), to_ms(datetime(2030, 1, 1, tzinfo=UTC))).map(from_ms)
said = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=60).filter(str.strip)
shares = st.floats(0, 1)


# The values of a memory's fields by name where a rule limits them, otherwise by shape.
BY_NAME: dict[str, st.SearchStrategy[Any]] = {
    "text": said,
    "importance": st.floats(0, 2),
    "scope": st.sampled_from(["universal", "language:go", "project:shop"]).map(Scope.parse),
}
BY_SHAPE: dict[Shape, st.SearchStrategy[Any]] = {
    Shape.TEXT: names,
    Shape.NUMBER: shares,
    Shape.WHOLE_NUMBER: st.integers(1, 9),
    Shape.FLAG: st.booleans(),
    Shape.TIME: moments,
}


def field_values(one: FieldType) -> st.SearchStrategy[Any]:
    if one.name in BY_NAME:
        values = BY_NAME[one.name]
    elif one.shape is Shape.CHOICE:
        values = st.sampled_from(one.kind)
    elif one.shape is Shape.RECORD:
        values = records(one.kind)
    else:
        values = BY_SHAPE[one.shape]
    if one.is_list:
        return st.lists(values, max_size=3, unique=True).map(tuple)
    return st.none() | values if one.is_optional else values


def records(kind: Any) -> st.SearchStrategy[Any]:
    return st.builds(kind, **{one.name: field_values(one) for one in field_types(kind)})


def memories() -> st.SearchStrategy[Memory]:
    return records(Memory).filter(lambda memory: memory.id not in (memory.superseded_by, *memory.conflicts))


@st.composite
def hits(draw: st.DrawFn) -> Hit:
    memory = draw(memories())
    states = draw(st.sampled_from(FileState))
    return Hit(
        memory=memory,
        score=draw(shares),
        relevance=draw(shares),
        factors=draw(st.dictionaries(names, shares, max_size=3)),
        freshness=Freshness(tuple(SeenFile(anchor.path, states) for anchor in memory.anchors)),
    )


@settings(deadline=None)
@given(memories())
def test_a_memory_comes_over_as_it_is(memory: Memory) -> None:
    assert json_codec.decode(json_codec.encode(memory), Memory) == memory


@settings(deadline=None)
@given(memories())
def test_a_memory_comes_back_from_its_row_and_from_the_history(memory: Memory) -> None:
    row = memory_row(memory)
    assert memory_of(row) == memory_of(json.loads(json.dumps(row))) == memory


@settings(deadline=None)
@given(memories())
def test_a_memory_comes_back_from_an_export(memory: Memory) -> None:
    record = json.loads(json.dumps(record_of(memory)))
    assume(memory.text == memory.text.strip())
    draft = draft_of(record, now=NOW, project=None, source=Source(role=Role.IMPORT))
    assert Memory.from_draft(draft, memory.id) == replace(memory, forgotten_at=None)


@settings(deadline=None)
@given(memories())
def test_a_memory_has_the_form_of_an_export(memory: Memory) -> None:
    carried = json.loads(json_codec.encode(memory))
    source = Source(role=Role.IMPORT)
    assert {**record_of(memory), "forgotten_at": memory.forgotten_at}.keys() == carried.keys()
    assert (carried["scope"], carried["source"]) == (record_of(memory)["scope"], record_of(memory)["source"])
    del carried["forgotten_at"]
    read = [draft_of(record, now=NOW, project=None, source=source) for record in (carried, record_of(memory))]
    assert read[0] == read[1]


@pytest.mark.parametrize(
    "outcome",
    [
        New(a_memory("New.")),
        Same(a_memory("Known.")),
        Updates(a_memory("Now."), (a_memory("Before.", id=MemoryId("m0")),)),
        Contradicts(a_memory("Yes."), (a_memory("No.", id=MemoryId("m0")),)),
    ],
    ids=tag_of,
)
def test_an_outcome_comes_over_as_itself(outcome: Stored) -> None:
    omitted = Omissions(secrets=("aws-key",), private=True)
    answer = Remembered(outcome=outcome, assumed=True, omitted=omitted, unwatched=())
    carried = json_codec.encode(answer)
    assert json.loads(carried)["outcome"]["type"] == type(outcome).__name__.lower()
    assert json_codec.decode(carried, Remembered) == answer


@pytest.mark.parametrize(
    "outcome",
    [Edited(a_memory("Now."), a_memory("Before."), ChangeId(7)), Unchanged(a_memory("As ever."))],
    ids=tag_of,
)
def test_an_edit_comes_over_as_itself(outcome: Edited | Unchanged) -> None:
    answer = EditedMemory(outcome=outcome, omitted=Omissions())
    assert json_codec.decode(json_codec.encode(answer), EditedMemory) == answer


@pytest.mark.parametrize("outcome", [NoMatch(), Planned(), Hidden(ChangeId(7)), Deleted(is_clean=False)], ids=tag_of)
def test_what_was_forgotten_comes_over_as_itself(outcome: NoMatch | Removal) -> None:
    answer = Forgotten(outcome=outcome, memories=[a_memory("Before.")], out_of_sight=2)
    assert json_codec.decode(json_codec.encode(answer), Forgotten) == answer


def test_a_scope_that_is_no_text_is_refused() -> None:
    carried = json.loads(json_codec.encode(a_memory("x")))
    with pytest.raises(PayloadError, match="Expected `str`, got `dict`"):
        json_codec.decode(json.dumps({**carried, "scope": {"level": "universal"}}).encode(), Memory)
    with pytest.raises(InvalidValue, match="There is no scope 'galaxy'"):
        json_codec.decode(json.dumps({**carried, "scope": "galaxy"}).encode(), Memory)


@settings(deadline=None)
@given(st.lists(hits(), max_size=3), st.none() | said)
def test_an_answer_comes_over_as_it_is(found: list[Hit], problem: str | None) -> None:
    answer = Recalled(
        memories=found, turns=[], by_meaning=True, by_words_only=3, model_missing=False, model_problem=problem
    )
    assert json_codec.decode(json_codec.encode(answer), Recalled) == answer


@settings(deadline=None)
@given(said, st.frozensets(st.sampled_from(Kind)), st.none() | moments, st.none() | st.integers(1, 1000))
def test_a_request_comes_over_as_it_is(
    query: str, kinds: frozenset[Kind], since: datetime | None, limit: int | None
) -> None:
    filters = Filters(kinds=kinds, since=since)
    asked = Recall(query=query, filters=filters, limit=limit, folder="/srv/shop", by="cli")
    assert json_codec.decode_request(json_codec.encode_request(asked), Recall) == asked


@settings(deadline=None)
def contract(name: str) -> AnyOperation:
    found = find_operation(name)
    assert found is not None
    return found


@given(st.binary(max_size=200), st.sampled_from(sorted(OPERATIONS)))
def test_garbage_is_refused_by_its_name(data: bytes, name: str) -> None:
    try:
        json_codec.decode_request(data, contract(name).asks)
    except (PayloadError, InvalidValue):
        return
    assert data.strip() == b"{}"  # to be asked without a word is fine where nothing must be said


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b'"x"', b"{", b'{"query": 1}', b'{"query": "x", "limit": "k"}'])
def test_what_is_no_such_request_is_refused(data: bytes) -> None:
    with pytest.raises(PayloadError, match="The request cannot be read"):
        json_codec.decode_request(data, Recall)


@settings(deadline=None)
@given(names.filter(lambda name: name not in {*(field.name for field in fields(Recall)), *NAMES}))
def test_a_field_that_nobody_knows_is_refused(name: str) -> None:
    with pytest.raises(PayloadError, match="There is no field"):
        json_codec.decode_request(json_codec.encode({"query": "x", name: 1}), Recall)


def test_what_the_value_refuses_is_raised_as_it_is() -> None:
    with pytest.raises(InvalidValue, match="it must be from 1 to 1,000"):
        json_codec.decode_request(b'{"query": "x", "limit": 0}', Recall)
    with pytest.raises(InvalidValue, match="it must be from 1 to 10,000"):
        json_codec.decode_request(b'{"limit": 0}', RecentChanges)
    with pytest.raises(InvalidValue, match="Give either `ids` or `match`"):
        Forget()
    with pytest.raises(InvalidValue, match="Give either `deed` or `session`"):
        Undo(deed=ChangeId(1), session="s1")


def told(error: RecollectError) -> bytes:
    return json_codec.encode({"error": {"code": error.code, "message": str(error)}})


def test_what_cannot_be_read_is_called_what_it_is() -> None:
    with pytest.raises(PayloadError, match="The request cannot be read"):
        json_codec.decode_request(b"{", Recall)
    with pytest.raises(PayloadError, match="The answer cannot be read"):
        json_codec.raise_error(b'{"error": "text"}')


def test_an_error_is_raised_here_as_it_was_raised_there() -> None:
    with pytest.raises(RecollectError, match="There is no memory") as raised:
        json_codec.raise_error(told(InvalidValue("There is no memory 'x'.")))
    assert type(raised.value) is InvalidValue


def test_a_narrower_error_without_a_code_of_its_own_takes_nobodys_place() -> None:
    class Narrower(InvalidValue):
        pass

    with pytest.raises(InvalidValue) as raised:
        json_codec.raise_error(told(Narrower("No.")))
    assert type(raised.value) is InvalidValue
