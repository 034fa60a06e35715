"""What the engine needs from the world, named by ability. Value types live in `domain`."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from recollect.domain.freshness import SeenFile
from recollect.domain.health import Finding
from recollect.domain.history import Change, DeedId, DeedKind, MemoryChange
from recollect.domain.memory import Anchor, Draft, Kind, Memory, MemoryId, MessageId, ProjectId, SessionId, Viewer
from recollect.domain.project import FolderFacts, ProjectFacts
from recollect.domain.search import (
    EVERYTHING,
    Embedded,
    Filters,
    FoundMemory,
    Meaning,
    MissingVectors,
    SightedTurns,
    Sighting,
    Unembedded,
)
from recollect.domain.session import Turn
from recollect.domain.settings import Settings
from recollect.domain.stored import Holding
from recollect.domain.transcript import Mark
from recollect.domain.vector import ModelId, Vector
from recollect.engine.learning_ports import Learns
from recollect.engine.session_ports import CountsUse, KeepsRecaps, KeepsSessions, LogsInjections

if TYPE_CHECKING:
    from recollect.domain.search import Reals


class FindsMemories(Protocol):
    """Answers only with memories that the viewer may see; by default, with those that hold."""

    def look_up(
        self, words: Sequence[str], viewer: Viewer, *, injectable: bool = False, past: bool = False
    ) -> Sighting:
        """Where the words occur. `injectable` leaves out what is restricted or flagged, `past` adds what is no
        longer true."""
        ...

    def search(
        self, sighting: Sighting, meaning: Meaning | None, *, limit: int, filters: Filters = EVERYTHING
    ) -> list[FoundMemory]:
        """The best by word and by meaning, in no order; only vectors of the same model are compared."""
        ...

    def newest(
        self,
        viewer: Viewer,
        *,
        limit: int,
        kinds: Collection[Kind] | None = None,
        since: datetime | None = None,
        injectable: bool = False,
        confirmed: bool = False,
    ) -> list[Memory]:
        """Live memories, newest first; `injectable` leaves out what is restricted or flagged, `confirmed` leaves out
        candidates."""
        ...

    def count(self, viewer: Viewer | None = None) -> int:
        """How many live memories the viewer may see; without one, how many there are."""
        ...


class KeepsMemories(Protocol):
    def writing(self) -> AbstractContextManager[None]:
        """One transaction: all of it is kept, or nothing."""
        ...

    def give_way(self) -> None:
        """Let others write who wait for it, before the next of many transactions."""
        ...

    def get(self, memory_id: MemoryId) -> Memory | None:
        """Also one that is superseded, or forgotten and not yet gone."""
        ...

    def with_prefix(self, prefix: str, *, limit: int) -> list[Memory]:
        """Memories whose id begins so, in the order of their ids."""
        ...

    def find_same(self, draft: Draft, *, past: bool = False, kinds: Collection[Kind] = ()) -> Memory | None:
        """The live memory of the same kind and scope that says the same words; `past`: or else one that was live;
        `kinds`: or else one of these kinds."""
        ...

    def alike(self, draft: Draft, words: Collection[str], *, limit: int) -> list[Memory]:
        """Live memories of the same scope that share words with it, those with the rarest first."""
        ...

    def to_review(self, *, limit: int) -> list[Memory]:
        """Live memories that are flagged or contradict others, the newest first."""
        ...

    def add(self, memory: Memory) -> None: ...

    def update(self, memory: Memory) -> None:
        """Put it in place of the one with its id."""
        ...

    def ended(self, memories: Collection[MemoryId]) -> list[Memory]:
        """Those of the memories that no longer hold, or are forgotten and not yet gone."""
        ...

    def reworded(self, since: Mapping[MemoryId, datetime]) -> list[Memory]:
        """Those of the memories that hold, and that a person has edited since then so that they say something else."""
        ...

    def ended_of(self, sessions: Collection[SessionId]) -> list[Memory]:
        """Memories that were said in these sessions and no longer hold, or are forgotten and not yet gone."""
        ...

    def revision(self) -> str:
        """Another one after every change of a memory, and of what sessions left."""
        ...

    def everything(self, project: ProjectId | None = None) -> Iterator[Memory]:
        """All memories that are not forgotten, of all projects or of one, in the order in which they came."""
        ...

    def predecessors(self, memory_id: MemoryId) -> list[Memory]:
        """Those that this one has superseded."""
        ...


class KeepsHistory(Protocol):
    def proposals(self) -> list[Change]:
        """What agents would forget and no person has decided, the last first; `memory` in the detail names it."""
        ...

    def begin_deed(self, kind: DeedKind, at: datetime, by: str, detail: Mapping[str, Any] | None = None) -> DeedId: ...

    def note_change(self, deed: DeedId, memory_id: MemoryId, before: Memory | None) -> None:
        """The deed is about to change this memory; `before` is None where it did not exist."""
        ...

    def note_undone(self, deed: DeedId, by: DeedId | None) -> None:
        """None: it holds again."""
        ...

    def deed(self, deed: DeedId) -> Change | None: ...

    def deeds(self, *, limit: int) -> list[Change]:
        """The newest first."""
        ...

    def undoable(self) -> Change | None:
        """The newest deed of a person that holds and is no undo itself."""
        ...

    def forgotten_projects(self) -> list[Change]:
        """The deeds that forgot a project which is not yet gone for good."""
        ...

    def changes_in(self, deed: DeedId) -> list[MemoryChange]: ...

    def changes_of(self, memory_id: MemoryId) -> list[MemoryChange]: ...
    def edits(self) -> list[MemoryChange]: ...

    def changed_since(self, deed: DeedId, memories: Collection[MemoryId]) -> list[MemoryId]:
        """Those of the memories that a later deed, which still holds, has changed too."""
        ...


class Forgets(Protocol):
    def forgotten_before(self, moment: datetime) -> list[MemoryId]:
        """Memories that were forgotten then or earlier, and are not gone yet."""
        ...

    def purge(self, memories: Collection[MemoryId]) -> list[str]:
        """Deletes them, their history, and every quotation of them in turns and blocks; what they said. The messages
        that had it are not written down again."""
        ...

    def purges(self) -> int:
        """How often something was forgotten for good, by whatever process."""
        ...

    def delete_session(self, session: SessionId) -> bool:
        """Deletes its row, its log, its turns, what waits of it and what it left, and every line in which another
        session was told of that. False: nothing is known of it."""
        ...

    def delete_sessions(self, sessions: Collection[SessionId]) -> None:
        """The same of several that go together. Of one that was not to be captured, that stays known."""
        ...

    def erase_project(self, project: ProjectId) -> None:
        """Takes out everything that a project is known as, and the deeds that name it."""
        ...

    def scrub(self, said: Collection[str] = ()) -> bool:
        """Cleans index, log and backups of what was purged or deleted; whether nothing is left behind. Quicker if it is
        told what the memories said."""
        ...


class KeepsTurns(Protocol):
    def add_turns(self, turns: Iterable[Turn], *, only_new: bool = False) -> int:
        """How many were not there yet. A message that is there already is replaced, or with `only_new` left alone."""
        ...

    def look_up_turns(
        self,
        words: Sequence[str],
        project: ProjectId | None,
        *,
        filters: Filters = EVERYTHING,
        running: Collection[SessionId] | None = None,
    ) -> SightedTurns:
        """All turns of this project, and where the words occur in them. `running`: only what may be quoted in these
        sessions, which is nothing of their own, and no question that nobody answered."""
        ...

    def turn_cosines(self, turns: SightedTurns, meaning: Meaning) -> "Reals | None":
        """Of each of the turns together with what came before it; NaN: not known yet. None: of none of them."""
        ...

    def passage_cosines(self, numbers: Sequence[int], vector: Vector) -> list[tuple[float, ...]]:
        """Of each of these turns, how near each of its passages comes; of a turn without a vector, nothing."""
        ...

    def passage_vectors(self, which: Mapping[int, int]) -> dict[int, Vector]:
        """Of each of these turns, the vector of the passage with this index, as far as there is one."""
        ...

    def turns(self, numbers: Sequence[int]) -> list[Turn | None]:
        """In this order; None: it is gone or damaged."""
        ...

    def turns_until(self, session: SessionId, message: MessageId, *, limit: int) -> list[Turn]:
        """This message and those before it, in their order; empty: it is not in the archive."""
        ...

    def turns_of(self, session: SessionId) -> list[Turn]:
        """In the order in which they were said, without damaged ones."""
        ...

    def count_turns(self) -> int: ...

    def has_turns(self, session: SessionId) -> bool: ...

    def drop_turns_before(self, moment: datetime) -> int:
        """How many were dropped."""
        ...


class KeepsMarks(Protocol):
    def mark(self, source: str) -> Mark | None:
        """How far this transcript was read; None: never."""
        ...

    def keep_mark(self, mark: Mark) -> None: ...


class KeepsVectors(Protocol):
    def giving_up_after(self, wait_ms: int) -> AbstractContextManager[None]:
        """For what is not worth waiting for: inside, StoreBusy comes so soon."""
        ...

    def unembedded(self, model: ModelId) -> int:
        """How many memories and turns have no vector of this model yet."""
        ...

    def waiting(self, model: ModelId | None) -> MissingVectors:
        """The same, told apart. None: there is no model; then what waits for any."""
        ...

    def next_unembedded(self, model: ModelId, *, limit: int) -> list[Unembedded]:
        """Those that wait, memories before turns, the newest first; with another model than before, all wait again."""
        ...

    def keep_vectors(self, model: ModelId, made: Sequence[Embedded]) -> None:
        """What was changed since it was asked about keeps waiting."""
        ...


class KnowsProjects(Protocol):
    def known_as(self, aliases: Collection[ProjectId]) -> Mapping[ProjectId, frozenset[ProjectId]]:
        """For each of these aliases that is known, the projects that have it."""
        ...

    def aliases_of(self, project: ProjectId) -> frozenset[ProjectId]:
        """Everything that a project is known as; empty: nothing is known of it."""
        ...

    def has_memories(self, project: ProjectId) -> bool:
        """Also where it is known as nothing: a file may have brought them."""
        ...

    def note_aliases(self, project: ProjectId, aliases: Collection[ProjectId], at: datetime) -> None:
        """The project is known as these from now on; a path, a remote or a name that another project had goes over."""
        ...


class KeepsProjects(KnowsProjects, Protocol):
    def drop_aliases(self, project: ProjectId, aliases: Collection[ProjectId]) -> None: ...

    def projects(self) -> list[ProjectFacts]:
        """All of them, the last used first."""
        ...

    def memories_in(self, project: ProjectId) -> list[MemoryId]:
        """Also those that are superseded or forgotten."""
        ...

    def sessions_in(self, project: ProjectId) -> list[SessionId]: ...

    def hidden_sessions(self) -> list[tuple[ProjectId, SessionId]]:
        """The sessions of forgotten projects, each with the id under which it is hidden."""
        ...

    def holdings(self) -> list[Holding]:
        """How much is kept of each project and outside of all, the last used first."""
        ...

    def move_sessions(self, sessions: Collection[SessionId], project: ProjectId) -> None:
        """The sessions and their turns belong to this project from now on."""
        ...


class Writes(KeepsMemories, KeepsHistory, Protocol):
    """What the write path needs."""


class KeepsChores(Protocol):
    def chore_state(self, name: str) -> str | None:
        """Return the state that the chore was last finished in; None: never."""

    def finish_chore(self, name: str, state: str) -> None: ...

    def replaced(self) -> list[Memory]:
        """Memories whose place another one has taken, as far as they are not forgotten."""
        ...

    def back_up(self) -> None:
        """Copy all of it, as an upgrade does before it changes something."""
        ...

    def look_again(self) -> bool:
        """Look for secrets in some more of what is kept, with the rules of this version. False: all of it was seen."""
        ...

    def looked_again(self) -> Finding | None:
        """How far that is; None: it has not begun."""
        ...


class Store(
    FindsMemories,
    KeepsMemories,
    KeepsHistory,
    Forgets,
    KeepsTurns,
    KeepsMarks,
    KeepsVectors,
    KeepsProjects,
    KeepsSessions,
    KeepsRecaps,
    CountsUse,
    LogsInjections,
    Learns,
    KeepsChores,
    Protocol,
):
    """All of it, as one database offers it."""

    def copied(self) -> "AbstractContextManager[Store]":
        """A copy in memory, to try things on: whoever writes here does not wait for it."""
        ...

    @property
    def is_read_only(self) -> bool: ...

    @property
    def is_there(self) -> bool:
        """False: it was moved or deleted while it was open."""
        ...

    def check(self) -> list[Finding]:
        """What is wrong with it; one line that all is fine, otherwise."""
        ...

    def mend(self) -> list[Finding]:
        """Makes what can be made anew from the rows; what was done."""
        ...


class Embeds(Protocol):
    """Says what a text means. The same text always gets the same vector."""

    @property
    def model(self) -> ModelId: ...

    def embed(self, text: str) -> Vector:
        """Of something that is kept."""
        ...

    def embed_question(self, text: str) -> Vector:
        """The same; a question that is asked again costs nothing."""
        ...

    def knows(self, word: str) -> bool:
        """Whether it is a word of the language, and so hardly a slip of the finger; in small letters."""
        ...


class SeesPlaces(Protocol):
    def place_of(self, folder: str) -> FolderFacts:
        """What the folder says about its project; quick, without running a program."""
        ...

    def root_commit(self, folder: str) -> ProjectId | None:
        """`root:HASH` of the repository that the folder lies in, as far as git can say; runs git."""
        ...

    def language_of(self, folder: str) -> str | None:
        """What most files of the project are written in, as in `language:go`; quick, without running a program."""
        ...

    def branch_of(self, folder: str) -> str | None:
        """The branch that is checked out there; quick, without running a program."""
        ...


class SeesFiles(Protocol):
    """Files inside of a project's root, and nothing outside of it. Runs no program."""

    def seen(self, root: str, anchors: Sequence[Anchor], *, asked: bool) -> list[SeenFile]:
        """Each of them as it is now; unless somebody `asked`, a prompt waits: what is not known at once is unknown."""
        ...

    def anchored(self, root: str, anchor: Anchor) -> Anchor:
        """With the hash of the file as it is now; unchanged where it has one, or where there is no such file."""
        ...

    def anchor(self, root: str, folder: str, path: str) -> Anchor:
        """The file that somebody names from a folder, as it is now; InvalidValue: it cannot be used."""
        ...


class SettingsFor(Protocol):
    """The settings that hold in a folder; None: where no folder is named."""

    def __call__(self, folder: str | None) -> Settings: ...


class Measures(Protocol):
    """A running clock in seconds, for durations only."""

    def __call__(self) -> float: ...
