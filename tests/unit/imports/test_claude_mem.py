"""claude-mem: observations and summaries, whatever is missing in them."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import KINDS_ELSEWHERE, Kind, Sensitivity
from recollect.imports.claude_mem import parse
from recollect.imports.entry import Entry
from tests.requirements import covers
from tests.unit.imports.reading import FILE, bad, drafts, left, named

OBSERVATION: dict[str, Any] = {
    "id": 7, "memory_session_id": "s-1", "project": "shop", "type": "bugfix", "title": "Refunds were counted twice",
    "subtitle": "A retry ran the job again",
    "narrative": "The worker retried after a timeout and booked the refund again.",
    "facts": '["The job has an idempotency key now", "Retries stop after three"]', "concepts": '["gotcha", "refunds"]',
    "files_read": '["src/queue.py"]', "files_modified": '["src/refunds.py"]', "prompt_number": 3,
    "created_at": "2026-01-02T03:04:05.000Z", "created_at_epoch": 1767323045000,
}  # fmt: skip


def read(**parts: Any) -> list[Entry]:
    return list(parse(json.dumps({"exportedAt": "x", "sessions": [], **parts}), FILE, named))


@covers("MEM-2")
def test_an_observation_is_one_memory_with_its_facts_files_and_time() -> None:
    (draft,) = drafts(read(observations=[OBSERVATION]))
    assert draft.text == (
        "Refunds were counted twice.\nThe worker retried after a timeout and booked the refund again.\n"
        "- The job has an idempotency key now\n- Retries stop after three"
    )
    assert (draft.kind, draft.title) == (Kind.ERROR_PATTERN, "Refunds were counted twice")
    assert (str(draft.scope), draft.source.session) == ("project:name:shop", "s-1")
    assert draft.at == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert [anchor.path for anchor in draft.anchors] == ["src/refunds.py", "src/queue.py"]
    assert draft.aliases == ("refunds",)


@covers("MEM-2")
@pytest.mark.parametrize(
    ("theirs", "ours"), [*KINDS_ELSEWHERE.items(), ("decision", Kind.DECISION), ("odd", Kind.RESEARCH)]
)
def test_every_type_of_theirs_is_a_kind_of_ours(theirs: str, ours: Kind) -> None:
    assert [draft.kind for draft in drafts(read(observations=[OBSERVATION | {"type": theirs}]))] == [ours]


def test_what_is_sensitive_there_is_restricted_here() -> None:
    (draft,) = drafts(read(observations=[OBSERVATION | {"type": "sensitive"}]))
    assert draft.sensitivity is Sensitivity.RESTRICTED


def test_of_a_summary_what_was_learned_and_done_is_kept() -> None:
    summary = {
        "project": "shop", "request": "Mend refunds", "learned": "Retries are not idempotent.",
        "completed": "Added a key.", "next_steps": "Watch the queue.", "created_at_epoch": 1767323045,
    }  # fmt: skip
    entries = read(observations=[], summaries=[summary, {"request": "Nothing"}], prompts=[{"prompt_text": "Hello"}] * 3)
    assert [(draft.kind, draft.text, draft.title) for draft in drafts(entries)] == [
        (Kind.RESEARCH, "Retries are not idempotent.", "Mend refunds"),
        (Kind.OUTCOME, "Added a key.\nNext: Watch the queue.", "Mend refunds"),
    ]
    assert drafts(entries)[0].at == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert left(entries) == [
        (2, "a summary of a session that learned and did nothing"),
        (0, "prompts typed in sessions (3)"),
    ]


def test_odd_records_are_named_by_number_and_the_rest_kept() -> None:
    odd = [
        5,
        {"type": "bugfix"},
        {"title": "Bare", "facts": 5, "concepts": None, "files_read": "a.py", "created_at_epoch": "x"},
    ]
    entries = read(observations=[*odd, {"text": "An old one", "project": "a\nb"}, OBSERVATION])
    assert [number for number, _ in bad(entries)] == [1, 2, 4]
    found = drafts(entries)
    assert [draft.text.split("\n")[0] for draft in found] == ["Bare", "Refunds were counted twice."]
    assert (found[0].at, found[0].scope) == (FILE.at, FILE.scope)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"observations": 5}'])
def test_another_file_is_refused(text: str) -> None:
    with pytest.raises(InvalidValue):
        list(parse(text, FILE, named))
