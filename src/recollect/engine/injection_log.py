"""Read the injection log: what was sent, and why. Only the moments write it."""

from collections.abc import Collection
from dataclasses import replace

from recollect.domain.errors import InvalidValue
from recollect.domain.injection import LogEntry, MomentUsage
from recollect.domain.memory import Memory, MemoryId, ProjectId, SessionId, check_name
from recollect.domain.session import Recap, Session, session_reference
from recollect.engine.admission import redact_text
from recollect.engine.lookup import MAX_IDS_IN_ERROR, MIN_PREFIX_CHARS
from recollect.engine.ports import Store
from recollect.engine.redaction import redact_injection, redact_memory


class InjectionLog:
    def __init__(self, store: Store) -> None:
        self._store = store

    def entries(self, session: SessionId) -> list[LogEntry]:
        return [replace(sent, injection=redact_injection(sent.injection)) for sent in self._store.log_of(session)]

    def last_session(self, project: ProjectId | None = None) -> Session | None:
        return self._store.last_session(project)

    def sessions(self, prefix: str, *, limit: int) -> list[Session]:
        return self._store.sessions_with_prefix(prefix, limit=limit)

    def find(self, id_or_prefix: str) -> Session | None:
        """Find a session by its id, by a prefix that only one has, or by its reference in a block."""
        check_name(id_or_prefix, "session")
        exact = self._store.session(SessionId(id_or_prefix))
        if exact is not None or len(id_or_prefix) < MIN_PREFIX_CHARS:
            return exact
        found = self.sessions(id_or_prefix, limit=MAX_IDS_IN_ERROR + 1)
        if len(found) > 1:
            several = ", ".join(session.id for session in found[:MAX_IDS_IN_ERROR])
            more = ", ..." if len(found) > MAX_IDS_IN_ERROR else ""
            raise InvalidValue(f"Several sessions begin with {id_or_prefix!r}: {several}{more}. Give more of the id.")
        if found:
            return found[0]
        named = self.find_by_reference(id_or_prefix)
        return None if named is None else self._store.session(named)

    def find_by_reference(self, name: str) -> SessionId | None:
        matches = [session for session in self._store.session_ids() if session_reference(session) == name.lower()]
        return matches[0] if len(matches) == 1 else None

    def recap(self, session: SessionId) -> Recap | None:
        recap = self._store.recap(session)
        return None if recap is None else recap.rewrite_lines(redact_text)

    def usage(self, session: SessionId | None = None) -> list[MomentUsage]:
        return self._store.usage(session)

    def memories(self, ids: Collection[MemoryId]) -> dict[MemoryId, Memory]:
        """Return these memories as they are now, without deleted and forgotten ones."""
        known = filter(None, map(self._store.get, ids))
        return {memory.id: redact_memory(memory) for memory in known if memory.forgotten_at is None}
