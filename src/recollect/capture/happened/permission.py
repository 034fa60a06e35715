"""By what a failed tool is known again: by its error, or, where a person said no, by what was not to be done.

Every refusal reads alike. Known by its words, one of them would come with what helped against another.
"""

import re

from recollect.capture.happened.calls import command_of, is_edit, target_of
from recollect.capture.happened.failures import is_of_host
from recollect.capture.happened.shell import runs
from recollect.domain.event import ToolFailed

FIRST_WORDS = 3  # of a command that only looks around

_REFUSAL = re.compile(
    r"\s*(?:\w*Error: )?The user (?:has )?(?:rejected|denied|refused|declined|specified a rule|doesn't want|"
    r"does not want)\b",
    re.IGNORECASE,
)


def what_failed(event: ToolFailed) -> str:
    """Empty: a host's own tool was used wrongly, or the host speaks of itself."""
    if not _REFUSAL.match(event.error):
        return "" if is_edit(event.tool) or is_of_host(event.error) else event.error
    target = target_of(event.input).replace("\\", "/").rpartition("/")[2]
    return f"Permission refused: {_describe_command(command_of(event.tool, event.input)) or f'{event.tool} {target}'.strip()}"


def _describe_command(command: str) -> str:
    """The program, its task and its flags; what it was to work on is another one next time."""
    found = runs(command)
    if not found:
        return " ".join(command.split()[:FIRST_WORDS])
    run = found[0]
    return " ".join(word for word in run.words if word in (run.words[0], run.task) or word.startswith("-"))
