"""The log of what each message and tool was sent with, written before the answer: asked again, it answers the same."""

from collections.abc import Sequence
from dataclasses import replace

from recollect.domain.event import Event
from recollect.domain.injection import Injection, LogEntry, LogKey, Moment, Placement
from recollect.domain.memory import MessageId, SessionId
from recollect.domain.session import Session
from recollect.engine.admission import OWN_PREFIX
from recollect.engine.ports import MonotonicClock, Store
from recollect.engine.redaction import redact_block


class SentLog:
    def __init__(self, store: Store, seconds: MonotonicClock) -> None:
        self._store = store
        self._seconds = seconds

    def replay(self, session: SessionId, messages: Sequence[MessageId]) -> dict[MessageId, str]:
        """Return the blocks that these messages were really sent with, after a restart of the host."""
        blocks: dict[MessageId, str] = {}
        for sent in self._store.find_sent(session, messages):
            is_on_message = not sent.call and sent.injection.placement is Placement.MESSAGE
            # A block in the system prompt replaces the one before it, so it is not replayed.
            if sent.confirmed and sent.message is not None and is_on_message:
                blocks[sent.message] = redact_block(sent.injection.block)
        return blocks

    def replay_tools(self, session: SessionId, messages: Sequence[MessageId]) -> dict[MessageId, dict[str, str]]:
        """The same for the tools of these messages, by message and call."""
        blocks: dict[MessageId, dict[str, str]] = {}
        for sent in self._store.find_sent(session, messages):
            if sent.confirmed and sent.message is not None and sent.call:
                blocks.setdefault(sent.message, {})[sent.call] = redact_block(sent.injection.block)
        return blocks

    def record_unnamed(
        self, session: Session, injection: Injection, event: Event, started_s: float, moment: Moment
    ) -> Injection:
        """Record a block that no message carries, under a name of ours with a number."""
        # In one transaction: two askers at once must not get the same number.
        with self._store.transaction():
            number = self._store.count_at_moment(session.id, session.context, moment)
            name = MessageId(f"{OWN_PREFIX}{moment}:{number}")
            call = name if moment is Moment.TOOL_ERROR else ""
            return self.record(session, name, injection, event, started_s, moment, call=call)

    def record(
        self,
        session: Session,
        message: MessageId | None,
        injection: Injection,
        event: Event,
        started_s: float,
        moment: Moment,
        call: str = "",
    ) -> Injection:
        waits_for_confirmation = event.confirms and moment in (Moment.PROMPT, Moment.TOOL_ERROR)
        sent = LogEntry(
            session=session.id,
            context=session.context,
            message=message,
            call=call,
            injection=injection,
            at=event.at,
            took_ms=(self._seconds() - started_s) * 1000,
            point=moment,
            confirmed=not (event.offered or waits_for_confirmation),
        )
        recorded = injection_of(self._store.record(sent), event)
        return replace(recorded, notice=injection.notice) if injection.notice else recorded


def injection_of(sent: LogEntry, event: Event) -> Injection:
    """Return the logged injection, with its key in the log if it counts as sent only after delivery."""
    if not event.offered or not sent.injection.block:
        return sent.injection
    key = LogKey(session=sent.session, context=sent.context, message=sent.message, call=sent.call)
    return replace(sent.injection, offered=key)
