"""Recognise failed tool calls, and return their error. Pure.

The host reports a failure, or the output does: a shell line that ends with `| tail` succeeds even if its command failed.
A refusal by the user, a cancellation and a time-out are no errors of the work.
"""

import re
from typing import Any

from recollect.capture.happened.calls import command_of, is_edit, is_shell, target_of
from recollect.capture.happened.shell import runs
from recollect.domain.event import ToolFailed, ToolSucceeded
from recollect.text.lazy_pattern import LazyPattern

MAX_CHARS = 20_000  # of an output; a longer one is cut in the middle
TAIL_LINES = 40
FIRST_WORDS = 3  # of a refused command that runs no known program

_EXIT_LINE = LazyPattern(
    r"^\W{0,3}(?:(?:Command |Process )?exit(?:ed)?(?: with)?(?: code| status)?[:=]?\s{0,3}|<exit_code>)"
    r"(?P<code>-?\d+)\b",
    re.IGNORECASE,
)
_EXIT_KEYS = ("exit", "exit_code", "exitCode", "returncode")
_REFUSAL = LazyPattern(
    r"user (?:doesn't|does not|didn't|did not) want|(?:rejected|denied|refused|declined) by (?:the )?user|"
    r"user (?:has )?(?:rejected|denied|refused|declined|specified a rule)|permission (?:to use|was not granted|"
    r"for this)|haven't granted|requires approval|(?:operation|request|command|tool|"
    r"execution)[\w ]{0,20} (?:was )?(?:cancell?ed|aborted|interrupted)|^(?:cancell?ed|aborted|interrupted)\b|"
    r"\[request interrupted|interrupted by (?:the )?user",
    re.IGNORECASE,
)
# At the beginning, as hosts report it.
_REFUSED_BY_USER = LazyPattern(
    r"\s*(?:\w*Error: )?The user (?:has )?(?:rejected|denied|refused|declined|specified a rule|doesn't want|"
    r"does not want)\b",
    re.IGNORECASE,
)
_TIMEOUT = LazyPattern(
    r"^(?:\W|error:?\s)*(?:the )?(?:command|tool|bash|shell|request|operation|process|execution)?[\w ]{0,20}"
    r"\b(?:timed? ?out\b|time-out|exceeded (?:the )?time)[\w ,.():]{0,60}$",
    re.IGNORECASE,
)
# Messages of the host itself: Claude Code marks them, and a program that it ended reports the signal.
_BY_HOST = LazyPattern(r"\s*<tool_use_error>|\s*Exit code (?:124|130|137|143)\b|.{0,80}\bis temporarily unavailable\b")
_FAILURE_SUMMARY = LazyPattern(
    r"^(?:=+ .*\b\d+ (?:failed|errors?)\b.* =+|\d+ failed[,\s]|FAILED \(|Tests?:\s+\d+ failed|"
    r"Test Suites:\s+\d+ failed|\s*Tests\s+\d+ failed|--- FAIL: |FAIL\t\S|FAIL$|\s*\d+ failing$|test result: FAILED|"
    r"BUILD FAILED|FAILURE: Build failed|\[ERROR\] (?:BUILD FAILURE|Failed to execute goal)|error: could not compile|"
    r"error\[E\d{4}\]|npm ERR! |npm error |\S+\(\d+,\d+\): error |.{0,200}\berror TS\d{3,5}:|Found [1-9]\d* errors?\b|"
    r"make(?:\[\d+\])?: \*\*\* |Error: Process completed|✖ [1-9]\d* problems? \([1-9]|"
    r"[1-9]\d* examples?, [1-9]\d* failures?|Build FAILED\.|ERROR: failed to solve|[\w.]*(?:Error|Exception): \S)",
    re.MULTILINE,
)
_TRACE = LazyPattern(r"^(?:Traceback \(most recent call last\)|thread '.{1,80}' panicked at |panic: )", re.MULTILINE)
# They show stored text: an error in it is an old one.
_SHOWING_TASKS = frozenset("log show diff logs blame describe get status".split())


def failure_of(event: ToolFailed | ToolSucceeded) -> str:
    """Return the error text; empty: the call did not fail."""
    if isinstance(event, ToolFailed):
        return event.error
    if not is_shell(event.tool):
        return ""
    output = event.output
    if len(output) > MAX_CHARS:
        output = f"{output[: MAX_CHARS // 2]}\n{output[-MAX_CHARS // 2 :]}"
    code = _exit_code(event.input, output)
    if code is not None:
        return output if code != 0 else ""
    work = runs(command_of(event.tool, event.input))
    if not work or work[-1].task in _SHOWING_TASKS:
        return ""
    tail = "\n".join(output.splitlines()[-TAIL_LINES:])
    return output if _FAILURE_SUMMARY.search(tail) or _TRACE.search(tail) else ""


def is_work_error(error: str) -> bool:
    """Return True if the work itself failed: the user, a time-out or the host did not stop it."""
    first = next((line for line in error.splitlines() if line.strip()), "")
    return not (is_refusal(error) or is_of_host(error) or _TIMEOUT.match(first[:200]))


def is_of_host(error: str) -> bool:
    """Return True if the host reports about itself, or about how its tools are used."""
    return bool(_BY_HOST.match(error))


def is_refusal(error: str) -> bool:
    return bool(_REFUSAL.search(error[:600]))


def failure_text(event: ToolFailed) -> str:
    """Return the text that identifies this failure; empty: it is about the host, or a wrong use of its tools."""
    # All refusals read alike: by their words, one would be answered with the fix of another.
    if not _REFUSED_BY_USER.match(event.error):
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


def _exit_code(given: dict[str, Any], output: str) -> int | None:
    for name in _EXIT_KEYS:
        if isinstance(code := given.get(name), int) and not isinstance(code, bool):
            return code
    lines = output.strip().splitlines()
    for line in (*lines[:1], *lines[-1:]):
        if said := _EXIT_LINE.match(line):
            return int(said["code"])
    return None
