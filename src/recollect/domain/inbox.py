"""An event that waits to be learnt from."""

from dataclasses import dataclass

from recollect.domain.event import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxEntry:
    number: int
    event: Event | None  # None: the stored event is damaged
    tries: int  # how often learning from it was started
