"""The sessions that were deleted of late: what somebody still tells of them must not bring them back. Not kept."""

from recollect.domain.event import Asked, Event, SessionStarted
from recollect.domain.memory import SessionId

MAX_SESSIONS = 200


class DeletedSessions:
    def __init__(self) -> None:
        self._names: dict[SessionId, None] = {}

    def note(self, session: SessionId) -> None:
        self._names[session] = None
        while len(self._names) > MAX_SESSIONS:
            self._names.pop(next(iter(self._names)), None)

    def swallow(self, event: Event) -> bool:
        """Whether it is not heard. What starts again is another session of that name; a question is answered."""
        if isinstance(event, SessionStarted):
            self._names.pop(event.session, None)
        return event.session in self._names and not isinstance(event, Asked)
