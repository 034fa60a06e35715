"""Every type that a field of a record may have, in every form."""

import json
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from recollect.cli.formats.memory_json import record_reader
from recollect.domain.codec import Shape, field_types, json_decoder, json_encoder
from recollect.domain.errors import PayloadError
from recollect.domain.memory import UNIVERSAL, Anchor, Mention, Role, Scope, SessionId, Tier
from recollect.store.sqlite.rows import row_codec

T = datetime(2026, 3, 2, 9, 0, 0, 5000, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class Toy:
    at: datetime
    text: str
    note: str = ""
    remark: str | None = None
    remarks: tuple[str, ...] = ()
    session: SessionId | None = None
    sessions: tuple[SessionId, ...] = ()
    share: float = 0.5
    weight: float | None = None
    weights: tuple[float, ...] = ()
    tries: int = 1
    rules: int | None = None
    numbers: tuple[int, ...] = ()
    is_checked: bool = False
    is_wanted: bool | None = None
    answers: tuple[bool, ...] = ()
    checked_at: datetime = T
    seen_at: datetime | None = None
    times: tuple[datetime, ...] = ()
    tier: Tier = Tier.CONFIRMED
    role: Role | None = None
    roles: tuple[Role, ...] = ()
    scope: Scope = UNIVERSAL
    other: Scope | None = None
    scopes: tuple[Scope, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    mentions: tuple[Mention, ...] = ()


LEAST = Toy(at=T, text="x")
FULL = Toy(
    at=T.replace(year=2025),
    text="y",
    note="n",
    remark="r",
    remarks=("a", "b"),
    session=SessionId("s1"),
    sessions=(SessionId("s2"),),
    share=1.0,
    weight=1.0,
    weights=(0.0, 1.0),
    tries=2,
    rules=1,
    numbers=(1, 0),
    is_checked=True,
    is_wanted=False,
    answers=(True, False),
    checked_at=T.replace(month=1),
    seen_at=T,
    times=(T, T.replace(month=2)),
    tier=Tier.CANDIDATE,
    role=Role.TOOL,
    roles=(Role.USER, Role.TOOL),
    scope=Scope.parse("language:go"),
    other=Scope.parse("session:s1"),
    scopes=(UNIVERSAL, Scope.parse("project:shop")),
    anchors=(Anchor("a.py"), Anchor("b.py", "1f")),
    mentions=(Mention(role=Role.USER, agent="plan", at=T), Mention(role=Role.TOOL, at=T)),
)
toys = pytest.mark.parametrize("toy", [LEAST, FULL, replace(FULL, is_wanted=True, weight=0.0, rules=None)])
to_row, of_row = row_codec(Toy)


def test_the_full_record_has_a_value_of_its_own_in_every_field() -> None:
    for one in fields(Toy):
        assert getattr(FULL, one.name) != getattr(LEAST, one.name), one.name


def test_the_record_has_every_shape_alone_and_in_a_list() -> None:
    alone, in_lists = ({one.shape for one in field_types(Toy) if one.is_list is kind} for kind in (False, True))
    assert alone == set(Shape) - {Shape.RECORD, Shape.OBJECT}
    assert in_lists == set(Shape) - {Shape.OBJECT}


@toys
def test_it_comes_back_from_a_row(toy: Toy) -> None:
    row = to_row(toy)
    assert {type(value) for value in row.values()} <= {str, int, float, type(None)}  # what SQLite returns too
    assert _as_typed(of_row(row)) == _as_typed(toy)
    assert _as_typed(of_row(json.loads(json.dumps(row)))) == _as_typed(toy)


@toys
def test_it_comes_back_from_json(toy: Toy) -> None:
    written = json.loads(json.dumps(json_encoder(Toy)(toy)))
    assert _as_typed(Toy(**json_decoder(Toy)(written))) == _as_typed(toy)
    assert _as_typed(Toy(**record_reader(Toy)(written))) == _as_typed(toy)


def test_a_field_that_is_left_out_of_a_record_has_its_default() -> None:
    assert Toy(**record_reader(Toy)({"at": "2026-03-02T09:00:00.005Z", "text": "x"})) == LEAST


@pytest.mark.parametrize("one", field_types(Toy), ids=lambda one: one.name)
def test_a_value_of_another_type_is_refused_by_its_name(one: Any) -> None:
    known = json_encoder(Toy)(FULL)
    wrongs: tuple[Any, ...] = ({"a": {}}, [[]])
    for wrong in wrongs:
        with pytest.raises(PayloadError, match=f"`{one.name}`"):
            record_reader(Toy)({**known, one.name: wrong})


@pytest.mark.parametrize("one", field_types(Toy), ids=lambda one: one.name)
def test_only_an_optional_column_is_null(one: Any) -> None:
    row = to_row(FULL)
    (column,) = (name for name in row if name.removesuffix("_ms") == one.name.removesuffix("_at"))
    if one.is_optional:
        assert getattr(of_row({**row, column: None}), one.name) is None
    else:
        with pytest.raises(ValueError, match=f"`{one.name}` is missing"):
            of_row({**row, column: None})


@pytest.mark.parametrize(
    "kind", [int | str, object, set[str], tuple[str, int], tuple[str | None, ...], tuple[str, ...] | None, complex]
)
def test_a_type_without_a_form_is_refused_where_the_codec_is_made(kind: Any) -> None:
    @dataclass
    class Odd:
        odd: kind = field(default=None)

    for make in (json_encoder, json_decoder, record_reader, row_codec):
        with pytest.raises(TypeError, match="'odd'"):
            make(Odd)


def _as_typed(toy: Toy) -> list[tuple[Any, Any]]:
    """1, 1.0 and True are equal."""
    values = [getattr(toy, one.name) for one in fields(Toy)]
    return [(value, [type(part) for part in value] if isinstance(value, tuple) else type(value)) for value in values]
