"""Memories in what a host's model wrote for other reasons."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.capture.recaps.harvest import harvest
from recollect.domain.learning import Basis
from recollect.domain.memory import Kind, Role, Tier
from tests.builders import a_turn

SUMMARY = """\
This session is being continued from a previous conversation that ran out of context.
<analysis>
The worker was decided to use RabbitMQ instead of Kafka in an earlier thought.
</analysis>

Summary:
1. Primary Request and Intent:
   The user asked to move the billing worker to a queue.

2. Key Technical Concepts:
   - Redis streams in version 7.2

3. Files and Code Sections:
   - `src/billing/worker.py`
     - Pulls invoices from the queue and retries three times

4. Errors and fixes:
   - **TypeError: Object of type Decimal is not JSON serializable**:
     - Fixed by DecimalEncoder in encode.py
     - User feedback: none

5. Problem Solving:
   Decided to use Redis streams instead of RabbitMQ because Redis is already deployed.

6. All user messages:
   - "never mock Redis in tests/billing"

7. Pending Tasks:
   - Write the migration of billing/invoices.sql
"""


def read(text: str) -> dict[str, Kind]:
    return {proposal.text: proposal.kind for proposal in harvest(text)}


def test_the_summary_of_a_compaction_is_read_by_its_sections() -> None:
    assert read(SUMMARY) == {
        "TypeError: Object of type Decimal is not JSON serializable: Fixed by DecimalEncoder in encode.py": (
            Kind.ERROR_PATTERN
        ),
        "Decided to use Redis streams instead of RabbitMQ because Redis is already deployed.": Kind.DECISION,
        "src/billing/worker.py: Pulls invoices from the queue and retries three times": Kind.FILE_CONTEXT,
    }


@pytest.mark.parametrize(
    "text",
    [
        "## Worth remembering\n- [decision] Billing uses Redis streams, not RabbitMQ.",
        "### Worth Remembering:\n* **decision**: Billing uses Redis streams, not RabbitMQ.",
        "**Worth remembering:**\n\n1. decision - Billing uses Redis streams, not RabbitMQ.",
        "Some text.\n\nWorth remembering:\n- (decision) Billing uses Redis streams, not RabbitMQ.",
        "# Worth remembering\n- Decision: Billing uses Redis streams, not RabbitMQ.",
        "## Worth remembering\n[decision] Billing uses Redis streams, not RabbitMQ.",
    ],
)
def test_the_list_that_was_asked_for_is_read_in_whatever_form_it_comes(text: str) -> None:
    assert read(text) == {"Billing uses Redis streams, not RabbitMQ.": Kind.DECISION}


def test_every_kind_is_known_by_its_name() -> None:
    lines = [f"- [{kind}] Number {n} of the shop is called `item_{n}` there." for n, kind in enumerate(Kind)]
    found = harvest("## Worth remembering\n" + "\n".join(lines))
    assert {proposal.kind for proposal in found} == set(Kind)


def test_no_more_than_eight_are_taken_from_the_list() -> None:
    lines = "\n".join(f"- [decision] Shard {n} lives on the host `db-{n}.internal` since May." for n in range(30))
    assert len(read(f"## Worth remembering\n{lines}")) == 8


@pytest.mark.parametrize("nothing", ["- none", "None.", "- Nothing new.", "", "- [decision]"])
def test_a_list_without_anything_in_it_gives_nothing(nothing: str) -> None:
    assert read(f"## Worth remembering\n{nothing}\n") == {}


@given(
    st.lists(
        st.sampled_from(
            ["## Worth remembering\n", "- [decision] ", "- ", "Fixed by ", "src/a.py ", "because ", "\n", "\n\n",
             "```", "<analysis>", "</analysis>", "The user prefers ", "instead of ", "a" * 500, "\x00", "日本", ". ",
             "3. Files:\n", "never ", ": "]
        ),
        max_size=60,
    ).map("".join)
)  # fmt: skip
@settings(deadline=None)
def test_whatever_a_model_writes_proposals_are_few_short_and_only_candidates(text: str) -> None:
    found = harvest(text)
    assert len(found) <= 20
    for proposal in found:
        assert len(proposal.text) <= 400
        assert proposal.tier is Tier.CANDIDATE
        assert (proposal.basis, proposal.role) == (Basis.SUMMARY, Role.ASSISTANT)
    assert found == harvest(text)


ASKED = "Fix the pager. And we never mock Redis in the billing tests, it hid two bugs."
WORTH = "## Worth remembering\n- [rule] Redis is never mocked in the billing tests{}"


@pytest.mark.parametrize(
    "quote", ['. "we never mock Redis in the billing tests"', " (“never mock Redis in the billing tests”)."]
)
def test_what_a_summary_names_is_confirmed_with_the_users_own_words(quote: str) -> None:
    (found,) = harvest(WORTH.format(quote), said=[a_turn(ASKED, message="m7")])
    assert (found.tier, found.role, found.messages) == (Tier.CONFIRMED, Role.USER, ("m7",))
    assert found.text.startswith("Redis is never mocked in the billing tests")
    assert found.evidence[0] in ASKED


@pytest.mark.parametrize(
    ("quote", "said"),
    [
        ("", ASKED),  # no quote
        (' "Redis is never ever to be mocked"', ASKED),  # made up
        (' "Fix the pager. And we"', ASKED),  # real, and of something else
        (' "do we never mock Redis in the billing tests"', "Wait, do we never mock Redis in the billing tests?"),
        (' "never mock Redis in the billing tests"', "The page says:\n> never mock Redis in the billing tests\nTrue?"),
        (' "never mock Redis in the billing tests"', "```\nnever mock Redis in the billing tests\n```\nWhat is this"),
    ],
)
def test_without_them_it_is_a_candidate(quote: str, said: str) -> None:
    (found,) = harvest(WORTH.format(quote), said=[a_turn(said)])
    assert (found.tier, found.role) == (Tier.CANDIDATE, Role.ASSISTANT)
