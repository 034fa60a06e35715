"""What is written on one side of the wire is read as the same value on the other."""

from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.api import json_codec
from recollect.api.catalogue import OPERATIONS
from recollect.api.forget import Forget
from recollect.api.recall import Recall, Recalled
from recollect.api.undo import RecentChanges, Undo
from recollect.domain.changes import ChangeId
from recollect.domain.errors import InvalidValue, PayloadError, RecollectError
from recollect.domain.freshness import FileState, Freshness, SeenFile
from recollect.domain.memory import Anchor, Hit, Kind, Memory, MemoryId, Sensitivity, Tier, Usage
from tests.builders import a_memory

names = st.text("abcxyz019-_.", min_size=1, max_size=20)
moments = st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC))
said = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=60).filter(str.strip)
shares = st.floats(0, 1)


@st.composite
def memories(draw: st.DrawFn) -> Memory:
    at = draw(moments)
    optional: dict[str, Any] = {
        "id": MemoryId(draw(names)),
        "kind": draw(st.sampled_from(Kind)),
        "sensitivity": draw(st.sampled_from(Sensitivity)),
        "tier": draw(st.sampled_from(Tier)),
        "title": draw(st.none() | said),
        "aliases": tuple(draw(st.lists(names, max_size=3, unique=True))),
        "anchors": tuple(Anchor(path, None) for path in draw(st.lists(names.map("src/{}".format), max_size=2))),
        "created_at": at,
        "valid_from": at,
        "valid_to": draw(st.none() | st.just(at)),
        "importance": draw(st.floats(0, 2)),
        "confidence": draw(shares),
        "use": Usage(shown=draw(st.integers(0, 9)), last_shown_at=draw(st.none() | moments)),
    }
    return a_memory(draw(said), scope=draw(st.sampled_from(["universal", "language:go", "project:shop"])), **optional)


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
    asked = Recall(query=query, kinds=kinds, since=since, limit=limit, folder="/srv/shop", by="cli")
    assert json_codec.decode(json_codec.encode(asked), Recall) == asked


@settings(deadline=None)
@given(st.binary(max_size=200), st.sampled_from(sorted(OPERATIONS)))
def test_garbage_is_refused_by_its_name(data: bytes, name: str) -> None:
    try:
        json_codec.decode(data, OPERATIONS[name].asks)
    except (PayloadError, InvalidValue):
        return
    assert data.strip() == b"{}"  # to be asked without a word is fine where nothing must be said


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"null", b'"x"', b"{", b'{"query": 1}', b'{"query": "x", "kinds": ["k"]}']
)
def test_what_is_no_such_request_is_refused(data: bytes) -> None:
    with pytest.raises(PayloadError, match="The request cannot be read"):
        json_codec.decode(data, Recall)


@settings(deadline=None)
@given(names.filter(lambda name: name not in {field.name for field in fields(Recall)}))
def test_a_field_that_nobody_knows_is_refused(name: str) -> None:
    with pytest.raises(PayloadError, match="There is no field"):
        json_codec.decode(json_codec.encode({"query": "x", name: 1}), Recall)


def test_what_the_value_refuses_is_raised_as_it_is() -> None:
    with pytest.raises(InvalidValue, match="it must be from 1 to 1000"):
        json_codec.decode(b'{"query": "x", "limit": 0}', Recall)
    with pytest.raises(InvalidValue, match="it must be from 1 to 10,000"):
        json_codec.decode(b'{"limit": 0}', RecentChanges)
    with pytest.raises(InvalidValue, match="Give either `ids` or `match`"):
        Forget()
    with pytest.raises(InvalidValue, match="Give either `deed` or `session`"):
        Undo(deed=ChangeId(1), session="s1")


def told(error: RecollectError) -> bytes:
    return json_codec.encode({"error": {"code": error.code, "message": str(error)}})


def test_what_cannot_be_read_is_called_what_it_is() -> None:
    with pytest.raises(PayloadError, match="The request cannot be read"):
        json_codec.decode(b"{", Recall)
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
