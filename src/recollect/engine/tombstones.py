"""The sessions that were deleted of late: what somebody still tells of them must not bring them back. Not kept."""

from recollect.domain.event import Asked, Event, SessionDeleted, SessionStarted
from recollect.domain.memory import SessionId

MAX_SESSIONS = 200


class DeletedSessions:
    def __init__(self) -> None:
        self._names: dict[tuple[str, SessionId], None] = {}  # with the host: another one may call its own so

    def note(self, event: SessionDeleted) -> None:
        self._names[event.host, event.session] = None
        while len(self._names) > MAX_SESSIONS:
            self._names.pop(next(iter(self._names)), None)

    def must_ignore(self, event: Event) -> bool:
        """Whether it is not heard. What starts again is another session of that name; a question is answered."""
        name = (event.host, event.session)
        if isinstance(event, SessionStarted):
            self._names.pop(name, None)
        return name in self._names and not isinstance(event, Asked)
