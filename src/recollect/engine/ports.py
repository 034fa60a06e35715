"""What the engine needs from the world, named by ability. Value types live in `domain`."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

from recollect.domain.injection import Sent, Session
from recollect.domain.memory import Draft, Kind, Memory, MemoryId, MessageId, ProjectId, SessionId, Viewer
from recollect.domain.project import Place


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


class KnowsProjects(Protocol):
    """An alias is any of `name:…`, `git:…`, `root:…` and `path:…`."""

    def known_as(self, aliases: Collection[ProjectId]) -> Mapping[ProjectId, frozenset[ProjectId]]:
        """For each of these aliases that is known, the projects that have it."""
        ...

    def aliases_of(self, project: ProjectId) -> frozenset[ProjectId]:
        """Everything that a project is known as; empty: nothing is known of it."""
        ...

    def note_aliases(self, project: ProjectId, aliases: Collection[ProjectId], at: datetime) -> None:
        """The project is known as these from now on.

        A path, a remote or a name that another project had goes over; a root commit may belong to several.
        """
        ...


class Store(FindsMemories, KeepsMemories, KeepsSessions, LogsInjections, KnowsProjects, Protocol):
    """All of it, as one database offers it."""


class SeesPlaces(Protocol):
    def place_of(self, folder: str) -> Place:
        """What the folder says about its project; quick, without running a program."""
        ...

    def root_commit(self, folder: str) -> ProjectId | None:
        """`root:HASH` of the repository that the folder lies in, as far as git can say; runs git."""
        ...


class Measures(Protocol):
    """A running clock in seconds, for durations only."""

    def __call__(self) -> float: ...
