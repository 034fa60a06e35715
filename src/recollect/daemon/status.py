"""The daemon's state in numbers, without content."""

import os
from dataclasses import dataclass

from recollect import __version__
from recollect.daemon.log import Noted, last_errors
from recollect.domain.errors import RecollectError
from recollect.domain.injection import MomentUsage
from recollect.domain.pause import Pause
from recollect.engine.engine import Engine
from recollect.system import memory_mb


@dataclass(frozen=True, slots=True, kw_only=True)
class PutBack:
    """Memories that an upgrade turned back into candidates."""

    deed: int  # the change that `undo` reverts
    memories: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonStatus:
    version: str
    pid: int
    uptime_s: float
    requests: int
    memory_mb: float  # main memory in use
    memories: int
    to_review: int
    candidates: int
    to_learn: int  # events that wait to be learnt from
    unwritten: int  # events that wait in memory because the disk is full
    dropped: int  # events that are lost because memory had no room either
    taken_back: int | None  # the change that restored memories which an older version had replaced in doubt
    put_back: PutBack | None  # captured memories that today's rules do not confirm
    to_embed: int  # memories and turns without a vector
    secrets: str | None  # progress of the search for secrets with the rules of this version; None: not started
    extractor: str | None  # None: off
    model: str
    ending: bool  # it was asked to stop and will be gone in a moment
    read_only: bool  # the database cannot be written: nothing is learnt
    pauses: list[Pause]  # active ones: nothing is captured or injected
    usage: list[MomentUsage]  # tokens and blocks of each moment
    last_errors: list[Noted]  # since this daemon started, the newest last


def build_status(engine: Engine, model: str, uptime_s: float, requests: int, *, ending: bool) -> DaemonStatus:
    from recollect.engine.upkeep import read_figures  # loads much that an idle daemon does not need

    figures = read_figures(engine.store)
    restored, demoted = figures.restored, figures.demoted
    unwritten = engine.live.unwritten
    rescan = engine.store.rescan_state()
    return DaemonStatus(
        version=__version__,
        pid=os.getpid(),
        uptime_s=round(uptime_s, 1),
        requests=requests,
        memory_mb=memory_mb(),
        memories=figures.memories,
        to_review=figures.to_review,
        candidates=figures.candidates,
        to_learn=figures.to_learn,
        unwritten=len(unwritten.events),
        dropped=unwritten.dropped,
        taken_back=None if restored is None else restored.id,
        put_back=None if demoted is None else PutBack(deed=demoted.id, memories=demoted.memories),
        to_embed=figures.to_embed,
        secrets=None if rescan is None else rescan.says,
        extractor=_extractor(engine),
        model=model,
        ending=ending,
        read_only=engine.store.is_read_only,
        pauses=[*engine.pauses.on()],
        usage=figures.usage,
        last_errors=[*last_errors()],
    )


def _extractor(engine: Engine) -> str | None:
    try:
        extractor = engine.extractor()
    except RecollectError as error:
        return str(error)
    return None if extractor is None else str(extractor.state)
