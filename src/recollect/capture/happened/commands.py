"""Learn the project's commands by seeing them work: how to run its tests, how to build it. One for each purpose and part
of the project.

Ignores runs of one test, one file or one pattern, and lines that hide their result. One success makes a candidate.
"""

import itertools
import re
from dataclasses import dataclass, field
from functools import partial

from recollect.capture.happened.calls import command_of, is_shell
from recollect.capture.happened.command_purposes import Purpose, purpose_of, variant_of
from recollect.capture.happened.failures import failure_of
from recollect.capture.happened.folders import Folders
from recollect.capture.happened.shell import Run, is_cosmetic, is_filter, runs
from recollect.domain.event import Event, Prompt, ToolFailed, ToolSucceeded
from recollect.domain.learning import Basis, Origin, Proposal
from recollect.domain.memory import Kind, Role, Tier
from recollect.text.lazy_pattern import LazyPattern

MIN_TIMES = 2  # that a command must work in one session to be one of the project's
MAX_COMMAND_CHARS, MAX_TEXT_CHARS = 160, 4000
MAX_COMMANDS = 12  # that are counted per purpose
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
_SOLUTION = LazyPattern(r"\.(?:\w+proj|slnx?)$")  # of .NET: names a part of the project
_WHOLE_PROJECT = LazyPattern(r"\.|\./\.\.\.|run|check|test|compose|up|head|\.?\[[\w,]+\]|[a-z_]+")
_MISSING = LazyPattern(
    r"command not found|: not found\s*$|is not recognized|missing script|no rule to make target|"
    r"unknown (?:command|task|script)|no projects matched|none of the selected packages|no such (?:script|task)|"
    r"no module named '?(?:pytest|mypy|ruff|tox|black)|could not determine executable",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class ProjectCommand:
    """A command as a README would give it."""

    purpose: Purpose
    part: str  # of the project: a folder, a package, a variant of the task
    line: str
    folder: str  # where it is run, below the project's own folder; empty: there


@dataclass(slots=True)
class _CommandRecord:
    worked: dict[ProjectCommand, int] = field(default_factory=dict)
    has_failed: bool = False  # another command for the same purpose does not exist here
    proposed: ProjectCommand | None = None
    is_sure: bool = False


class Commands:
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
                    return list(filter(None, map(partial(self._hear_command, event), found)))
            case _:
                pass
        return []

    def _hear_command(self, event: ToolSucceeded | ToolFailed, command: ProjectCommand) -> Proposal | None:
        seen = self._seen.setdefault((command.purpose, command.part), _CommandRecord())
        error = failure_of(event)
        if isinstance(event, ToolSucceeded) and _MISSING.search(event.output[:MAX_TEXT_CHARS]):
            error = event.output  # `... | tail` succeeds even if the command failed
        if error or isinstance(event, ToolFailed):
            if command not in seen.worked and _MISSING.search(error[:4000]):
                seen.has_failed = True
            return None
        times = seen.worked.get(command, 0) + 1
        seen.worked[command] = times
        if len(seen.worked) > MAX_COMMANDS:
            del seen.worked[next(iter(seen.worked))]
        was_said = bool(re.search(rf"(?<![\w-]){re.escape(command.line)}(?![\w:-])", self._said))
        is_sure = times >= MIN_TIMES or was_said or seen.has_failed
        if seen.proposed == command:
            is_news = is_sure and not seen.is_sure
        else:
            is_news = was_said or seen.proposed is None or times > seen.worked.get(seen.proposed, 0)
        if not is_news:
            return None
        seen.proposed, seen.is_sure = command, is_sure
        return _proposal(command, is_sure=is_sure)


def _proposal(command: ProjectCommand, *, is_sure: bool) -> Proposal:
    where = f" (in {command.folder}/)" if command.folder else ""
    part = f" ({command.part})" if command.part else ""
    tier, durability = Tier.CANDIDATE, DOUBTFUL
    if is_sure:
        tier, durability = Tier.CONFIRMED, DURABILITY
    return Proposal(
        text=f"{_LABELS[command.purpose]}: `{command.line}`{where}",
        kind=Kind.RESEARCH,
        tier=tier,
        basis=Basis.COMMAND,
        role=Role.ASSISTANT,
        evidence=(command.line,),
        durability=durability,
        title=f"Command for {command.purpose.value}{part}",
    )


def find_project_commands(command: str, folder: str = "") -> list[ProjectCommand]:
    """Return the project's commands in a line whose success proves that all of them worked."""
    line = _SHORTENED_OUTPUT.sub("", command.strip())
    steps = [step.strip() for step in line.split("&&")]
    if steps[0].startswith("cd "):  # it leads to `folder`
        steps = steps[1:]
    if any(step.startswith(("cd ", "pushd ")) for step in steps):
        return []
    return list(filter(None, (_read_step(_TIMING_WRAPPER.sub("", step), folder) for step in steps)))


def _read_step(step: str, folder: str) -> ProjectCommand | None:
    found = runs(step)
    purpose = purpose_of(found[0]) if len(found) == 1 else None
    if purpose is None or _AD_HOC.search(step):
        return None
    run = found[0]
    line = " ".join(word for word in step.split() if not is_cosmetic(word))
    variant = variant_of(run) or " ".join(target for target in run.targets if _SOLUTION.search(target))
    if len(line) > MAX_COMMAND_CHARS or _is_filtered(run, purpose) or _MODES & set(re.split(r"[:_-]", variant)):
        return None
    if purpose is Purpose.DEPLOY:
        variant = line  # a project is deployed to several places, each by its own command
    return ProjectCommand(purpose, " ".join(filter(None, (folder, run.part, variant))), line, folder)


def _is_filtered(run: Run, purpose: Purpose) -> bool:
    """Return True if it is for one test, one file, one added package, or one place to write to."""
    if run.program == "make" and " " in run.task:
        return True
    words = [word for word in run.words[1:] if not is_cosmetic(word)]
    if run.program not in ("make", "docker") and purpose is not Purpose.INSTALL and any(map(is_filter, words)):
        return True
    if run.program == "xcodebuild":
        return any(word.startswith(("-only", "-skip", "-derived", "-result")) for word in words)
    files = {after for word, after in itertools.pairwise(words) if word in _FLAGS_WITH_FILE}
    known = {run.task, run.task.split(" ")[0], run.part, f"{run.part}:{run.task}", "run", "workspace", *files}
    rest = [word for word in words if not word.startswith("-") and word not in known and not _SOLUTION.search(word)]
    if run.program in ("jest", "vitest", "mocha", "ava"):
        return bool(rest)  # a pattern
    if run.task and run.program not in ("go", "cargo", "ruff", "golangci-lint", "biome", "pip", "alembic", "docker"):
        return bool(rest)  # an argument of a project's task is for this time only
    if purpose is Purpose.INSTALL and run.program == "pip" and not files:
        return True
    return any(not _WHOLE_PROJECT.fullmatch(word) for word in rest)
