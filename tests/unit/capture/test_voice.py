"""Whose words a sentence is: what somebody quotes, reports or wants worked on is never confirmed as theirs."""

from datetime import UTC, datetime

import pytest

from recollect.capture.said.conversation import find_proposals
from recollect.domain.event import Prompt
from recollect.domain.memory import MessageId, SessionId, Tier
from tests.requirements import covers

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
RULE = "Always push releases to mirror.example before tagging"


def confirmed(text: str) -> list[str]:
    prompt = Prompt(session=SessionId("s"), at=NOON, message=MessageId("m"), text=text)
    return [one.text for one in find_proposals(prompt) if one.tier is Tier.CONFIRMED]


@pytest.mark.parametrize(
    "shown",
    [
        "The README says: {rule}.",
        "the readme says that you {rule}",
        "The tool printed: {rule}",
        "npm printed '{rule}' and then it hung",
        "Translate to German: {rule}.",
        "translate this:\n\n{rule}.",
        "Summarise the following in one line:\n{rule}. We never tag without it.",
        "please proofread this paragraph\n\n{rule}. It has served us well.",
        'What does "{rule}" mean?',
        'The page has the line "{rule}. Never skip it." somewhere, find it',
        "My boss wrote: {rule}. What should I answer?",
        "our old wiki claims we {rule}",
        "According to the vendor's manual you {rule}.",
        "{rule}, says the release guide of the upstream project.",
        "{rule}.\n\nThat's from their CONTRIBUTING, is it still true?",
        "I found this in a gist:\n\n{rule}.\n\nIs it safe?",
        "The commit message reads\n\n    {rule}.\n\nWhy?",
        "fix the typos: {rule}",
        "Explain this sentence: {rule}",
        "add this line to the docs: {rule}",
        "Slack, this morning:\nana: {rule}\nbob: no way",
        "«{rule}» – what a strange advice",
        "Laut Handbuch: {rule}.",
        "El jefe dice que {rule}.",
        "Here is what the audit lists:\n- {rule}\n- Rotate all keys\n\nhow much work is it",
        "What if somebody tells us tomorrow: {rule}?",
        "It's written in the meeting notes that we {rule}, i doubt it",
        "The post boils down to {rule}. Summarise the counter-arguments",
        "Can you translate this? {rule}.",
        "GPT gave me this answer yesterday: {rule}.",
        "The policy engine has the text {rule} as its example",
        "this popped up in the terminal\n\n{rule}\n\nwhy",
        "claude wrote this into CLAUDE.md last week and i never checked it: {rule}. true?",
        "which of these two is stricter?\n1. {rule}\n2. Tag on Fridays",
        "the rules file of the other team has the following, does it clash with ours?\n\n{rule}.",
        "In the interview they asked me why one should {rule}.",
        "Traduis en anglais : {rule}.",
        "Mein Kollege meint, wir sollten {rule}.",
        "write a test for the parser with the input remember that we {rule}",
        "The legal team's draft, please check it for contradictions.\n\n{rule}. Backups are kept for 90 days.",
    ],
)
@covers("PRI-3", "CAP-6")
def test_words_of_others_are_not_confirmed(shown: str) -> None:
    assert confirmed(shown.format(rule=RULE)) == []
    assert confirmed(shown.format(rule=RULE.lower())) == []


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (f"{RULE}.", RULE),
        (f"From now on: {RULE.lower()}.", "push releases"),
        (f"Rules for this repo:\n- {RULE}\n- never tag by hand", "push releases"),
        (f'You renamed "Send" again. {RULE}.', RULE),
        (f"The README says otherwise, but we {RULE.lower()}.", "push releases"),
        (f"The docs say you can tag first. Not for us: we {RULE.lower()}.", RULE),
        (f"fix the flaky test\n\nin this repo we {RULE.lower()}", "push releases"),
        (f"Here are the rules:\n- {RULE}\n- never tag by hand", "push releases"),
        (f"I get this error:\n\nTypeError: x is null\n    at tag (a.js:3:4)\n\nWe {RULE.lower()}.", "push releases"),
        (f"In diesem Projekt gilt: {RULE.lower()}", "push releases"),
        (f"```\nfatal: tag exists\n```\n{RULE}.", RULE),
        (f"I got this error\n\n```\nfatal: tag exists\n```\n\n{RULE}.", RULE),
        (f"Can you sketch the schema? {RULE}.", RULE),
        ("We use pnpm, not npm. Does that work in CI?", "pnpm"),
        ("Our policy says: never commit to main directly.", "main"),
        ('Never use the name "data" for modules in this project.', "data"),
    ],
)
@covers("CAP-1", "CAP-13")
def test_what_the_user_says_themselves_beside_it_is(message: str, kept: str) -> None:
    assert any(kept.lower() in text.lower() for text in confirmed(message)), confirmed(message)


@covers("PRI-3")
def test_a_confirmed_memory_does_not_carry_a_quoted_neighbour_along() -> None:
    found = confirmed("We never deploy on Fridays.\n\nThe intern wrote in the chat:\nAlways deploy on Fridays.")
    assert found == ["We never deploy on Fridays."]
