"""Claude Code's memory folder: an index and a file for each topic."""

import pytest

from recollect.domain.memory import Kind
from recollect.imports.claude_code_memory import is_topic, parse
from tests.unit.imports.reading import FILE, drafts, told

TOPIC = """\
---
name: real-database-in-tests
description: "Integration tests use a real database"
type: {type}
---

Integration tests talk to a real database.

**Why:** a fake hid a broken migration once.
"""


@pytest.mark.parametrize(
    ("told_type", "kind"),
    [
        ("user", Kind.PREFERENCE),
        ("feedback", Kind.RULE),
        ("project", Kind.DECISION),
        ("reference", Kind.RESEARCH),
    ],
)
def test_a_short_topic_is_one_memory_of_its_type(told_type: str, kind: Kind) -> None:
    text = TOPIC.format(type=told_type)
    (draft,) = drafts(parse(text, FILE))
    assert is_topic(text)
    assert draft.kind is kind
    assert draft.text == "Integration tests talk to a real database.\nWhy: a fake hid a broken migration once."
    assert (draft.title, draft.aliases) == ("Integration tests use a real database", ("real-database-in-tests",))
    assert draft.source.message == "CLAUDE.md:7"


def test_feedback_that_prefers_is_a_preference() -> None:
    text = "---\nname: a\ntype: feedback\n---\nPrefers short answers without a summary."
    assert [draft.kind for draft in drafts(parse(text, FILE))] == [Kind.PREFERENCE]


def test_a_type_below_metadata_counts_too() -> None:
    text = "---\nname: a\nmetadata:\n  type: reference\n---\nThe board of the on-call team is called Lighthouse."
    assert is_topic(text)
    assert [draft.kind for draft in drafts(parse(text, FILE))] == [Kind.RESEARCH]


def test_a_topic_with_sections_is_read_like_markdown_with_its_name_before_the_section() -> None:
    sections = "# Deploys\n\n## Staging\n- goes out every night\n\n## Production\n- goes out on Tuesdays"
    text = f"---\nname: deploys\ntype: project\n---\n{sections}"
    found = drafts(parse(text, FILE))
    assert [(draft.title, draft.text) for draft in found] == [
        ("deploys / Staging", "goes out every night"),
        ("deploys / Production", "goes out on Tuesdays"),
    ]
    assert {draft.kind for draft in found} == {Kind.DECISION}


def test_the_index_only_repeats_the_topics_but_its_own_sentences_count() -> None:
    text = "# Memory index\n- [Real database](db.md) — in tests\n- Staging is rebuilt every night\n"
    assert told(parse(text, FILE)) == [(3, "decision", "Staging is rebuilt every night")]


def test_a_topic_of_nothing_but_front_matter_says_what_its_description_says() -> None:
    assert [draft.text for draft in drafts(parse("---\ndescription: Likes tea\ntype: user\n---\n", FILE))] == [
        "Likes tea"
    ]
    assert drafts(parse("---\nname: empty\ntype: user\n---\n", FILE)) == []
