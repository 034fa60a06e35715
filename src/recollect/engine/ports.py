"""Ports: what the engine needs from the world, named by ability. Value types live in `domain`."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from recollect.domain.changes import Change, ChangeAction, ChangeId, Erasures, MemoryChange
from recollect.domain.errors import ModelError
from recollect.domain.freshness import SeenFile
from recollect.domain.health import Finding
from recollect.domain.memory import Anchor, Draft, Kind, Memory, MemoryId, MessageId, ProjectId, SessionId, Viewer
from recollect.domain.project import FolderFacts, ProjectFacts, StoredCounts
from recollect.domain.search import (
    EVERYTHING,
    EmbeddedItem,
    Filters,
    FoundMemory,
    Meaning,
    MissingVectors,
    TurnMatches,
    UnembeddedItem,
    WordMatches,
)
from recollect.domain.session import Turn
from recollect.domain.settings import Settings
from recollect.domain.transcript import Mark
from recollect.domain.vector import ModelId, Vector
from recollect.engine.learning_ports import Learns
from recollect.engine.session_ports import CountsUse, KeepsRecaps, KeepsSessions, LogsInjections

if TYPE_CHECKING:
    from recollect.domain.search import Reals


class FindsMemories(Protocol):
    """Finds only memories that the viewer may see; by default, only valid ones."""

    def look_up(
        self, words: Sequence[str], viewer: Viewer, *, injectable: bool = False, past: bool = False
    ) -> WordMatches:
        """Find where the words occur. `injectable`: no restricted or flagged memories; `past`: also ended ones."""

    def search(
        self, sighting: WordMatches, meaning: Meaning | None, *, limit: int, filters: Filters = EVERYTHING
    ) -> list[FoundMemory]:
        """Return the best matches by word and by meaning, unordered; only vectors of the same model are compared."""

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
        """Return live memories, newest first. `injectable`: none restricted or flagged; `confirmed`: no candidates."""

    def count(self, viewer: Viewer | None = None) -> int:
        """Count the live memories that the viewer may see; without a viewer, all."""


class KeepsMemories(Protocol):
    def transaction(self) -> AbstractContextManager[None]:
        """Open one transaction: all of it is stored, or nothing."""

    def give_way(self) -> None:
        """Let waiting writers go first, between two of many transactions."""

    def get(self, memory_id: MemoryId) -> Memory | None:
        """Return a memory, also a replaced one, or a forgotten one that is not deleted yet."""

    def with_prefix(self, prefix: str, *, limit: int) -> list[Memory]:
        """Return the memories whose id begins so, ordered by id."""

    def find_same(self, draft: Draft, *, past: bool = False, kinds: Collection[Kind] = ()) -> Memory | None:
        """Return the live memory with these words, kind and scope; else an ended one (`past`), or of other `kinds`."""

    def find_similar(self, draft: Draft, words: Collection[str], *, limit: int) -> list[Memory]:
        """Return live memories of the same scope that share words with the draft, those with the rarest words first."""

    def to_review(self, *, limit: int) -> list[Memory]:
        """Return live memories that are flagged or contradict others, the newest first."""

    def add(self, memory: Memory) -> None: ...

    def update(self, memory: Memory) -> None:
        """Replace the memory with this id."""

    def find_readable(self, memories: Collection[MemoryId]) -> list[Memory]:
        """Return the memories without those that are damaged or do not exist."""

    def hide_damaged(self, memories: Collection[MemoryId], at: datetime | None) -> None:
        """Mark memories that cannot be read as forgotten, so that a repair does not bring them back; None: mark them as
        not forgotten."""

    def find_ended(self, memories: Collection[MemoryId]) -> list[Memory]:
        """Return those of the memories that are no longer valid, or forgotten and not deleted yet."""

    def find_edited(self, since: Mapping[MemoryId, datetime]) -> list[Memory]:
        """Return those of the memories that are valid and whose text a person has edited since then."""

    def find_ended_in_sessions(self, sessions: Collection[SessionId]) -> list[Memory]:
        """Return memories from these sessions that are no longer valid, or forgotten and not deleted yet."""

    def revision(self) -> str:
        """Return a value that changes with every change of a memory or a recap."""

    def everything(self, project: ProjectId | None = None) -> Iterator[Memory]:
        """Yield all memories that are not forgotten, of all projects or of one, oldest first."""

    def predecessors(self, memory_id: MemoryId) -> list[Memory]: ...


class SearchableMemories(FindsMemories, KeepsMemories, Protocol):
    """The needs of a moment that chooses memories."""


class KeepsHistory(Protocol):
    def proposals(self) -> list[Change]:
        """Return undecided proposals of agents to forget a memory, newest first; `memory` in the detail is its id."""

    def begin_change(
        self, kind: ChangeAction, at: datetime, by: str, detail: Mapping[str, Any] | None = None
    ) -> ChangeId: ...

    def note_memory_change(self, change_id: ChangeId, memory_id: MemoryId, before: Memory | None) -> None:
        """Record a memory that a change is about to modify; `before` is None if it does not exist yet."""

    def note_undone(self, change_id: ChangeId, by: ChangeId | None) -> None:
        """Mark a change as undone; None: it applies again."""

    def find_change(self, change_id: ChangeId) -> Change | None: ...

    def recent_changes(self, *, limit: int) -> list[Change]:
        """Return the last changes, newest first."""

    def last_undoable(self) -> Change | None:
        """Return the newest change by a person that is not undone and is no undo itself."""

    def find_forgotten_projects(self) -> list[Change]:
        """Return the changes that forgot a project which is not deleted yet."""

    def memory_changes_in(self, change_id: ChangeId) -> list[MemoryChange]: ...
    def memory_changes_of(self, memory_id: MemoryId) -> list[MemoryChange]: ...
    def edits(self) -> list[MemoryChange]: ...

    def find_changed_since(self, change_id: ChangeId, memories: Collection[MemoryId]) -> list[MemoryId]:
        """Return those of the memories that a later change has modified too, unless that was undone."""


class Forgets(Protocol):
    def find_forgotten_before(self, moment: datetime) -> list[MemoryId]:
        """Return memories that were forgotten then or earlier, and are not deleted yet."""

    def purge(self, memories: Collection[MemoryId]) -> list[str]:
        """Delete memories, history and every quotation. Return the texts; their messages are never stored again."""

    def count_erasures(self) -> Erasures:
        """Text that was read at a lower count may be gone for good: compare the count again in the transaction that stores
        something of it."""

    def delete_session(self, session: SessionId) -> bool:
        """Delete its row, log, turns, events and recap, and lines about it in other blocks. False: it is unknown."""

    def delete_sessions(self, sessions: Collection[SessionId]) -> None:
        """Delete several sessions together. An opt-out from capture is remembered."""

    def erase_project(self, project: ProjectId) -> None:
        """Delete all aliases of a project, and the changes that name it."""

    def scrub(self, texts: Collection[str] = ()) -> bool:
        """Remove deleted text from index, log and backups. True: nothing is left. With the deleted `texts`, quicker."""


class KeepsTurns(Protocol):
    def add_turns(self, turns: Iterable[Turn], *, only_new: bool = False) -> int:
        """Archive turns. Return how many were new. A known message is replaced, or with `only_new` left alone."""

    def look_up_turns(
        self,
        words: Sequence[str],
        project: ProjectId | None,
        *,
        filters: Filters = EVERYTHING,
        running: Collection[SessionId] | None = None,
    ) -> TurnMatches:
        """Find where the words occur in all turns of a project. `running`: only turns that may be quoted in these
        sessions: none of their own, and no unanswered question."""

    def turn_cosines(self, turns: TurnMatches, meaning: Meaning) -> "Reals | None":
        """Return the cosine of each turn in its context; NaN: no vector yet. None: no turn has one."""

    def passage_cosines(self, numbers: Sequence[int], vector: Vector) -> list[tuple[float, ...]]:
        """Return the cosines of the passages of each turn; empty for a turn without vectors."""

    def passage_vectors(self, which: Mapping[int, int]) -> dict[int, Vector]:
        """Return, for each turn, the vector of the passage with this index, if there is one."""

    def turns(self, numbers: Sequence[int]) -> list[Turn | None]:
        """Return the turns in this order; None: deleted or damaged."""

    def turns_until(self, session: SessionId, message: MessageId, *, limit: int) -> list[Turn]:
        """Return this message and those before it, in order; empty: it is not in the archive."""

    def turns_of(self, session: SessionId) -> list[Turn]:
        """Return the turns of a session in order, without damaged ones."""

    def has_turns(self, session: SessionId) -> bool: ...

    def drop_turns_before(self, moment: datetime) -> int:
        """Return how many were dropped."""


class KeepsMarks(Protocol):
    def find_mark(self, source: str) -> Mark | None:
        """Return how far this transcript was read; None: never."""

    def keep_mark(self, mark: Mark) -> None: ...


class KeepsVectors(Protocol):
    def giving_up_after(self, wait_ms: int) -> AbstractContextManager[None]:
        """Raise StoreBusy after this wait inside the block, for work that is not worth waiting for."""

    def count_missing_vectors(self, model: ModelId | None) -> MissingVectors:
        """Count memories and turns without a vector separately; None: without a vector of any model."""

    def next_unembedded(self, model: ModelId, *, limit: int) -> list[UnembeddedItem]:
        """Return items without a vector, memories before turns, newest first. With a new model, all wait again."""

    def keep_vectors(self, model: ModelId, made: Sequence[EmbeddedItem]) -> None:
        """Store vectors; an item that changed meanwhile keeps waiting."""


class KnowsProjects(Protocol):
    def find_by_aliases(self, aliases: Collection[ProjectId]) -> Mapping[ProjectId, frozenset[ProjectId]]:
        """Return the projects of each of these aliases that is known."""

    def aliases_of(self, project: ProjectId) -> frozenset[ProjectId]:
        """Return all aliases of a project; empty: the project is unknown."""

    def has_memories(self, project: ProjectId) -> bool:
        """Return True if it has memories, even without an alias: a file may have brought them."""

    def note_aliases(self, project: ProjectId, aliases: Collection[ProjectId], at: datetime) -> None:
        """Add aliases to a project; a path, remote or name of another project moves over."""


class KeepsProjects(KnowsProjects, Protocol):
    def drop_aliases(self, project: ProjectId, aliases: Collection[ProjectId]) -> None: ...

    def projects(self) -> list[ProjectFacts]:
        """Return all projects, the last used first."""

    def memory_ids_in(self, project: ProjectId) -> list[MemoryId]:
        """Return the ids of its memories, also of replaced and forgotten ones."""

    def session_ids_in(self, project: ProjectId) -> list[SessionId]: ...

    def hidden_sessions(self) -> list[tuple[ProjectId, SessionId]]:
        """Return the sessions of forgotten projects, each with the id under which it is hidden."""

    def holdings(self) -> list[StoredCounts]:
        """Return how much is stored for each project and outside of all, the last used first."""

    def move_sessions(self, sessions: Collection[SessionId], project: ProjectId) -> None: ...


class WritesMemories(KeepsMemories, KeepsHistory, Protocol):
    """The needs of the write path."""


class KeepsChores(Protocol):
    def chore_state(self, name: str) -> str | None:
        """Return the state that the chore was last finished in; None: never."""

    def finish_chore(self, name: str, state: str) -> None: ...

    def find_replaced(self) -> list[Memory]:
        """Return the replaced memories that are not forgotten."""

    def back_up(self) -> None:
        """Copy the database, as an upgrade does before it changes something."""

    def rescan_some(self) -> bool:
        """Scan some more stored rows for secrets, with the rules of this version. False: all are scanned."""

    def rescan_state(self) -> Finding | None:
        """Return how far the scan is; None: it has not begun."""


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
    """The whole database."""

    def copy_in_memory(self) -> "AbstractContextManager[Store]":
        """Open a copy in memory, for trials; other writers do not wait for it."""

    @property
    def is_read_only(self) -> bool: ...

    @property
    def is_there(self) -> bool:
        """False: the file was moved or deleted while it was open."""

    def check(self) -> list[Finding]:
        """Return the problems of the database, or one line that all is fine."""

    def mend(self) -> list[Finding]:
        """Rebuild what can be rebuilt from the rows. Return what was done."""


class Embeds(Protocol):
    """Turns texts into vectors. The same text always gets the same vector."""

    @property
    def model(self) -> ModelId: ...
    def embed(self, text: str) -> Vector: ...

    def embed_question(self, text: str) -> Vector:
        """Embed a question; the result is cached."""

    def knows(self, word: str) -> bool:
        """Return True for a word of the language, which is hardly a typing error. `word` is in lower case."""


class LoadsModel(Protocol):
    @property
    def problem(self) -> ModelError | None:
        """Why there is no model."""

    def __call__(self) -> Embeds | None:
        """Return the model; None: there is none, or it is not loaded yet."""


class ReadsFolders(Protocol):
    def place_of(self, folder: str) -> FolderFacts:
        """Return the facts of a folder about its project; quick, runs no program."""

    def root_commit(self, folder: str) -> ProjectId | None:
        """Return `root:HASH` of the repository around the folder, if git knows it; runs git."""

    def language_of(self, folder: str) -> str | None:
        """Return the main language of the project, as in `language:go`; quick, runs no program."""

    def branch_of(self, folder: str) -> str | None:
        """Return the checked-out branch; quick, runs no program."""


class SeesFiles(Protocol):
    """Reads files inside of a project's root, never outside of it. Runs no program."""

    def check_files(self, root: str, anchors: Sequence[Anchor], *, asked: bool) -> list[SeenFile]:
        """Return the current state of each file. Unless a person `asked`, a prompt waits: slow answers are "unknown"."""

    def add_hash(self, root: str, anchor: Anchor) -> Anchor:
        """Add the current hash of the file; unchanged if it has one, or if there is no such file."""

    def anchor(self, root: str, folder: str, path: str) -> Anchor:
        """Make an anchor for a path given from a folder, with its current hash; InvalidValue: it cannot be used."""


class SettingsFor(Protocol):
    """Returns the settings of a folder; None: those without a folder."""

    def __call__(self, folder: str | None) -> Settings: ...


class MonotonicClock(Protocol):
    """A monotonic clock in seconds, for durations only."""

    def __call__(self) -> float: ...
