"""What is confirmed by what happened rather than by words: all parts that hear it, in one place. Pure.

Every event is heard once: a host that sends a message or a call again changes nothing.
"""

from recollect.capture.happened.choices import Choices
from recollect.capture.happened.commands import Commands
from recollect.capture.happened.episodes import Episodes
from recollect.capture.happened.files import FilePurposes
from recollect.capture.happened.outcomes import WorkOutcomes
from recollect.capture.happened.rejections import Rejections
from recollect.domain.event import Event, Prompt, Reply, ToolFailed, ToolSucceeded
from recollect.domain.learning import Proposal

MAX_KNOWN = 4096  # messages and calls that are known again


class Structure:
    """Hears a session; gives what its structure proves."""

    def __init__(self) -> None:
        self._heard: dict[tuple[str, ...], None] = {}
        self._proposed: dict[tuple[str, ...], None] = {}
        self._deeds = WorkOutcomes()
        self._parts = (Episodes(), Choices(), Rejections(), Commands(), self._deeds, FilePurposes())

    @property
    def deeds(self) -> list[str]:
        """`commit: ...` and `tests pass: ...`, in order."""
        return list(self._deeds.lines)

    def hear(self, event: Event) -> list[Proposal]:
        if self._is_known(event):
            return []
        proposals = [proposal for part in self._parts for proposal in part.hear(event)]
        return [proposal for proposal in proposals if self._is_first(proposal)]

    def _is_known(self, event: Event) -> bool:
        name: tuple[str, ...]
        match event:
            case Prompt() | Reply():
                name = (type(event).__name__, event.message, event.text)
            case ToolSucceeded() | ToolFailed() if event.call is not None:
                name = (type(event).__name__, event.call)
            case _:
                return False
        return not _add_if_new(self._heard, name)

    def _is_first(self, proposal: Proposal) -> bool:
        return _add_if_new(self._proposed, (proposal.kind.value, proposal.tier.value, proposal.text))


def _add_if_new(known: dict[tuple[str, ...], None], name: tuple[str, ...]) -> bool:
    if name in known:
        return False
    known[name] = None
    if len(known) > MAX_KNOWN:
        del known[next(iter(known))]
    return True
