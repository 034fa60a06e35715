"""One session, heard from its beginning: each event goes to every part that learns from it. Pure: the same events, the
same proposals. After a restart it is heard again, and what it proposes then is known already."""

from dataclasses import dataclass, field, replace

from recollect.capture.calls import is_own
from recollect.capture.conversation import Conversation
from recollect.capture.durability import Embed
from recollect.capture.harvest import harvest
from recollect.capture.origin import origin_of
from recollect.capture.recap import Recapping
from recollect.capture.structure import Structure
from recollect.domain.event import Compacted, Event, Prompt, ToolFailed, ToolSucceeded
from recollect.domain.learning import Origin, Proposal
from recollect.domain.session import Note, Summary
from recollect.domain.settings import Capture

__all__ = ["Embed", "Listener"]


@dataclass(slots=True)
class Listener:
    """What listens to one session."""

    settings: Capture = field(default_factory=Capture)
    _recapping: Recapping = field(default_factory=Recapping)
    _structure: Structure = field(default_factory=Structure)
    _conversation: Conversation = field(default_factory=Conversation)

    def hear(self, event: Event, embed: Embed | None = None) -> list[Proposal]:
        """What may be worth keeping after this."""
        if isinstance(event, ToolSucceeded | ToolFailed) and is_own(event.tool):
            return []  # our own words: to learn from them would make them truer with every question
        if isinstance(event, Prompt):
            event = replace(event, origin=origin_of(event.text, event.origin))
        self._recapping.hear(event)
        proven = self._structure.hear(event)
        # A model that was asked for a list may have ignored it: then its summary is read like anything that it says.
        read = _summed_up(event) or self._conversation.hear(event, embed)
        is_read = self.settings.summaries if _is_summary(event) else self.settings.conversation
        return [*(proven if self.settings.tools else []), *(read if is_read else [])]

    def told(self) -> tuple[tuple[Note, ...], Summary]:
        """What the session leaves for the next one, as far as it has come."""
        return self._recapping.told()


def _is_summary(event: Event) -> bool:
    return isinstance(event, Compacted) or (isinstance(event, Prompt) and event.origin is Origin.SUMMARY)


def _summed_up(event: Event) -> list[Proposal]:
    match event:
        case Compacted(summary=summary):
            return harvest(summary)
        case Prompt(origin=Origin.SUMMARY):
            return harvest(event.text, event.message)
        case _:
            return []
