"""Rows stay readable when a record gets a new field."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from recollect.domain.memory import Mention, Role
from recollect.store.sqlite import rows
from recollect.store.sqlite.rows import DamagedRow, Hashed, memory_of, memory_row, row_codec, row_hash
from tests.store.schemas.contents import FULL, PLAIN

T = datetime(2026, 3, 2, 9, tzinfo=UTC)


@dataclass(frozen=True)
class Place:
    at: datetime
    path: str | None = None
    symbol: str = ""  # added later, before another field
    hash: str | None = None
    seen_at: datetime | None = None  # added later


@dataclass(frozen=True)
class Trip:
    name: str = "t"
    places: tuple[Place, ...] = ()


@pytest.fixture
def trip_codec(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setitem(rows._FIRST_IN_LIST, Place, ("at_ms", "path", "hash"))
    return row_codec(Trip)


def test_a_record_in_a_list_is_written_as_before_until_it_has_a_later_field(trip_codec: Any) -> None:
    to_row, of_row = trip_codec
    trip = Trip(places=(Place(T), Place(T, "a", hash="1"), Place(T, symbol="login", seen_at=T)))
    ms = rows.to_ms(T)
    stored = f'[[{ms}, null, null], [{ms}, "a", "1"], [{ms}, null, null, {{"symbol": "login", "seen_ms": {ms}}}]]'
    assert to_row(trip) == {"name": "t", "places": stored}
    assert of_row({"name": "t", "places": stored}) == trip


def test_a_shorter_record_in_a_list_has_the_defaults(trip_codec: Any) -> None:
    _, of_row = trip_codec
    assert of_row({"name": "t", "places": f"[[{rows.to_ms(T)}]]"}) == Trip(places=(Place(T),))
    with pytest.raises(ValueError, match="`at` is missing"):
        of_row({"name": "t", "places": "[[]]"})


def test_a_column_that_is_added_now_is_hashed_by_its_name_if_it_differs_in_value_or_type() -> None:
    hashed = Hashed(("id",), ("flag",), {"tries": 0, "sure": 0, "weight": None})
    old = row_hash({"id": "m1", "flag": None}, hashed)
    assert old == row_hash({"id": "m1", "flag": None}, Hashed(("id",), ("flag",)))
    assert old == row_hash({"id": "m1", "flag": None, "tries": 0, "sure": 0, "weight": None}, hashed)
    changed: list[dict[str, object]] = [{"tries": 1}, {"sure": 1}, {"weight": 1.0}, {"weight": ""}, {"tries": 1.0}]
    hashes = {row_hash({"id": "m1", "flag": None, **values}, hashed) for values in changed}
    assert len({old, *hashes}) == len(changed) + 1


def test_the_hashed_columns_of_the_first_versions_are_the_ones_of_a_memory() -> None:
    row = memory_row(FULL)
    first, second, named = rows.MEMORY_HASHED
    counters = {"shown", "used", "unused", "feedback", "last_shown_ms", "last_used_ms"}
    assert {*first, *second, *named, *counters, "reach", "content_key", "hash"} == row.keys()
    assert not {*first, *second} & {*named}


@pytest.mark.parametrize(
    ("column", "wrong"),
    [("flag", 1), ("text", 5), ("tier", None), ("mentions", None), ("rules", "x"), ("anchors", "[5]"), ("seen", None)],
)
def test_a_history_row_of_a_wrong_form_is_a_damaged_row(column: str, wrong: object) -> None:
    with pytest.raises(DamagedRow):
        memory_of({**memory_row(PLAIN), column: wrong})
    with pytest.raises(DamagedRow):
        memory_of({**memory_row(PLAIN), column: wrong, "hash": ""})


def test_a_history_row_without_later_columns_is_read() -> None:
    row = memory_row(replace(FULL, rules=None))
    del row["rules"]
    assert memory_of(row) == replace(FULL, rules=None)


def test_a_stored_mention_is_read_by_its_names() -> None:
    (stored, *_) = rows.parse_list(str(memory_row(FULL)["mentions"]))
    assert rows.parse_mention(stored) == FULL.mentions[0]
    assert rows.parse_mention([0, "user"]) == Mention(role=Role.USER, at=rows.from_ms(0))
