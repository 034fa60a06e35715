"""Run all parts that learn from what happened rather than from words. Pure.

Every event is heard once: a message or call that a host sends again changes nothing.
"""

from recollect.capture.happened.choices import Choices
from recollect.capture.happened.commands import Commands
from recollect.capture.happened.commits import WorkOutcomes
from recollect.capture.happened.episodes import Episodes
from recollect.capture.happened.files import FilePurposes
from recollect.capture.happened.rejections import Rejections
from recollect.domain.event import Event, Prompt, Reply, ToolFailed, ToolSucceeded
from recollect.domain.learning import Proposal

MAX_KNOWN = 4096  # messages and calls, and as many proposals


class Structure:
    def __init__(self) -> None:
        self._heard: dict[tuple[str, ...], None] = {}
        self._proposed: dict[tuple[str, ...], None] = {}
        self._parts = (Episodes(), Choices(), Rejections(), Commands(), WorkOutcomes(), FilePurposes())

    def hear(self, event: Event) -> list[Proposal]:
        if self._is_known(event):
            return []
        found = [proposal for part in self._parts for proposal in part.hear(event)]
        return [one for one in found if _add_if_new(self._proposed, (one.kind.value, one.tier.value, one.text))]

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


def _add_if_new(known: dict[tuple[str, ...], None], name: tuple[str, ...]) -> bool:
    if name in known:
        return False
    known[name] = None
    if len(known) > MAX_KNOWN:
        del known[next(iter(known))]
    return True
