"""Recently deleted sessions; late events for them are ignored. In memory only."""

from recollect.domain.event import Asked, Event, SessionDeleted, SessionStarted
from recollect.domain.memory import SessionId

MAX_SESSIONS = 200


class DeletedSessions:
    def __init__(self) -> None:
        self._names: dict[tuple[str, SessionId], None] = {}  # with the host: another host may use the same id

    def note(self, event: SessionDeleted) -> None:
        self._names[event.host, event.session] = None
        while len(self._names) > MAX_SESSIONS:
            self._names.pop(next(iter(self._names)), None)

    def must_ignore(self, event: Event) -> bool:
        """Return True for a late event. A start begins a new session of that name; a question is always answered."""
        name = (event.host, event.session)
        if isinstance(event, SessionStarted):
            self._names.pop(name, None)
        return name in self._names and not isinstance(event, Asked)
