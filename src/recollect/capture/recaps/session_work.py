"""Read a session's work from its tool calls: edited files, commits, open tasks, failing commands. Pure.

It reads no prose, and of a tool's output it shows only the headline of an error.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recollect.capture.happened.calls import changes_of, command_of
from recollect.capture.happened.command_purposes import Purpose, purpose_of
from recollect.capture.happened.commits import commit_message
from recollect.capture.happened.edit_summary import relative_paths
from recollect.capture.happened.failures import failure_of, is_work_error
from recollect.capture.happened.plans import Plans
from recollect.capture.happened.shell import Run, display_line, normalise_command, runs
from recollect.capture.said.outright import gives_rules
from recollect.domain.event import ToolFailed, ToolSucceeded
from recollect.text.lazy_pattern import LazyPattern

MAX_FILES, MAX_SHOWN_FILES = 300, 8
MAX_FAILING, MAX_SHOWN_FAILING = 8, 2
MAX_ERROR_CHARS, MAX_COMMAND_CHARS, MAX_PATH_CHARS = 4000, 80, 200
MAX_COMMITS = 50
MAX_FAILING_AGE = 20  # in tool calls: after these, the session has moved on


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
        self._uncommitted: Counter[str] = Counter()  # of the files
        self._commits: list[tuple[str, Counter[str]]] = []  # subjects and files
        self._failing: dict[str, _FailingCommand] = {}
        self.tools = 0

    def hear(self, event: ToolSucceeded | ToolFailed) -> None:
        self.tools += 1
        error = failure_of(event)
        command = command_of(event.tool, event.input)
        if command:
            self._hear_command(command, error)
        changes = [] if error else changes_of(event.tool, event.input)
        self._plans.hear(event, has_changed=bool(changes))
        if changes:
            self._note_files(set(relative_paths((change.path for change in changes), event.folder)))
        if not error and "git" in command:
            self._hear_git(command)

    @property
    def commits(self) -> list[str]:
        """The subjects of the commits that were not reverted."""
        return [subject for subject, _ in self._commits]

    @property
    def files(self) -> list[str]:
        """The edited files, the most edited first."""
        by_edits = sorted(self._files.items(), key=lambda one: (-one[1], one[0]))
        shown = [path for path, _ in by_edits if path.strip() and path.isprintable() and len(path) <= MAX_PATH_CHARS]
        return shown[:MAX_SHOWN_FILES]

    @property
    def open_tasks(self) -> list[str]:
        return self._plans.open

    @property
    def failing(self) -> Iterator[tuple[str, str]]:
        """The project's commands whose last run failed, each with its error."""
        recent = [one for one in self._failing.values() if self.tools - one.at <= MAX_FAILING_AGE]
        for one in recent[-MAX_SHOWN_FAILING:]:
            from recollect.text.signature import signature  # it compiles many patterns, and most sessions end well

            headline = signature(one.error).headline
            is_clear = _ERROR_WORD.search(headline) and not gives_rules(headline)
            yield display_line(one.command)[:MAX_COMMAND_CHARS], headline if is_clear else ""

    def _note_files(self, changed: set[str]) -> None:
        self._files.update(changed)
        self._uncommitted.update(changed)
        if len(self._files) > MAX_FILES * 2:
            self._files = Counter(dict(self._files.most_common(MAX_FILES)))

    def _hear_git(self, command: str) -> None:
        for run in runs(command):
            if run.program == "git":
                self._undo(run)
        subject = commit_message(command).partition("\n")[0].strip()
        if subject:
            self._commits = [*self._commits, (subject, self._uncommitted)][-MAX_COMMITS:]
            self._uncommitted = Counter()
            self._failing = {}  # earlier failures did not keep the work from being finished

    def _undo(self, run: Run) -> None:
        given = run.words[run.words.index(run.task) + 1 :] if run.task in run.words else ()
        match run.task:
            case "reset" if "--hard" in given:
                self._files -= self._uncommitted  # files that were also edited at other times stay
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
        self._files -= self._commits.pop()[1]

    def _restore(self, names: set[str]) -> None:
        """Undo the edits of these files. A branch name matches no file."""
        restored = self._uncommitted
        if not names & {".", ":/"}:
            restored = Counter({path: restored[path] for path in names if path in restored})
        self._files -= restored
        self._uncommitted = self._uncommitted - restored

    def _hear_command(self, command: str, error: str) -> None:
        """A success clears failures of the same purpose: the tests pass, however they are called."""
        purposes = frozenset(filter(None, map(purpose_of, runs(command))))
        if error and is_work_error(error) and purposes:
            name = normalise_command(command)
            self._failing.pop(name, None)
            self._failing[name] = _FailingCommand(command, error[-MAX_ERROR_CHARS:], purposes, self.tools)
            for oldest in list(self._failing)[:-MAX_FAILING]:
                del self._failing[oldest]
        elif not error:
            self._failing = {name: one for name, one in self._failing.items() if not one.purposes & purposes}


def _steps_back(given: Sequence[str]) -> int:
    """The number of commits that `HEAD~2` or `HEAD^^` goes back."""
    found = next(filter(None, map(_PARENT_COMMIT.match, given)), None)
    if found is None:
        return 0
    return len(found["each"]) if found["each"] else int(found["times"] or 1)
