"""Something that happened in a session and waits to be learnt from."""

from dataclasses import dataclass

from recollect.domain.event import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """One entry of the inbox."""

    number: int
    event: Event | None  # None: it is not what was written
    tries: int  # how often somebody began to learn from it
