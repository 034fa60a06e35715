"""The log of what each message and tool was sent with, written before the answer: asked again, it answers the same."""

from collections.abc import Sequence
from dataclasses import replace

from recollect.domain.event import Event
from recollect.domain.injection import Injection, LogEntry, LogKey, Moment, Placement
from recollect.domain.memory import MessageId, SessionId
from recollect.domain.session import Session
from recollect.engine.admission import OWN_PREFIX
from recollect.engine.context import Context
from recollect.engine.redaction import redact_block, redact_injection
from recollect.engine.session_ports import LogsInjections


def replay(log: LogsInjections, session: SessionId, messages: Sequence[MessageId]) -> dict[str, str]:
    """Return the blocks that these messages and their tools were really sent with, after a restart of the host. A tool's
    block is named `message/call`."""
    blocks: dict[str, str] = {}
    for sent in log.find_sent(session, messages):
        # A block in the system prompt replaces the one before it, so it is not replayed.
        is_carried = bool(sent.call) or sent.injection.placement is Placement.MESSAGE
        if sent.confirmed and sent.message is not None and is_carried:
            name = f"{sent.message}/{sent.call}" if sent.call else sent.message
            blocks[name] = redact_block(sent.injection.block)
    return blocks


def confirm_delivery(log: LogsInjections, injection: Injection) -> None:
    """Note that the asker has the answer: from now on it counts as sent."""
    if injection.offered is not None:
        log.confirm_one(injection.offered)


def record_unnamed(
    ctx: Context, session: Session, injection: Injection, event: Event, started_s: float, moment: Moment
) -> Injection:
    """Record a block that no message carries, under a name of ours with a number."""
    # In one transaction: two askers at once must not get the same number.
    with ctx.store.transaction():
        number = ctx.store.count_at_moment(session.id, session.context, moment)
        name = MessageId(f"{OWN_PREFIX}{moment}:{number}")
        call = name if moment is Moment.TOOL_ERROR else ""
        return record(ctx, session, name, injection, event, started_s, moment, call=call)


def record(
    ctx: Context,
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
        took_ms=(ctx.seconds() - started_s) * 1000,
        point=moment,
        confirmed=not (event.offered or waits_for_confirmation),
    )
    recorded = _injection_of(ctx.store.record(sent), event)
    return replace(recorded, notice=injection.notice) if injection.notice else recorded


def replay_injection(sent: LogEntry, event: Event) -> Injection:
    """Return what was sent before: the same bytes, unless an older version sent a secret."""
    return redact_injection(_injection_of(sent, event))


def _injection_of(sent: LogEntry, event: Event) -> Injection:
    """Return the logged injection, with its key in the log if it counts as sent only after delivery."""
    if not event.offered or not sent.injection.block:
        return sent.injection
    key = LogKey(session=sent.session, context=sent.context, message=sent.message, call=sent.call)
    return replace(sent.injection, offered=key)
