"""What tools say of a session's work: edited files, commits, the agent's own list, and what still fails. Pure.

It reads no prose, and tells nothing that a tool printed but the headline of an error.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recollect.capture.happened.calls import changes_of, command_of
from recollect.capture.happened.command_purposes import Purpose, purpose_of
from recollect.capture.happened.failures import failure_of, is_work
from recollect.capture.happened.gist import relative_paths
from recollect.capture.happened.outcomes import commit_message
from recollect.capture.happened.plans import Plans
from recollect.capture.happened.shell import Run, display_line, normalise_command, runs
from recollect.capture.patterns import LazyPattern
from recollect.capture.said.outright import gives_rules
from recollect.domain.event import ToolFailed, ToolSucceeded

MAX_FILES, MAX_SHOWN_FILES = 300, 8
MAX_FAILING, MAX_SHOWN_FAILING = 8, 2
MAX_ERROR_CHARS, MAX_COMMAND_CHARS, MAX_PATH_CHARS = 4000, 80, 200
MAX_COMMITS = 50
MAX_FAILING_AGE = 20  # tools that ran since: the session has gone on to something else


@dataclass(slots=True)
class _FailingCommand:
    command: str
    error: str
    purposes: frozenset[Purpose]
    at: int


_ERROR_WORD = LazyPattern(
    r"error|fail|exception|panic|denied|missing|cannot|can't|unable|undefined|not \w+", re.IGNORECASE
)
_PARENT_COMMIT = LazyPattern(r"^(?:HEAD|@)(?:~(?P<times>\d*)|(?P<each>\^+))$")


class Work:
    def __init__(self) -> None:
        self._plans = Plans()
        self._files: Counter[str] = Counter()
        self._uncommitted: Counter[str] = Counter()  # of them, since the last commit
        self._commits: list[tuple[str, Counter[str]]] = []  # their subjects and files
        self._failing: dict[str, _FailingCommand] = {}
        self.tools = 0

    def hear(self, event: ToolSucceeded | ToolFailed) -> None:
        self.tools += 1
        error = failure_of(event)
        command = command_of(event.tool, event.input)
        if command:
            self._hear_command(command, error)
        changes = () if error else changes_of(event.tool, event.input)
        self._plans.hear(event, has_changed=bool(changes))
        if error:
            return
        if changes:
            changed = set(relative_paths((change.path for change in changes), event.folder))
            self._files.update(changed)
            self._uncommitted.update(changed)
            if len(self._files) > MAX_FILES * 2:
                self._files = Counter(dict(self._files.most_common(MAX_FILES)))
        if "git" in command:
            for run in runs(command):
                self._undo(run)
        subject = commit_message(command).partition("\n")[0].strip() if "commit" in command else ""
        if subject:
            self._commits = [*self._commits, (subject, self._uncommitted)][-MAX_COMMITS:]
            self._uncommitted = Counter()
            self._failing = {}  # what failed before did not keep the work from being finished

    @property
    def commits(self) -> list[str]:
        """The subjects of those that were not taken back."""
        return [subject for subject, _ in self._commits]

    def _undo(self, run: Run) -> None:
        if run.program != "git":
            return
        given = run.words[run.words.index(run.task) + 1 :] if run.task in run.words else ()
        match run.task:
            case "reset" if "--hard" in given:
                self._take_back(self._uncommitted)
                self._uncommitted = Counter()
                for _ in range(min(_steps_back(given), len(self._commits))):
                    self._uncommit()
            case "revert" if self._commits and "--abort" not in given and {"HEAD", "@"} & set(given):
                self._uncommit()
            case "checkout" | "restore" if "--staged" not in given:
                self._restore({word for word in given if not word.startswith("-")})
            case _:
                pass

    def _uncommit(self) -> None:
        self._take_back(self._commits.pop()[1])

    def _restore(self, named: set[str]) -> None:
        """A branch has the name of no file."""
        gone = (
            self._uncommitted
            if named & {".", ":/"}
            else {path: self._uncommitted[path] for path in named if path in self._uncommitted}
        )
        self._take_back(Counter(gone))
        self._uncommitted -= Counter(gone)

    def _take_back(self, files: Counter[str]) -> None:
        self._files -= files  # what was edited at other times too stays

    def _hear_command(self, command: str, error: str) -> None:
        """What passes takes back what failed for the same purpose: the tests pass, however they are called."""
        ran = runs(command)
        purposes = frozenset(filter(None, map(purpose_of, ran)))
        if error and is_work(error) and purposes:
            name = normalise_command(command)
            self._failing.pop(name, None)
            self._failing[name] = _FailingCommand(command, error[-MAX_ERROR_CHARS:], purposes, self.tools)
            for oldest in list(self._failing)[:-MAX_FAILING]:
                del self._failing[oldest]
        elif not error:
            self._failing = {name: one for name, one in self._failing.items() if not one.purposes & purposes}

    @property
    def files(self) -> list[str]:
        """Those that were edited most first."""
        named = (path for path, _ in sorted(self._files.items(), key=lambda one: (-one[1], one[0])))
        return [path for path in named if path.strip() and path.isprintable() and len(path) <= MAX_PATH_CHARS][
            :MAX_SHOWN_FILES
        ]

    @property
    def open_tasks(self) -> list[str]:
        return self._plans.open

    @property
    def failing(self) -> Iterator[tuple[str, str]]:
        """Commands of the project that failed when they were last run, and what is wrong."""
        lasting = [one for one in self._failing.values() if self.tools - one.at <= MAX_FAILING_AGE]
        for one in lasting[-MAX_SHOWN_FAILING:]:
            from recollect.text.signature import signature  # it has many patterns to make, and most sessions end well

            headline = signature(one.error).headline
            is_clear = _ERROR_WORD.search(headline) and not gives_rules(headline)
            yield display_line(one.command)[:MAX_COMMAND_CHARS], headline if is_clear else ""


def _steps_back(given: Sequence[str]) -> int:
    """Commits behind the last one."""
    found = next(filter(None, map(_PARENT_COMMIT.match, given)), None)
    if found is None:
        return 0
    return len(found["each"]) if found["each"] else int(found["times"] or 1)
