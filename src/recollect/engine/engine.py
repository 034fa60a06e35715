"""The engine of one process: its ports, and the state of its live sessions. The use cases are functions in `moments`,
`memories` and `learning`: each takes the context of one request, or the engine if it works for many folders."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime

from recollect.engine.anchoring import NoFiles
from recollect.engine.context import Context
from recollect.engine.learning_ports import ReadsExchanges
from recollect.engine.live import Live
from recollect.engine.pausing import NO_PAUSES, KnowsPauses
from recollect.engine.ports import (
    Embeds,
    KeepsMemories,
    LoadsModel,
    MonotonicClock,
    ReadsFolders,
    SeesFiles,
    SettingsFor,
    Store,
)


class NoModel:
    """No embedding model: memories are searched by words only."""

    problem = None

    def __call__(self) -> Embeds | None:
        return None


NO_MODEL = NoModel()


class LoadedModel:
    """A model that is there already."""

    problem = None

    def __init__(self, embeds: Embeds) -> None:
        self._embeds = embeds

    def __call__(self) -> Embeds | None:
        return self._embeds


def no_extractor() -> ReadsExchanges | None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    store: Store
    settings_for: SettingsFor
    folders: ReadsFolders
    seconds: MonotonicClock
    model: LoadsModel = NO_MODEL
    files: Callable[[], SeesFiles] = NoFiles
    extractor: Callable[[], ReadsExchanges | None] = no_extractor
    pauses: KnowsPauses = NO_PAUSES
    is_resident: bool = False  # True in the daemon: its background tidies and embeds
    live: Live = field(default_factory=Live)

    def context(self, folder: str | None, now: datetime, *, model: LoadsModel | None = None) -> Context:
        """Return the context of one request. `model`: instead of the engine's, for a caller that can wait for it."""
        return Context(
            folder=folder,
            now=now,
            settings=self.settings_for(folder),
            store=self.store,
            model=model or self.model,
            folders=self.folders,
            files=self.files,
            pauses=self.pauses,
            seconds=self.seconds,
            extractor=self.extractor,
            live=self.live,
            is_resident=self.is_resident,
        )

    def for_trial(self, store: Store) -> "Engine":
        """Return an engine with a new `Live`: a trial must not write the events that wait in `live.unwritten`."""
        return replace(self, store=store, live=Live(), is_resident=False)

    @contextmanager
    def dry_run_copy(self) -> "Iterator[Engine]":
        """For long trials: an engine on a copy in memory, so that no other writer waits."""
        with self.store.copy_in_memory() as copy:
            yield self.for_trial(copy)


class _Rollback(Exception):
    """Raised to discard everything that a transaction wrote."""


@contextmanager
def dry_run(store: KeepsMemories) -> Iterator[None]:
    """Discard whatever is written inside. Other writers wait meanwhile: for long trials use `Engine.dry_run_copy`."""
    try:
        with store.transaction():
            yield
            raise _Rollback
    except _Rollback:
        pass
