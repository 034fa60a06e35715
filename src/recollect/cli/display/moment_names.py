"""Names for the moments of a session: the second prompt, the session start, the first failed tool."""

from collections.abc import Sequence

from recollect.cli.display.reasons import NAMES
from recollect.domain.injection import LogEntry, Moment
from recollect.engine.admission import OWN_PREFIX


def name_of(sent: LogEntry, log: Sequence[LogEntry]) -> str:
    """`prompt 2`, `failed tool 1`: counted within the session."""
    same_point = [one for one in log if one.point is sent.point]
    if len(same_point) == 1 and sent.point is Moment.START:
        return NAMES[sent.point]
    position = next(number for number, one in enumerate(same_point, start=1) if one is sent)
    return f"{NAMES[sent.point]} {position}"


def label(sent: LogEntry) -> str:
    """The host's own ids of the moment."""
    if sent.message is None:
        return "the start block"
    if sent.message.startswith(OWN_PREFIX):
        return "on no message"
    if sent.call in ("", sent.message):
        return f"message {sent.message}"
    return f"message {sent.message}, call {sent.call}"
