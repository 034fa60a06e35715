"""The context of one request: the folder it comes from, the settings that apply there, and what it may use."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from recollect.domain.settings import Settings
from recollect.engine.learning_ports import ReadsExchanges
from recollect.engine.live import Live
from recollect.engine.pausing import KnowsPauses
from recollect.engine.ports import LoadsModel, MonotonicClock, ReadsFolders, SeesFiles, Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The settings, ports and state that a use case may use for one request."""

    folder: str | None  # of the caller; None: outside of every folder
    now: datetime
    settings: Settings  # of the folder, resolved once
    store: Store
    model: LoadsModel
    folders: ReadsFolders
    files: Callable[[], SeesFiles]  # opened only when a memory has files to check
    pauses: KnowsPauses
    seconds: MonotonicClock  # for durations
    extractor: Callable[[], ReadsExchanges | None]
    live: Live
    is_resident: bool  # True in the daemon: its background tidies and embeds, so that no caller waits for that
    answers_paused: bool = False  # during a pause: nothing new is shown
