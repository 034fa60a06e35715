"""Ports of sessions: their state, the log of injections, and their recaps."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from recollect.domain.injection import LogEntry, LogKey, Moment, MomentUsage
from recollect.domain.memory import MemoryId, MessageId, ProjectId, SessionId
from recollect.domain.session import Recap, Session


class KeepsSessions(Protocol):
    def session(self, session_id: SessionId) -> Session | None: ...

    def begin_session(self, session: Session) -> Session:
        """Store a new session and return the stored one: the first to begin wins."""

    def begin_context(self, session_id: SessionId) -> Session: ...

    def keep_session(self, session: Session) -> None:
        """Update opt-outs and the end of a session; the rest stays as it began."""

    def last_session(self, project: ProjectId | None = None) -> Session | None:
        """Return the session with the most recent injection, of one project or of all."""

    def sessions_with_prefix(self, prefix: str, *, limit: int) -> list[Session]:
        """Return the sessions whose id begins so, ordered by id."""

    def sessions_to_ask(
        self, project: ProjectId | None, host: str, *, since: datetime, most: int
    ) -> list[tuple[Session, datetime]]:
        """Return the sessions with a person that began since then and were asked about fewer than `most` times, each
        with the time of its last turn; those that were asked about come first, then the newest."""

    def note_asked(self, session_id: SessionId, times: int) -> None: ...

    def session_ids(self) -> list[SessionId]:
        """Return the ids of all sessions, also of those that are only in the archive."""


class KeepsRecaps(Protocol):
    def keep_recap(self, recap: Recap) -> None:
        """Store a recap and replace the session's earlier one."""

    def recap(self, session: SessionId) -> Recap | None: ...

    def recaps(self, project: ProjectId, *, limit: int, until: datetime | None = None) -> list[Recap]:
        """Return the recaps of a project up to then, the newest first."""

    def drop_recaps_before(self, moment: datetime) -> None: ...


class CountsUse(Protocol):
    """Counters of memories, without a history."""

    def note_use(self, used: Collection[MemoryId], unused: Collection[MemoryId], at: datetime) -> None: ...
    def note_feedback(self, memories: Collection[MemoryId], change: int) -> None: ...


class LogsInjections(Protocol):
    def record(self, sent: LogEntry) -> LogEntry:
        """Log an injection and return the logged one: the first to be logged wins."""

    def confirm(self, session_id: SessionId, carriers: Collection[str]) -> None:
        """Record that the host sent the offered blocks of these messages, or of their tools (`message/call`)."""

    def confirm_one(self, key: LogKey) -> None: ...
    def start_block(self, session_id: SessionId, context: int) -> LogEntry | None: ...

    def find_sent(self, session_id: SessionId, messages: Collection[MessageId], *, why: bool = False) -> list[LogEntry]:
        """Return the blocks on these messages and their tools, in the order they were logged; `why`: with reasons."""

    def count_at_moment(self, session_id: SessionId, context: int, point: Moment) -> int:
        """Count the log entries of this moment in one live context, empty ones too."""

    def log_of_context(self, session_id: SessionId, context: int) -> list[LogEntry]:
        """Return all blocks of one live context, without reasons; of the empty ones, only one."""

    def log_of(self, session_id: SessionId) -> list[LogEntry]:
        """Return the whole log of a session, in order."""

    def find_session_by_times(self, moments: Collection[datetime], *, like: Session) -> Session | None:
        """Return another session of the same host and project with log entries at most of these moments, or None."""

    def copy_log(self, parent: Session, child: Session, sent: Sequence[LogEntry], *, context: int) -> Session:
        """Replace the child's log with these entries of the parent, under the child's message ids, and set its context.
        Nothing counts as shown once more."""

    def usage(self, session_id: SessionId | None = None) -> list[MomentUsage]:
        """Return totals by moment, of one session or of all."""

    def drop_reasons_before(self, moment: datetime) -> None:
        """Drop why memories were or were not shown; the log of what was sent stays."""


class SessionLog(KeepsSessions, LogsInjections, Protocol):
    """The needs of copied sessions and of new live contexts."""
