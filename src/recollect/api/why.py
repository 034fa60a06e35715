"""What a session's model was given, and why: one moment of it, or all of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recollect.api.operation import Desk, Operation, Request
from recollect.domain.errors import InvalidValue
from recollect.domain.injection import Moment, MomentUsage, Sent
from recollect.domain.memory import Memory, MemoryId
from recollect.domain.session import Session

if TYPE_CHECKING:  # whoever asks the daemon never loads it
    from recollect.engine.engine import Engine

NAMED = 5  # moments in an error


@dataclass(frozen=True, slots=True, kw_only=True)
class Why(Request):
    session: str | None = None  # or the beginning of its id; None: the last one of the folder's project, or of all
    turn: str | None = None  # a message, a number or a point; None: the last moment
    every: bool = False  # all moments of the session


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    session: Session
    log: list[Sent]  # everything of the session, in its order
    chosen: int | None  # the moment in `log` that is meant; None: all of them
    usage: list[MomentUsage]
    known: dict[MemoryId, Memory]  # of the moment that is meant; what is gone is not among them


def why(desk: Desk, asked: Why) -> Explained:
    session, turn = _session(desk.engine, asked)
    log = desk.engine.log.of(session.id)
    if not log:
        raise InvalidValue(
            f"Nothing is logged of session {session.id!r}: no moment came yet, or the settings switch them off."
        )
    chosen = None if asked.every else picked(log, turn)
    return Explained(
        session=session,
        log=log,
        chosen=None if chosen is None else next(place for place, one in enumerate(log) if one is chosen),
        usage=desk.engine.log.usage(session.id),
        known={} if chosen is None else desk.engine.log.memories(_ids(chosen)),
    )


def _session(engine: "Engine", asked: Why) -> tuple[Session, str | None]:
    """And the turn: where one word alone names no session, it is that."""
    found = engine.log.find(asked.session) if asked.session is not None else None
    if found is not None:
        return found, asked.turn
    last = _last(engine, asked.folder)
    if asked.session is None:
        return last, asked.turn
    if asked.turn is None and _is_known(engine, last, asked.session):
        return last, asked.session
    raise InvalidValue(
        f"No session begins with {asked.session!r}. The last one is {last.id}; `recollect why` explains it."
    )


def _last(engine: "Engine", folder: str | None) -> Session:
    here = None if folder is None else engine.log.last_session(engine.project_of(folder))
    found = here or engine.log.last_session()
    if found is None:
        raise InvalidValue(
            "No session is known yet. Connect a host (`recollect install opencode`), or try a prompt: "
            """`recollect inject '{"type": "prompt", "text": "How do we deploy with Helm?"}'`."""
        )
    return found


def _is_known(engine: "Engine", session: Session, turn: str) -> bool:
    try:
        picked(engine.log.of(session.id), turn)
    except InvalidValue as error:
        if turn in list(Moment) or (turn.isascii() and (turn.isdigit() or turn.isalpha())):
            raise error from None  # it reads as a turn: say which there are
        return False
    return True


def _ids(sent: Sent) -> list[MemoryId]:
    return list(dict.fromkeys([*sent.injection.ids, *(choice.id for choice in sent.injection.choices)]))


def picked(log: Sequence[Sent], turn: str | None) -> Sent:
    if turn is None:
        return log[-1]
    by_id = _by_id(log, turn)
    if len(by_id) > 1:
        several = ", ".join(f"{one.message} {one.call}".strip() for one in by_id[:NAMED])
        raise InvalidValue(f"Several moments begin with {turn!r}: {several}. Give more of the id.")
    found = by_id[0] if by_id else _by_place(log, turn)
    if found is None:
        raise InvalidValue(
            f"There is no turn {turn!r} in session {log[0].session!r}: {_not_asked(turn)}it has {_all_of(log)}."
        )
    return found


def _not_asked(turn: str) -> str:
    """A host asks at each point by itself; Recollect sees what it asks, never what it does not."""
    return "its host did not ask for it, or gave up before it was answered; " if turn in list(Moment) else ""


def _by_id(log: Sequence[Sent], turn: str) -> list[Sent]:
    exact = [sent for sent in log if turn in (sent.message, sent.call, f"{sent.message} {sent.call}")]
    prompts = [sent for sent in exact if not sent.call]  # the message itself, before the tools that failed on it
    if exact or turn.isdigit() or turn in list(Moment):
        alike = prompts or exact
        return alike[-1:] if len({(sent.message, sent.call) for sent in alike}) == 1 else alike
    return [sent for sent in log if any((name or "").startswith(turn) for name in (sent.message, sent.call))]


def _by_place(log: Sequence[Sent], turn: str) -> Sent | None:
    """A number counts prompts; the name of a point is its last."""
    if turn.isascii() and turn.isdigit():
        prompts = [sent for sent in log if sent.point is Moment.PROMPT]
        return prompts[int(turn) - 1] if 1 <= int(turn) <= len(prompts) else None
    return next((sent for sent in reversed(log) if sent.point == turn), None)


def _all_of(log: Sequence[Sent]) -> str:
    prompts = sum(sent.point is Moment.PROMPT for sent in log)
    points = [point for point in Moment if point is not Moment.PROMPT and any(sent.point is point for sent in log)]
    numbers = [f"prompts 1 to {prompts}"] if prompts > 1 else ["prompt 1"] if prompts else []
    from recollect.engine.admission import OWN  # only where something is wrong

    named = (sent.message for sent in log if sent.message is not None and not sent.message.startswith(OWN))
    messages = list(dict.fromkeys(named))
    ids = f" (messages {', '.join(messages[:NAMED])}{', ...' if len(messages) > NAMED else ''})" if messages else ""
    return ", ".join([*points, *numbers]) + ids


WHY = Operation("why", "What a model was given, and what decided.", Why, Explained, why)
