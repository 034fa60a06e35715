"""Explains what the model of a session was shown, and why: at one moment, or at all of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recollect.api.operation import Operation, OperationContext, Request
from recollect.domain.errors import InvalidValue
from recollect.domain.injection import LogEntry, Moment, MomentUsage
from recollect.domain.memory import Memory, MemoryId
from recollect.domain.session import Session

if TYPE_CHECKING:  # a client of the daemon never loads it
    from recollect.engine.engine import Engine

IDS_IN_ERROR = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Why(Request):
    session: str | None = None  # or the beginning of its id; None: the last one of the folder's project, else of all
    turn: str | None = None  # a message, a number or the name of a moment; None: the last moment
    every: bool = False  # all moments of the session


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    session: Session
    log: list[LogEntry]  # all moments of the session, in order
    chosen: int | None  # the index of the chosen moment in `log`; None: all
    usage: list[MomentUsage]
    known: dict[MemoryId, Memory]  # the memories of the chosen moment, without deleted ones


def why(desk: OperationContext, asked: Why) -> Explained:
    session, turn = _find_session(desk.engine, asked)
    log = desk.engine.log.entries(session.id)
    if not log:
        raise InvalidValue(
            f"Nothing is logged for session {session.id!r}: it had no moment yet, or the settings switch them off."
        )
    usage = desk.engine.log.usage(session.id)
    if asked.every:
        return Explained(session=session, log=log, chosen=None, usage=usage, known={})
    chosen = pick_moment(log, turn)
    position = next(number for number, one in enumerate(log) if one is chosen)
    ids = [*chosen.injection.ids, *(choice.id for choice in chosen.injection.choices)]
    known = desk.engine.log.memories(list(dict.fromkeys(ids)))
    return Explained(session=session, log=log, chosen=position, usage=usage, known=known)


def _find_session(engine: "Engine", asked: Why) -> tuple[Session, str | None]:
    """Return the session and the turn. A single word that names no session is the turn."""
    found = engine.log.find(asked.session) if asked.session is not None else None
    if found is not None:
        return found, asked.turn
    last = _last_session(engine, asked.folder)
    if asked.session is None:
        return last, asked.turn
    if asked.turn is None and _has_turn(engine, last, asked.session):
        return last, asked.session
    raise InvalidValue(
        f"No session begins with {asked.session!r}. The last one is {last.id}; `recollect why` explains it."
    )


def _last_session(engine: "Engine", folder: str | None) -> Session:
    found = None
    if folder is not None:
        found = engine.log.last_session(engine.project_of(folder))
    found = found or engine.log.last_session()
    if found is None:
        raise InvalidValue(
            "There is no session yet. Connect a host (`recollect install opencode`), or try a prompt: "
            """`recollect inject '{"type": "prompt", "text": "How do we deploy with Helm?"}'`."""
        )
    return found


def _has_turn(engine: "Engine", session: Session, turn: str) -> bool:
    try:
        pick_moment(engine.log.entries(session.id), turn)
    except InvalidValue as error:
        if turn in list(Moment) or (turn.isascii() and (turn.isdigit() or turn.isalpha())):
            raise error from None  # it looks like a turn: the error lists the turns
        return False
    return True


def pick_moment(log: Sequence[LogEntry], turn: str | None) -> LogEntry:
    if turn is None:
        return log[-1]
    by_id = _find_by_id(log, turn)
    if len(by_id) > 1:
        several = ", ".join(f"{one.message} {one.call}".strip() for one in by_id[:IDS_IN_ERROR])
        raise InvalidValue(f"Several moments begin with {turn!r}: {several}. Give more of the id.")
    found = by_id[0] if by_id else _find_by_position(log, turn)
    if found is None:
        why = ""
        if turn in list(Moment):  # the host decides when it asks, and Recollect sees only what it asks
            why = "its host did not ask for it, or gave up before the answer; "
        session, moments = log[0].session, _list_moments(log)
        raise InvalidValue(f"There is no turn {turn!r} in session {session!r}: {why}it has {moments}.")
    return found


def _find_by_id(log: Sequence[LogEntry], turn: str) -> list[LogEntry]:
    exact = [sent for sent in log if turn in (sent.message, sent.call, f"{sent.message} {sent.call}")]
    if exact or turn.isdigit() or turn in list(Moment):
        prompts = [sent for sent in exact if not sent.call]  # the message itself, before the tools that failed on it
        found = prompts or exact
        is_one = len({(sent.message, sent.call) for sent in found}) == 1
        return found[-1:] if is_one else found
    return [sent for sent in log if (sent.message or "").startswith(turn) or sent.call.startswith(turn)]


def _find_by_position(log: Sequence[LogEntry], turn: str) -> LogEntry | None:
    """A number counts prompts; the name of a moment means its last one."""
    if turn.isascii() and turn.isdigit():
        prompts = [sent for sent in log if sent.point is Moment.PROMPT]
        return prompts[int(turn) - 1] if 1 <= int(turn) <= len(prompts) else None
    return next((sent for sent in reversed(log) if sent.point == turn), None)


def _list_moments(log: Sequence[LogEntry]) -> str:
    """`start, tool_error, prompts 1 to 2 (messages m1, m2)`"""
    from recollect.engine.admission import OWN_PREFIX  # only for errors

    points = {sent.point for sent in log} - {Moment.PROMPT}
    parts: list[str] = [point for point in Moment if point in points]
    prompts = sum(sent.point is Moment.PROMPT for sent in log)
    if prompts:
        parts.append("prompt 1" if prompts == 1 else f"prompts 1 to {prompts}")
    messages = list(
        dict.fromkeys(sent.message for sent in log if sent.message and not sent.message.startswith(OWN_PREFIX))
    )
    if not messages:
        return ", ".join(parts)
    more = ", ..." if len(messages) > IDS_IN_ERROR else ""
    return f"{', '.join(parts)} (messages {', '.join(messages[:IDS_IN_ERROR])}{more})"


WHY = Operation("why", "Explains what the model was shown, and why.", Why, Explained, why)
