"""mem0: the answer of get_all, a list, or a line each."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Kind
from recollect.imports.mem0 import parse
from tests.unit.imports.reading import FILE, bad, drafts, left

MEMORY: dict[str, Any] = {
    "id": "0b5f", "memory": "Deploys go out on Tuesdays", "hash": "abc", "user_id": "ana", "metadata": None,
    "categories": ["work"], "created_at": "2026-01-01T08:00:00-08:00", "updated_at": "2026-01-03T08:00:00+00:00",
}  # fmt: skip
OTHER = MEMORY | {"memory": "Prefers tabs", "updated_at": None}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"results": [MEMORY, OTHER]}),
        json.dumps({"count": 2, "next": None, "results": [MEMORY, OTHER]}, indent=2),
        json.dumps({"memories": [MEMORY, OTHER]}),
        json.dumps([MEMORY, OTHER]),
        f"{json.dumps(MEMORY)}\n{json.dumps(OTHER)}\n",
    ],
)
def test_every_form_gives_the_same_memories(text: str) -> None:
    found = drafts(parse(text, FILE))
    assert [(draft.text, draft.kind) for draft in found] == [
        ("Deploys go out on Tuesdays", Kind.DECISION),
        ("Prefers tabs", Kind.PREFERENCE),
    ]
    assert [draft.at for draft in found] == [datetime(2026, 1, 3, 8, tzinfo=UTC), datetime(2026, 1, 1, 16, tzinfo=UTC)]
    assert {draft.scope for draft in found} == {FILE.scope}


@pytest.mark.parametrize(
    ("about", "kind"),
    [
        ({"metadata": {"type": "rule"}}, Kind.RULE),
        ({"metadata": {"category": "bugfix"}}, Kind.ERROR_PATTERN),
        ({"metadata": {"type": "success"}}, Kind.OUTCOME),
        ({"categories": ["Decisions"]}, Kind.DECISION),
        ({"categories": ["user_preferences"]}, Kind.PREFERENCE),
        ({"metadata": {"type": 5}, "categories": "x"}, Kind.DECISION),
    ],
)
def test_metadata_and_categories_may_tell_the_kind(about: dict[str, Any], kind: Kind) -> None:
    assert [draft.kind for draft in drafts(parse(json.dumps([MEMORY | about]), FILE))] == [kind]


def test_what_no_longer_holds_is_left_out_and_odd_records_are_named() -> None:
    gone = [MEMORY | {"expiration_date": "2026-01-31"}, MEMORY | {"state": "deleted"}]
    entries = list(parse(json.dumps({"results": [*gone, 5, {"memory": " "}, MEMORY], "relations": [{}]}), FILE))
    assert left(entries) == [
        (0, "the relations of a graph (1): the memories say the same in words"),
        (1, "a memory that expired on 2026-01-31"),
        (2, "a memory that is deleted"),
    ]
    assert [number for number, _ in bad(entries)] == [3, 4]
    assert len(drafts(entries)) == 1


def test_a_bad_line_is_named_and_the_rest_kept() -> None:
    entries = list(parse(f"{json.dumps(MEMORY)}\n{{\n\n{json.dumps(OTHER)}", FILE))
    assert [number for number, _ in bad(entries)] == [2]
    assert len(drafts(entries)) == 2


@pytest.mark.parametrize("text", ["", "{", "5", "{}", '{"results": 5}'])
def test_another_file_is_refused(text: str) -> None:
    with pytest.raises(InvalidValue):
        list(parse(text, FILE))
