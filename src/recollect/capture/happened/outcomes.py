"""What was done for good: commits, and tests that pass after a change. Only what succeeded counts."""

import re
from collections.abc import Sequence

from recollect.capture.happened.calls import changes_of, command_of, is_shell
from recollect.capture.happened.command_purposes import Purpose, purpose_of
from recollect.capture.happened.failures import failure_of
from recollect.capture.happened.gist import relative_paths
from recollect.capture.happened.shell import display_line, runs
from recollect.capture.patterns import LazyPattern
from recollect.domain.event import Event, ToolSucceeded
from recollect.domain.learning import Basis, Proposal
from recollect.domain.memory import Kind, Role, Tier
from recollect.text.query import content_words

MAX_LINES, MAX_LINE_CHARS = 60, 160
MAX_PATHS = 6
MIN_WORDS = 2  # of a commit's subject that say something
DURABILITY = 0.45

_COMMIT = LazyPattern(r"\bgit\b(?:\s+-[cC]\s+\S+)*\s+commit\b(?P<given>.*)", re.DOTALL)
_HEREDOC = LazyPattern(r"<<-?\s*(['\"]?)(?P<end>\w+)\1[^\n]*\n(?P<said>.*?)\n\s*(?P=end)\b", re.DOTALL)
_MESSAGE = LazyPattern(
    r"(?:\s-[a-zA-Z]*m|\s--message)(?:=|\s*)(?:'(?P<one>[^']*)'|\"(?P<two>(?:[^\"\\]|\\.)*)\"|(?P<bare>[^\s'\"-]\S*))",
    re.DOTALL,
)
_NOTHING = LazyPattern(r"nothing (?:added )?to commit|no changes added", re.IGNORECASE)
_TRIVIAL = LazyPattern(
    r"^(?:wip|fixup!|squash!|tmp|temp|update|fix|fixes|changes|cleanup|minor|bump|merge branch|"
    r"initial commit)\b[\W\d]*\w*$",
    re.IGNORECASE,
)


class WorkOutcomes:
    """Hears a session; keeps what was done, and proposes each commit as an outcome."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._changed: dict[str, None] = {}  # files, since the last commit
        self._is_green = True  # nothing was changed since the tests passed

    def hear(self, event: Event) -> list[Proposal]:
        if not isinstance(event, ToolSucceeded) or failure_of(event):
            return []
        changes = changes_of(event.tool, event.input)
        if changes:
            self._is_green = False
            self._changed.update(dict.fromkeys(relative_paths((change.path for change in changes), event.folder)))
            return []
        if not is_shell(event.tool):
            return []
        command = command_of(event.tool, event.input)
        if subject := _subject(command, event.output):
            return self._propose(subject)
        work = runs(command)
        if not self._is_green and any(purpose_of(run) in (Purpose.TEST, Purpose.CHECK) for run in work):
            self._is_green = True
            self._note(f"tests pass: {display_line(command)}")
        return []

    def _propose(self, subject: str) -> list[Proposal]:
        self._note(f"commit: {subject}")
        paths, self._changed = tuple(self._changed)[:MAX_PATHS], {}
        if _TRIVIAL.match(subject) or len(content_words(subject)) < MIN_WORDS:
            return []
        return [
            Proposal(
                text=f"Committed: {subject}",
                kind=Kind.OUTCOME,
                tier=Tier.CANDIDATE,
                basis=Basis.DEED,
                role=Role.ASSISTANT,
                evidence=(subject,),
                durability=DURABILITY,
                paths=paths,
            )
        ]

    def _note(self, line: str) -> None:
        short = line if len(line) <= MAX_LINE_CHARS else f"{line[: MAX_LINE_CHARS - 1]}…"
        if short not in self.lines[-3:]:
            self.lines.append(short)
            del self.lines[:-MAX_LINES]


def commit_message(command: str) -> str:
    """Of a command line that commits; empty: it does not, or says nothing."""
    found = _COMMIT.search(command)
    if not found or not any(run.program == "git" and run.task == "commit" for run in runs(command)):
        return ""
    if here := _HEREDOC.search(found["given"]):
        return here["said"].strip()
    given = _MESSAGE.search(found["given"])
    if not given:
        return ""
    said: Sequence[str | None] = (given["one"], given["two"], given["bare"])
    return next((part for part in said if part is not None), "").replace('\\"', '"').strip()


def _subject(command: str, output: str) -> str:
    if "commit" not in command or _NOTHING.search(output[:4000]):
        return ""
    message = commit_message(command)
    return " ".join(message.splitlines()[0].split()) if message else ""
