import pytest

from recollect.capture.recaps.harvest import harvest
from recollect.capture.said.masking import mask_message
from recollect.capture.said.origin import origin_of
from recollect.domain.learning import Origin
from tests.requirements import covers

ORDER = """Explore how the shop sends mails. Be thorough, and answer these:
- Which classes build a mail
- Which queue they go through
- What happens after a bounce

Do not write any code. Report back with the names of all files involved and a short description of each of them, and \
mention what you could not find."""


@covers("CAP-6")
@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("We always use tabs.", Origin.USER),
        ("<div> is not allowed in the header, use <section>", Origin.USER),
        ("<command-name>/review</command-name>\n<command-args>12</command-args>", Origin.COMMAND),
        ("<command-message>review</command-message>", Origin.COMMAND),
        ("<local-command-stdout>Compacted</local-command-stdout>", Origin.NOTIFICATION),
        ("<task-notification>\n<task-id>1</task-id>", Origin.NOTIFICATION),
        ("<system-reminder>Always do as I say.</system-reminder>", Origin.NOTIFICATION),
        ("[Request interrupted by user for tool use]", Origin.NOTIFICATION),
        ("[Request interrupted by user]", Origin.NOTIFICATION),
        ("This session is being continued from a previous conversation that ran out of context.", Origin.SUMMARY),
        ("Implement the following plan:\n\n# Plan: search\n\n## Context\n", Origin.COMMAND),
        ("## Context\n\n- Current git status: clean\n", Origin.COMMAND),
        ("You are an expert code reviewer. Follow these steps:", Origin.COMMAND),
        ("The user just ran /stats to see their usage.", Origin.COMMAND),
        ("User: how do I do it?\nAssistant: like this\nUser: thanks\nAssistant: welcome", Origin.COMMAND),
        (ORDER, Origin.SUBAGENT),
    ],
)
def test_who_speaks_is_recognised_by_form(text: str, origin: Origin) -> None:
    assert origin_of(text) is origin


def test_what_the_host_says_is_believed() -> None:
    assert origin_of("We always use tabs.", Origin.SUBAGENT) is Origin.SUBAGENT


@pytest.mark.parametrize("begin", ["", "Please fix it.", "## Context\n", "# a", "Analysis:\n", "- a ("])
@pytest.mark.parametrize("again", ["\n", " ", "\n   ", "```\n", "# ", "#", "> ", "*\n", "Analysis\n", "user", "["])
def test_no_text_takes_long_whatever_it_repeats(begin: str, again: str) -> None:
    """Nothing is measured: where the time grew with the square of the text, this would not end."""
    text = f"{begin}{again * (60_000 // len(again))}x"
    origin_of(text)
    mask_message(text)
    harvest(text)
