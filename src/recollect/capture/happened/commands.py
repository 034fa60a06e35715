"""The project's commands: how its tests are run, how it is built. One for each purpose and part of the project, learnt
by seeing it work.

A run of one test, one file or one pattern is none, nor is a line that hides how it ended. What passed once is a
candidate.
"""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from recollect.capture.happened.calls import command_of, is_shell
from recollect.capture.happened.command_purposes import Purpose, purpose_of, variant_of
from recollect.capture.happened.failures import failure_of
from recollect.capture.happened.folders import Folders
from recollect.capture.happened.shell import Run, is_cosmetic, is_filter, runs
from recollect.capture.patterns import LazyPattern
from recollect.domain.event import Event, Prompt, ToolFailed, ToolSucceeded
from recollect.domain.learning import Basis, Origin, Proposal
from recollect.domain.memory import Kind, Role, Tier

MIN_TIMES = 2  # that a command has to work in one session before it is one of the project's
MAX_COMMAND_CHARS, MAX_TEXT_CHARS = 160, 4000
MAX_COMMANDS = 12  # per purpose that are counted
DURABILITY, DOUBTFUL = 0.75, 0.6

_LABELS = {
    Purpose.TEST: "Tests",
    Purpose.BUILD: "Build",
    Purpose.LINT: "Lint",
    Purpose.TYPES: "Type check",
    Purpose.FORMAT: "Format",
    Purpose.INSTALL: "Install",
    Purpose.START: "Start",
    Purpose.MIGRATE: "Migrations",
    Purpose.DEPLOY: "Deploy",
    Purpose.CHECK: "Check",
}
_SHORTENED_OUTPUT = LazyPattern(r"\s*(?:2>&1\s*)?\|\s*(?:tail|head|tee|cat|less)\b[^|;&]*$|\s*2>&1\s*$")
_AD_HOC = LazyPattern(
    r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-|[|;<>$`(){}\\\n*!?]|(?<!&)&(?!&)|(?:^|[\s=])(?:/|~|[A-Za-z]:[/\\]|\.\./)"
)
_TIMING_WRAPPER = LazyPattern(r"^(?:(?:timeout|gtimeout)\s+(?:-\S+\s+)*[\d.]+[smhd]?|time|nice)\s+")
_MODES = frozenset("watch debug ui only fix update coverage cov staged changed".split())
_FLAGS_WITH_FILE = frozenset(
    "-c --config -r --requirement -e --editable -f --file --rcfile --extra --group --configuration --preset".split()
)
_SOLUTION = LazyPattern(r"\.(?:\w+proj|slnx?)$")  # of .NET: a part of the project
_WHOLE_PROJECT = LazyPattern(r"\.|\./\.\.\.|run|check|test|compose|up|head|\.?\[[\w,]+\]|[a-z_]+")
_MISSING = LazyPattern(
    r"command not found|: not found\s*$|is not recognized|missing script|no rule to make target|"
    r"unknown (?:command|task|script)|no projects matched|none of the selected packages|no such (?:script|task)|"
    r"no module named '?(?:pytest|mypy|ruff|tox|black)|could not determine executable",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class ProjectCommand:
    """A command as a README would tell it."""

    purpose: Purpose
    part: str  # of the project: a folder, a package, a sort of tests
    line: str
    folder: str  # where it is run, below the project's own; empty: there


@dataclass(slots=True)
class _CommandRecord:
    worked: dict[ProjectCommand, int] = field(default_factory=dict)
    has_failed: bool = False  # another command for the same, before: there is no such thing
    proposed: ProjectCommand | None = None
    is_sure: bool = False


class Commands:
    """Hears a session; says how something is done here once it is known to work."""

    def __init__(self) -> None:
        self._seen: dict[tuple[Purpose, str], _CommandRecord] = {}
        self._folders = Folders()
        self._said = ""  # by the user

    def hear(self, event: Event) -> list[Proposal]:
        self._folders.hear(event)
        match event:
            case Prompt() if event.origin is Origin.USER:
                self._said = f"{self._said[-MAX_TEXT_CHARS:]}\n{event.text[:MAX_TEXT_CHARS]}"
            case ToolSucceeded() | ToolFailed() if is_shell(event.tool):
                folder = self._folders.folder_below_root(event)
                if folder is not None:
                    found = find_project_commands(command_of(event.tool, event.input), folder)
                    return [one for command in found for one in self._hear_command(event, command)]
            case _:
                pass
        return []

    def _hear_command(self, event: ToolSucceeded | ToolFailed, command: ProjectCommand) -> Iterator[Proposal]:
        seen = self._seen.setdefault((command.purpose, command.part), _CommandRecord())
        error = failure_of(event)
        if isinstance(event, ToolSucceeded) and _MISSING.search(event.output[:MAX_TEXT_CHARS]):
            error = event.output  # `... | tail` ends well, whatever came before
        if error or isinstance(event, ToolFailed):
            seen.has_failed = seen.has_failed or (command not in seen.worked and bool(_MISSING.search(error[:4000])))
            return
        seen.worked[command] = times = seen.worked.get(command, 0) + 1
        if len(seen.worked) > MAX_COMMANDS:
            del seen.worked[next(iter(seen.worked))]
        was_said = bool(re.search(rf"(?<![\w-]){re.escape(command.line)}(?![\w:-])", self._said))
        is_sure = times >= MIN_TIMES or was_said or seen.has_failed
        is_known = seen.proposed == command and (seen.is_sure or not is_sure)
        is_less = seen.proposed is not None and times <= seen.worked.get(seen.proposed, 0)
        if is_known or (is_less and seen.proposed != command and not was_said):
            return
        seen.proposed, seen.is_sure = command, is_sure
        yield _proposal(command, is_sure=is_sure)


def _proposal(command: ProjectCommand, *, is_sure: bool) -> Proposal:
    where = f" (in {command.folder}/)" if command.folder else ""
    return Proposal(
        text=f"{_LABELS[command.purpose]}: `{command.line}`{where}",
        kind=Kind.RESEARCH,
        tier=Tier.CONFIRMED if is_sure else Tier.CANDIDATE,
        basis=Basis.COMMAND,
        role=Role.ASSISTANT,
        evidence=(command.line,),
        durability=DURABILITY if is_sure else DOUBTFUL,
        title=f"Command for {command.purpose.value}" + (f" ({command.part})" if command.part else ""),
    )


def find_project_commands(command: str, folder: str = "") -> list[ProjectCommand]:
    """The project's commands in a line, where all of them have worked if the line did."""
    line = _SHORTENED_OUTPUT.sub("", command.strip())
    steps = [step.strip() for step in line.split("&&")]
    if steps[0].startswith("cd "):  # `folder` is where it leads to
        steps = steps[1:]
    if not steps or any(step.startswith(("cd ", "pushd ")) for step in steps):
        return []
    return [found for step in steps if (found := _read_step(_TIMING_WRAPPER.sub("", step), folder)) is not None]


def _read_step(step: str, folder: str) -> ProjectCommand | None:
    work = runs(step)
    purpose = purpose_of(work[0]) if len(work) == 1 else None
    if purpose is None or _AD_HOC.search(step):
        return None
    line = " ".join(word for word in step.split() if not is_cosmetic(word))
    run = work[0]
    sort = variant_of(run) or " ".join(target for target in run.targets if _SOLUTION.search(target))
    if len(line) > MAX_COMMAND_CHARS or _is_filtered(run, purpose) or _MODES & set(re.split(r"[:_-]", sort)):
        return None
    if purpose is Purpose.DEPLOY:
        sort = line  # a project is deployed to several places, each by its own command
    return ProjectCommand(purpose, " ".join(filter(None, (folder, run.part, sort))), line, folder)


def _is_filtered(run: Run, purpose: Purpose) -> bool:
    """Whether it is for one test, one file, one package that is added, or one place to write to."""
    if run.program == "make" and " " in run.task:
        return True
    words = [word for word in run.words[1:] if not is_cosmetic(word)]
    if run.program not in ("make", "docker") and purpose is not Purpose.INSTALL and any(map(is_filter, words)):
        return True
    values = {after for word, after in itertools.pairwise(words) if word in _FLAGS_WITH_FILE}
    named = {run.task, run.task.split(" ")[0], run.part, "run", "workspace"} | values
    named |= {f"{run.part}:{run.task}"}
    rest = [word for word in words if not word.startswith("-") and word not in named]
    rest = [word for word in rest if not _SOLUTION.search(word)]
    if run.program == "xcodebuild":
        return any(word.startswith(("-only", "-skip", "-derived", "-result")) for word in words)
    if run.program in ("jest", "vitest", "mocha", "ava"):
        return bool(rest)  # a pattern
    if run.task and run.program not in ("go", "cargo", "ruff", "golangci-lint", "biome", "pip", "alembic", "docker"):
        return bool(rest)  # what a task of the project is given is for this time
    if purpose is Purpose.INSTALL:
        return any(not _WHOLE_PROJECT.fullmatch(word) for word in rest) or (run.program == "pip" and not values)
    return any(not _WHOLE_PROJECT.fullmatch(word) for word in rest)
