"""What was sent with a message or a tool, written down before it is answered: asked again, it answers with the same."""

from collections.abc import Sequence
from dataclasses import replace

from recollect.domain.event import Event
from recollect.domain.injection import Injection, LogKey, Moment, Placement, Sent
from recollect.domain.memory import MessageId, SessionId
from recollect.domain.session import Session
from recollect.engine.admission import OWN
from recollect.engine.ports import Measures, Store
from recollect.engine.redaction import shown_block


class SentLog:
    def __init__(self, store: Store, seconds: Measures) -> None:
        self._store = store
        self._seconds = seconds

    def replay(self, session: SessionId, messages: Sequence[MessageId]) -> dict[MessageId, str]:
        """What these messages were really sent with, after a restart of the host."""
        logged = self._store.sent_with(session, messages)
        return {
            sent.message: shown_block(sent.injection.block)
            for sent in logged
            if sent.confirmed
            and sent.message is not None
            and not sent.call
            and sent.injection.placement is Placement.MESSAGE  # in the system prompt, each takes the place of the last
        }

    def replay_tools(self, session: SessionId, messages: Sequence[MessageId]) -> dict[MessageId, dict[str, str]]:
        """The same of the tools of these messages: by message and call."""
        found: dict[MessageId, dict[str, str]] = {}
        for sent in self._store.sent_with(session, messages):
            if sent.confirmed and sent.message is not None and sent.call:
                found.setdefault(sent.message, {})[sent.call] = shown_block(sent.injection.block)
        return found

    def record_unnamed(
        self, session: Session, injection: Injection, event: Event, began: float, point: Moment
    ) -> Injection:
        """What no message carries gets a name of ours: the first, the second ... of this context. In one transaction,
        so that two who ask at once do not get the same."""
        with self._store.writing():
            number = self._store.count_in(session.id, session.context, point)
            name = MessageId(f"{OWN}{point}:{number}")
            call = name if point is Moment.TOOL_ERROR else ""
            return self.record(session, name, injection, event, began, point, call=call)

    def record(
        self,
        session: Session,
        message: MessageId | None,
        injection: Injection,
        event: Event,
        began: float,
        point: Moment,
        call: str = "",
    ) -> Injection:
        sent = Sent(
            session=session.id,
            context=session.context,
            message=message,
            call=call,
            injection=injection,
            at=event.at,
            took_ms=(self._seconds() - began) * 1000,
            point=point,
            confirmed=not (event.offered or (event.confirms and point in (Moment.PROMPT, Moment.TOOL_ERROR))),
        )
        recorded = answered(self._store.record(sent), event)
        return replace(recorded, notice=injection.notice) if injection.notice else recorded


def answered(sent: Sent, event: Event) -> Injection:
    """As the log has it, with its place there if it counts only once it was delivered."""
    if not event.offered or not sent.injection.block:
        return sent.injection
    key = LogKey(session=sent.session, context=sent.context, message=sent.message, call=sent.call)
    return replace(sent.injection, offered=key)
