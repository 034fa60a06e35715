"""What the engine needs from the world, named by ability. Value types live in `domain`."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

from recollect.domain.injection import Sent, Session
from recollect.domain.memory import Draft, Kind, Memory, MemoryId, MessageId, ProjectId, SessionId, Viewer
from recollect.domain.settings import Settings


class FindsMemories(Protocol):
    """Answers only with what the viewer may see; `injectable` leaves out restricted and superseded ones too."""

    def search(self, words: Sequence[str], viewer: Viewer, *, limit: int, injectable: bool) -> list[Memory]:
        """Memories with any of the words, best match first."""
        ...

    def newest(
        self, viewer: Viewer, *, limit: int, kinds: Collection[Kind] | None = None, since: datetime | None = None
    ) -> list[Memory]:
        """Live memories, newest first."""
        ...

    def occurrences(self, words: Collection[str], viewer: Viewer) -> Mapping[str, int]:
        """In how many of the viewer's memories each word occurs: what others remember changes nothing here."""
        ...

    def count(self, viewer: Viewer | None = None) -> int:
        """How many memories hold where the viewer is; without one, how many there are."""
        ...


class KeepsMemories(Protocol):
    def writing(self) -> AbstractContextManager[None]:
        """One transaction: all of it is kept, or nothing."""
        ...

    def get(self, memory_id: MemoryId) -> Memory | None: ...

    def find_same(self, draft: Draft) -> Memory | None:
        """The live memory of the same kind and scope that says the same words."""
        ...

    def add(self, memory: Memory) -> None: ...

    def update(self, memory: Memory) -> None:
        """Put it in place of the one with its id."""
        ...


class KeepsSessions(Protocol):
    def session(self, session_id: SessionId) -> Session | None: ...

    def begin_session(self, session: Session) -> Session:
        """First begun is final: answers with the session as it is kept."""
        ...

    def begin_context(self, session_id: SessionId) -> Session:
        """The same session with the next live context."""
        ...


class LogsInjections(Protocol):
    def record(self, sent: Sent) -> Sent:
        """First recorded is final: answers with what stands in the log afterwards."""
        ...

    def confirm(self, session_id: SessionId, messages: Collection[MessageId]) -> None:
        """The host has sent what it was offered for these messages."""
        ...

    def stable(self, session_id: SessionId, context: int) -> Sent | None:
        """The stable block of one live context."""
        ...

    def sent_with(self, session_id: SessionId, messages: Collection[MessageId]) -> dict[MessageId, Sent]:
        """What each of these messages was sent with; messages that are not in the log are left out."""
        ...

    def in_context(self, session_id: SessionId, context: int) -> list[Sent]:
        """Everything that was sent in one live context."""
        ...


class Store(FindsMemories, KeepsMemories, KeepsSessions, LogsInjections, Protocol):
    """All of it, as one database offers it."""


class IdentifiesProjects(Protocol):
    def __call__(self, folder: str) -> ProjectId: ...


class SettingsFor(Protocol):
    """The settings that hold in a folder; None: where no folder is named."""

    def __call__(self, folder: str | None) -> Settings: ...


class Measures(Protocol):
    """A running clock in seconds, for durations only."""

    def __call__(self) -> float: ...
