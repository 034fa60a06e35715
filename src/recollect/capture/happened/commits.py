"""Read finished work from commits. Only what succeeded counts."""

import re

from recollect.capture.happened.calls import changes_of, command_of
from recollect.capture.happened.edit_summary import relative_paths
from recollect.capture.happened.failures import failure_of
from recollect.capture.happened.shell import runs
from recollect.domain.event import Event, ToolSucceeded
from recollect.domain.learning import Basis, Proposal
from recollect.domain.memory import Kind, Role, Tier
from recollect.text.lazy_pattern import LazyPattern
from recollect.text.query import content_words

MAX_PATHS = 6
MIN_WORDS = 2  # content words of a commit's subject
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
    def __init__(self) -> None:
        self._changed: dict[str, None] = {}  # files, since the last commit

    def hear(self, event: Event) -> list[Proposal]:
        if not isinstance(event, ToolSucceeded) or failure_of(event):
            return []
        changes = changes_of(event.tool, event.input)
        self._changed.update(dict.fromkeys(relative_paths((change.path for change in changes), event.folder)))
        subject = _subject(command_of(event.tool, event.input), event.output)
        return self._propose(subject) if subject else []

    def _propose(self, subject: str) -> list[Proposal]:
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


def commit_message(command: str) -> str:
    """Return the message of a command line that commits; empty: it does not, or has none."""
    found = _COMMIT.search(command)
    if not found or not any(run.program == "git" and run.task == "commit" for run in runs(command)):
        return ""
    if here := _HEREDOC.search(found["given"]):
        return here["said"].strip()
    given = _MESSAGE.search(found["given"])
    if not given:
        return ""
    return (given["one"] or given["two"] or given["bare"] or "").replace('\\"', '"').strip()


def _subject(command: str, output: str) -> str:
    if "commit" not in command or _NOTHING.search(output[:4000]):
        return ""
    message = commit_message(command)
    return " ".join(message.splitlines()[0].split()) if message else ""
