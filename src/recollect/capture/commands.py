"""The project's commands: how its tests are run, how it is built. One of each, learnt by seeing it work.

What only passes once may be a part of it; what names single files or tests is one.
"""

import re
from dataclasses import dataclass, field

from recollect.capture.calls import command_of, is_shell
from recollect.capture.failures import failure_of
from recollect.capture.patterns import Pattern
from recollect.capture.roles import Purpose, purpose_of
from recollect.capture.shell import Run, runs, shown
from recollect.domain.event import Event, Prompt, ToolFailed, ToolSucceeded
from recollect.domain.learning import Basis, Origin, Proposal
from recollect.domain.memory import Kind, Role, Tier

TIMES = 2  # that a command has to work before it is one of the project's
MAX_COMMAND_CHARS, MAX_SAID_CHARS = 120, 4000
MAX_COMMANDS = 12  # per purpose that are counted
DURABILITY = 0.75

_SENTENCES = {
    Purpose.TEST: "Tests run with `{}`.",
    Purpose.BUILD: "The build runs with `{}`.",
    Purpose.LINT: "The linter runs with `{}`.",
    Purpose.TYPES: "Types are checked with `{}`.",
    Purpose.FORMAT: "The code is formatted with `{}`.",
    Purpose.INSTALL: "Dependencies are installed with `{}`.",
    Purpose.START: "The project is started with `{}`.",
    Purpose.MIGRATE: "Migrations run with `{}`.",
}
_TITLES = {purpose: f"Command for {purpose.value}" for purpose in Purpose}
# Of one moment: a single test, a place to write to, a package that is added.
_MOMENTARY = Pattern(
    r"\s(?:-k|-t|-x|--lf|--last-failed|--pdb|-s|--maxfail\S*|--testNamePattern|-run|--grep|--filter|--tests|--only|"
    r"--watch|-count=\d+|-vv*|--tb=\S+|-D\S+|--save-dev|-g|--global)(?:[= ]|$)|::"
)


@dataclass(slots=True)
class _Seen:
    worked: dict[str, int] = field(default_factory=dict)
    has_failed: bool = False  # another command for the same, before
    proposed: str = ""


class Commands:
    """Hears a session; says how something is done here once it is known to work."""

    def __init__(self) -> None:
        self._seen: dict[Purpose, _Seen] = {}
        self._said = ""  # what the user said last

    def hear(self, event: Event) -> list[Proposal]:
        match event:
            case Prompt() if event.origin is Origin.USER:
                self._said = f"{self._said[-MAX_SAID_CHARS:]}\n{event.text[:MAX_SAID_CHARS]}"
                return []
            case ToolSucceeded() | ToolFailed() if is_shell(event.tool):
                return self._ran(event)
            case _:
                return []

    def _ran(self, event: ToolSucceeded | ToolFailed) -> list[Proposal]:
        command = command_of(event.tool, event.input)
        work = runs(command)
        line = shown(command)
        if len(work) != 1 or not line or len(line) > MAX_COMMAND_CHARS or "\n" in command.strip():
            return []
        purpose = purpose_of(work[0])
        if purpose is None or _is_momentary(line, work[0], purpose):
            return []
        seen = self._seen.setdefault(purpose, _Seen())
        error = failure_of(event)
        if error or isinstance(event, ToolFailed):
            seen.has_failed = seen.has_failed or (line not in seen.worked and _is_missing(error))
            return []
        seen.worked[line] = seen.worked.get(line, 0) + 1
        if len(seen.worked) > MAX_COMMANDS:
            del seen.worked[next(iter(seen.worked))]
        return self._proposed(purpose, seen, line)

    def _proposed(self, purpose: Purpose, seen: _Seen, line: str) -> list[Proposal]:
        was_said = line in self._said
        times = seen.worked.get(line, 0)
        is_known = times >= TIMES or was_said or seen.has_failed
        takes_over = not seen.proposed or times > seen.worked.get(seen.proposed, 0) or was_said
        if not is_known or line == seen.proposed or not takes_over:
            return []
        seen.proposed = line
        return [
            Proposal(
                text=_SENTENCES[purpose].format(line),
                kind=Kind.RESEARCH,
                tier=Tier.CONFIRMED,
                basis=Basis.COMMAND,
                role=Role.ASSISTANT,
                evidence=(line,),
                durability=DURABILITY,
                title=_TITLES[purpose],
            )
        ]


def _is_momentary(line: str, run: Run, purpose: Purpose) -> bool:
    if _MOMENTARY.search(line):
        return True
    if purpose is Purpose.INSTALL:  # of one package
        return (
            any(not word.startswith("-") for word in run.words[2:]) and "-r" not in run.words and "-e" not in run.words
        )
    return any(re.search(r"\.\w{1,5}$", target) for target in run.targets)


def _is_missing(error: str) -> bool:
    """The command itself was the wrong one: there is no such script, program or target."""
    return bool(
        re.search(
            r"command not found|: not found\s*$|is not recognized|missing script|no rule to make target|"
            r"unknown (?:command|task|script)|no module named '?(?:pytest|mypy|ruff|tox|black)|"
            r"could not determine executable",
            error[:4000],
            re.IGNORECASE | re.MULTILINE,
        )
    )
