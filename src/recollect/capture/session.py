"""Learn from one session, event by event: each event goes to every part that learns from it. Pure: the same events give
the same proposals. After a restart the session is heard again, and its proposals are already known."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from recollect.capture.echo import is_echo, words_of
from recollect.capture.happened.calls import is_own
from recollect.capture.happened.listeners import Structure
from recollect.capture.recaps.harvest import harvest
from recollect.capture.recaps.recap import RecapBuilder
from recollect.capture.said.conversation import MessageReader
from recollect.capture.said.origin import origin_of
from recollect.capture.tool_output import PrintedText
from recollect.domain.event import Compacted, Event, Prompt, Reply, ToolFailed, ToolSucceeded
from recollect.domain.learning import Basis, Origin, Proposal
from recollect.domain.memory import Role
from recollect.domain.session import MAX_TURN_CHARS, Note, Summary, Turn
from recollect.domain.settings import Capture

__all__ = ["Listener"]

MAX_ADDED = 50
MAX_PROMPTS = 200  # of the user's prompts, which a summary may quote


@dataclass(slots=True)
class Listener:
    settings: Capture = field(default_factory=Capture)
    _recap: RecapBuilder = field(default_factory=RecapBuilder)
    _structure: Structure = field(default_factory=Structure)
    _conversation: MessageReader = field(default_factory=MessageReader)
    _tool_output: PrintedText = field(default_factory=PrintedText)
    _prompts: deque[Turn] = field(default_factory=lambda: deque(maxlen=MAX_PROMPTS))
    _added: list[frozenset[str]] = field(default_factory=list)  # the words of what the agent stored with our tools

    def hear(self, event: Event) -> list[Proposal]:
        if isinstance(event, ToolSucceeded | ToolFailed) and is_own(event.tool):
            if isinstance(text := event.input.get("text"), str):
                self._added = [*self._added, words_of(text)][-MAX_ADDED:]
            return []  # our own words: to learn from them would make them truer with every question
        if isinstance(event, Prompt) and (origin := origin_of(event.text, event.origin)) is not event.origin:
            event = replace(event, origin=origin)
        event = self._without_printed(event)
        if isinstance(event, Prompt) and event.origin is Origin.USER:
            self._prompts.append(_turn(event))
        self._recap.hear(event)
        proven = self._structure.hear(event)
        for one in proven:
            if one.basis is Basis.PICK and isinstance(event, ToolSucceeded):
                self._recap.note_choice(one.text)
        # A model may ignore that it was asked for a list: then its summary is read like any other message.
        read = _read_summary(event, self._prompts) or self._conversation.hear(event)
        is_summary = isinstance(event, Compacted) or (isinstance(event, Prompt) and event.origin is Origin.SUMMARY)
        may_read = self.settings.summaries if is_summary else self.settings.conversation
        found = proven if self.settings.tools else []
        if may_read:
            found = [*found, *(one for one in read if not self._repeats_added(one))]
        return found

    def _without_printed(self, event: Event) -> Event:
        """Return the event without text that a tool printed before: it is not the speaker's own."""
        match event:
            case ToolSucceeded():
                self._tool_output.hear(event.tool, event.output)
            case ToolFailed():
                self._tool_output.hear(event.tool, event.error)
            case Prompt() | Reply():
                text = self._tool_output.remove_printed(event.text)
                return event if text == event.text else replace(event, text=text)
            case Compacted():
                return replace(event, summary=self._tool_output.remove_printed(event.summary))
            case _:
                pass
        return event

    def _repeats_added(self, proposal: Proposal) -> bool:
        """Return True if the agent only reports what it stored itself: that is kept once."""
        return proposal.role is not Role.USER and bool(self._added) and is_echo(proposal.text, self._added)

    def build_recap(self) -> tuple[tuple[Note, ...], Summary]:
        return self._recap.build()


def _read_summary(event: Event, prompts: Sequence[Turn]) -> list[Proposal]:
    match event:
        case Compacted(summary=summary):
            return harvest(summary, said=prompts)
        case Prompt(origin=Origin.SUMMARY):
            return harvest(event.text, event.message, said=prompts)
        case _:
            return []


def _turn(event: Prompt) -> Turn:
    text = event.text[:MAX_TURN_CHARS]
    return Turn(session=event.session, message=event.message, project=None, role=Role.USER, text=text, at=event.at)
