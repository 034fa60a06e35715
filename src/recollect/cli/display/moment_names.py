"""What a person calls a moment of a session: the second prompt, the session start, the first failed tool."""

from collections.abc import Sequence

from recollect.cli.display.reasons import NAMES
from recollect.domain.injection import Moment, Sent
from recollect.engine.admission import OWN


def name_of(sent: Sent, log: Sequence[Sent]) -> str:
    """`prompt 2`, `failed tool 1`: counted in its session."""
    of_point = [one for one in log if one.point is sent.point]
    alone = len(of_point) == 1 and sent.point is Moment.START
    return NAMES[sent.point] if alone else f"{NAMES[sent.point]} {_place(sent, of_point)}"


def label(sent: Sent) -> str:
    """What the host calls it."""
    if sent.message is None:
        return "the stable block"
    if sent.message.startswith(OWN):
        return "on no message"
    return f"message {sent.message}" + (f", call {sent.call}" if sent.call not in ("", sent.message) else "")


def _place(sent: Sent, of_point: Sequence[Sent]) -> int:
    return 1 + next(place for place, one in enumerate(of_point) if one is sent)
