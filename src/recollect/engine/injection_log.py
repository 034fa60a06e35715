"""What was sent, and why: the injection log for whoever asks afterwards. It reads; the moments write."""

from collections.abc import Collection
from dataclasses import replace

from recollect.domain.errors import InvalidValue
from recollect.domain.injection import MomentUsage, Sent
from recollect.domain.memory import Memory, MemoryId, ProjectId, SessionId, check_name
from recollect.domain.session import Recap, Session, reference
from recollect.engine.admission import redacted
from recollect.engine.lookup import MIN_PREFIX_CHARS
from recollect.engine.ports import Store
from recollect.engine.redaction import shown, shown_again

NAMED = 5  # sessions in an error


class InjectionLog:
    def __init__(self, store: Store) -> None:
        self._store = store

    def of(self, session: SessionId) -> list[Sent]:
        """Everything of a session, in its order."""
        return [replace(sent, injection=shown_again(sent.injection)) for sent in self._store.log_of(session)]

    def last_session(self, project: ProjectId | None = None) -> Session | None:
        """The one in which something was last asked of us; of one project, or of all."""
        return self._store.last_session(project)

    def sessions(self, prefix: str, *, limit: int) -> list[Session]:
        return self._store.sessions_with_prefix(prefix, limit=limit)

    def find(self, id_or_beginning: str) -> Session | None:
        """By its id, by the beginning of it where only one session has that, or by its reference in a block."""
        check_name(id_or_beginning, "session")
        exact = self._store.session(SessionId(id_or_beginning))
        if exact is not None or len(id_or_beginning) < MIN_PREFIX_CHARS:
            return exact
        found = self.sessions(id_or_beginning, limit=NAMED + 1)
        if len(found) > 1:
            several = ", ".join(session.id for session in found[:NAMED])
            more = ", ..." if len(found) > NAMED else ""
            raise InvalidValue(
                f"Several sessions begin with {id_or_beginning!r}: {several}{more}. Give more of the id."
            )
        if found:
            return found[0]
        named = self.referred_to(id_or_beginning)
        return None if named is None else self._store.session(named)

    def referred_to(self, name: str) -> SessionId | None:
        """The session that a block refers to by this name."""
        alike = [session for session in self._store.session_ids() if reference(session) == name.lower()]
        return alike[0] if len(alike) == 1 else None

    def recap(self, session: SessionId) -> Recap | None:
        """What it left for the next one."""
        left = self._store.recap(session)
        return None if left is None else left.retold(redacted)

    def usage(self, session: SessionId | None = None) -> list[MomentUsage]:
        """What the blocks of a session came to, or of all of them, by moment."""
        return self._store.usage(session)

    def memories(self, ids: Collection[MemoryId]) -> dict[MemoryId, Memory]:
        """As they are now; what is gone or forgotten is not among them."""
        known = filter(None, map(self._store.get, ids))
        return {memory.id: shown(memory) for memory in known if memory.forgotten_at is None}
