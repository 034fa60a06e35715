"""What the engine needs of sessions from the world: what they are, what they were sent, what they leave behind."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from recollect.domain.injection import LogKey, Moment, MomentUsage, Sent
from recollect.domain.memory import MemoryId, MessageId, ProjectId, SessionId
from recollect.domain.session import Recap, Session


class KeepsSessions(Protocol):
    def session(self, session_id: SessionId) -> Session | None: ...

    def begin_session(self, session: Session) -> Session:
        """First begun is final: answers with the session as it is kept."""
        ...

    def begin_context(self, session_id: SessionId) -> Session:
        """The same session with the next live context."""
        ...

    def keep_session(self, session: Session) -> None:
        """What its user wants of it, and whether it has ended; the rest stays as it began."""
        ...

    def last_session(self, project: ProjectId | None = None) -> Session | None:
        """The one in which something was last asked of us; of one project, or of all."""
        ...

    def sessions_with_prefix(self, prefix: str, *, limit: int) -> list[Session]:
        """Sessions whose id begins so, in the order of their ids."""
        ...

    def sessions_to_ask(
        self, project: ProjectId | None, host: str, *, since: datetime, most: int
    ) -> list[tuple[Session, datetime]]:
        """Sessions with a person that began since then and that a model was asked about less than `most` times, each
        with when something was last said in it; those that it was asked about first, then the newest."""
        ...

    def note_asked(self, session_id: SessionId, times: int) -> None:
        """A model was asked about it so many times more."""
        ...

    def session_ids(self) -> list[SessionId]:
        """Of all sessions, also of those that are only in the archive."""
        ...


class KeepsRecaps(Protocol):
    def keep_recap(self, recap: Recap) -> None:
        """In place of what the session left before."""
        ...

    def recap(self, session: SessionId) -> Recap | None: ...

    def recaps(self, project: ProjectId, *, limit: int, until: datetime | None = None) -> list[Recap]:
        """What the sessions of a project left until then, the newest first."""
        ...

    def drop_recaps_before(self, moment: datetime) -> None: ...


class CountsUse(Protocol):
    """Counters, kept beside what was said and without a history."""

    def note_use(self, used: Collection[MemoryId], unused: Collection[MemoryId], at: datetime) -> None: ...

    def note_feedback(self, memories: Collection[MemoryId], change: int) -> None: ...


class LogsInjections(Protocol):
    def record(self, sent: Sent) -> Sent:
        """First recorded is final: answers with what stands in the log afterwards."""
        ...

    def confirm(self, session_id: SessionId, carriers: Collection[str]) -> None:
        """The host has sent what it was offered for these messages, or for tools of theirs (`message/call`)."""
        ...

    def confirm_one(self, key: LogKey) -> None:
        """The same of one answer, by its place in the log."""
        ...

    def stable(self, session_id: SessionId, context: int) -> Sent | None:
        """The stable block of one live context."""
        ...

    def sent_with(self, session_id: SessionId, messages: Collection[MessageId], *, why: bool = False) -> list[Sent]:
        """What each of these messages and its tools were sent with, as it was first recorded, in that order; with
        `why`, the reasons too."""
        ...

    def count_in(self, session_id: SessionId, context: int, point: Moment) -> int:
        """How often something was recorded at this moment in one live context, silence too."""
        ...

    def in_context(self, session_id: SessionId, context: int) -> list[Sent]:
        """Everything that was said in one live context, without the reasons; of the times of silence, one stands for
        all."""
        ...

    def log_of(self, session_id: SessionId) -> list[Sent]:
        """Everything of a session, in its order."""
        ...

    def session_sent_at(self, moments: Collection[datetime], *, like: Session) -> Session | None:
        """Another session of the same host and project whose messages and tools were sent something, or nothing, at
        most of these moments; None: at none of them."""
        ...

    def copy_log(self, parent: Session, child: Session, sent: Sequence[Sent], *, context: int) -> Session:
        """These of the parent's, as they are named in the child, in place of what it began with; the child is in this
        context then. Nothing counts as shown once more."""
        ...

    def usage(self, session_id: SessionId | None = None) -> list[MomentUsage]:
        """What the blocks of a session came to, or of all of them, by moment."""
        ...

    def drop_reasons_before(self, moment: datetime) -> None:
        """Why something was or was not shown is forgotten; what was sent stays."""
        ...
