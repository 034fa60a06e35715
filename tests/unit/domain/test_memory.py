from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from recollect.domain import memory as memory_module
from recollect.domain.codec import Shape, field_types
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import (
    MAX_TEXT_CHARS,
    NAMES,
    SOURCE_NAMES,
    UNIVERSAL,
    WORDS,
    Anchor,
    Memory,
    Role,
    Scope,
    Source,
    parse_kind,
)
from tests.builders import a_draft, a_memory


@pytest.mark.parametrize("text", ["universal", "language:go", "project:git:example.org/a/b", "session:s1"])
def test_a_scope_reads_back_as_it_was_written(text: str) -> None:
    assert str(Scope.parse(text)) == text


@pytest.mark.parametrize("text", ["", "everywhere", "project", "project:", "language:", "universal:x", "Project:x"])
def test_a_scope_that_does_not_exist_is_refused_with_the_ones_that_do(text: str) -> None:
    with pytest.raises(InvalidValue, match="universal, language:NAME, project:ID or session:ID"):
        Scope.parse(text)


def test_a_language_is_one_however_it_is_capitalised() -> None:
    assert Scope.parse("language:Python") == Scope.parse("language:python")


def test_an_unknown_kind_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidValue, match="no kind 'wish'; use one of preference, rule"):
        parse_kind("wish")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"text": ""}, "empty"),
        ({"text": " \n\t"}, "empty"),
        ({"text": "x" * (MAX_TEXT_CHARS + 1)}, "20,001 characters"),
        ({"text": "a\x00b"}, "NUL"),
        ({"text": "a\ud800b"}, "not valid Unicode"),
        ({"importance": 2.1}, "importance"),
        ({"importance": float("nan")}, "importance"),
        ({"confidence": -0.1}, "confidence"),
        ({"at": datetime(2026, 1, 1)}, "time zone"),
        ({"at": datetime.fromisoformat("9999-12-31T23:59:59-12:00")}, "out of range"),
        ({"at": datetime.fromisoformat("0001-01-01T00:00:00+14:00")}, "out of range"),
        ({"id": "a\nb"}, "The id"),
        ({"id": ""}, "The id"),
        ({"id": "x" * 501}, "The id"),
        ({"title": "a\udcff"}, "The title"),
        ({"title": "x" * 301}, "The title"),
        ({"aliases": ("fine", "\x1b[31m")}, "The alias"),
        ({"scope": "project:a\tb"}, "The name in the scope"),
    ],
)
def test_a_draft_cannot_be_wrong(fields: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        a_draft(**fields)  # type: ignore[arg-type]


def test_a_memory_is_live_until_it_is_superseded_or_ends() -> None:
    assert a_memory(scope=UNIVERSAL).is_live
    assert not a_memory(superseded_by="m2").is_live
    assert not a_memory(valid_to=a_memory().created_at).is_live


def test_every_text_of_a_memory_is_either_words_or_a_name() -> None:
    words, names = {one.name for one in WORDS}, set(NAMES)
    assert not words & names
    assert words | names == {one.name for one in field_types(Memory) if one.shape is Shape.TEXT}
    assert names == {"id", "superseded_by", "flag", "conflicts"}


@pytest.mark.parametrize("name", SOURCE_NAMES)
def test_every_text_of_a_source_is_a_name(name: str) -> None:
    given: dict[str, Any] = {name: "two\nlines"}
    with pytest.raises(InvalidValue, match=f"The {name} 'two"):
        Source(role=Role.USER, **given)


@pytest.mark.parametrize("name", ["path", "hash"])
def test_every_text_of_an_anchor_is_a_name(name: str) -> None:
    with pytest.raises(InvalidValue, match=f"The {name} of an anchor"):
        Anchor(**{"path": "a.py", name: ""})


@dataclass
class Later:
    """Fields as a later version may add them."""

    note: str | None = None
    remark: str = ""
    remarks: tuple[str, ...] = ()
    checked_at: datetime | None = None
    times: tuple[datetime, ...] = ()
    tries: int = 0


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"note": ""}, "The note is not usable"),
        ({"note": "x" * (MAX_TEXT_CHARS + 1)}, "1 to 20,000 characters"),
        ({"remark": "a\x00b"}, "The remark"),
        ({"remarks": ("fine", "a\ud800b")}, "The remarks"),
        ({"checked_at": datetime(1969, 1, 1, tzinfo=UTC)}, "out of range"),
        ({"times": (datetime(2026, 1, 1),)}, "no time zone"),
        ({"note": "n", "remark": "r", "remarks": ("a", "b"), "times": (datetime(2026, 1, 1, tzinfo=UTC),)}, None),
        ({}, None),
    ],
)
def test_later_fields_are_checked_by_their_types(
    fields: dict[str, Any], message: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_module, "LATER_FIELDS", field_types(Later))
    value: Any = Later(**fields)
    assert memory_module.later_fields(value) == fields
    if message is None:
        memory_module._check_later_fields(value)
    else:
        with pytest.raises(InvalidValue, match=message):
            memory_module._check_later_fields(value)
