"""Identify a failed tool call: by its error, or, if the user refused it, by the refused action.

All refusals read alike: identified by their words, one would be answered with the fix of another.
"""

import re

from recollect.capture.happened.calls import command_of, is_edit, target_of
from recollect.capture.happened.failures import is_of_host
from recollect.capture.happened.shell import runs
from recollect.domain.event import ToolFailed

FIRST_WORDS = 3  # of a command that runs no known program

_REFUSAL = re.compile(
    r"\s*(?:\w*Error: )?The user (?:has )?(?:rejected|denied|refused|declined|specified a rule|doesn't want|"
    r"does not want)\b",
    re.IGNORECASE,
)


def failure_text(event: ToolFailed) -> str:
    """Return the text that identifies this failure; empty: a host's own tool was used wrongly, or the host reports about
    itself."""
    if not _REFUSAL.match(event.error):
        return "" if is_edit(event.tool) or is_of_host(event.error) else event.error
    file = target_of(event.input).replace("\\", "/").rpartition("/")[2]
    refused = _describe_command(command_of(event.tool, event.input)) or f"{event.tool} {file}".strip()
    return f"Permission refused: {refused}"


def _describe_command(command: str) -> str:
    """The program, its task and its flags; the rest differs each time."""
    found = runs(command)
    if not found:
        return " ".join(command.split()[:FIRST_WORDS])
    run = found[0]
    return " ".join(word for word in run.words if word in (run.words[0], run.task) or word.startswith("-"))
