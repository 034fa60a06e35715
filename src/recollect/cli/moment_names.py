"""What a person calls a moment of a session: the second prompt, `start`, or the beginning of a message's id."""

from collections.abc import Sequence

from recollect.cli.reasons import NAMES
from recollect.domain.errors import InvalidValue
from recollect.domain.injection import Point, Sent
from recollect.engine.admission import OWN

NAMED = 5  # moments in an error


def name_of(sent: Sent, log: Sequence[Sent]) -> str:
    """`prompt 2`, `failed tool 1`: counted in its session."""
    of_point = [one for one in log if one.point is sent.point]
    alone = len(of_point) == 1 and sent.point is Point.START
    return NAMES[sent.point] if alone else f"{NAMES[sent.point]} {_place(sent, of_point)}"


def label(sent: Sent) -> str:
    """What the host calls it."""
    if sent.message is None:
        return "the stable block"
    if sent.message.startswith(OWN):
        return "on no message"
    return f"message {sent.message}" + (f", call {sent.call}" if sent.call not in ("", sent.message) else "")


def picked(log: Sequence[Sent], turn: str | None) -> Sent:
    if turn is None:
        return log[-1]
    by_id = _by_id(log, turn)
    if len(by_id) > 1:
        several = ", ".join(f"{one.message} {one.call}".strip() for one in by_id[:NAMED])
        raise InvalidValue(f"Several moments begin with {turn!r}: {several}. Give more of the id.")
    found = by_id[0] if by_id else _by_place(log, turn)
    if found is None:
        raise InvalidValue(f"There is no turn {turn!r} in session {log[0].session!r}: it has {_all_of(log)}.")
    return found


def _by_id(log: Sequence[Sent], turn: str) -> list[Sent]:
    exact = [sent for sent in log if turn in (sent.message, sent.call, f"{sent.message} {sent.call}")]
    prompts = [sent for sent in exact if not sent.call]  # the message itself, before the tools that failed on it
    if exact or turn.isdigit() or turn in list(Point):
        alike = prompts or exact
        return alike[-1:] if len({(sent.message, sent.call) for sent in alike}) == 1 else alike
    return [sent for sent in log if any((name or "").startswith(turn) for name in (sent.message, sent.call))]


def _by_place(log: Sequence[Sent], turn: str) -> Sent | None:
    """A number counts prompts; the name of a point is its last."""
    if turn.isascii() and turn.isdigit():
        prompts = [sent for sent in log if sent.point is Point.PROMPT]
        return prompts[int(turn) - 1] if 1 <= int(turn) <= len(prompts) else None
    return next((sent for sent in reversed(log) if sent.point == turn), None)


def _all_of(log: Sequence[Sent]) -> str:
    prompts = sum(sent.point is Point.PROMPT for sent in log)
    points = [point for point in Point if point is not Point.PROMPT and any(sent.point is point for sent in log)]
    numbers = [f"prompts 1 to {prompts}"] if prompts > 1 else ["prompt 1"] if prompts else []
    named = (sent.message for sent in log if sent.message is not None and not sent.message.startswith(OWN))
    messages = list(dict.fromkeys(named))
    ids = f" (messages {', '.join(messages[:NAMED])}{', ...' if len(messages) > NAMED else ''})" if messages else ""
    return ", ".join([*points, *numbers]) + ids


def _place(sent: Sent, of_point: Sequence[Sent]) -> int:
    return 1 + next(place for place, one in enumerate(of_point) if one is sent)
