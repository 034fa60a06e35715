"""How it goes with the daemon, in figures. Never what anybody said."""

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
    """Memories that became candidates with an upgrade."""

    deed: int  # which `undo` takes back
    memories: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonStatus:
    version: str
    pid: int
    uptime_s: float
    requests: int
    memory_mb: float  # what it holds in main memory
    memories: int
    to_review: int
    candidates: int
    to_learn: int  # events that wait to be learnt from
    unwritten: int  # events that wait in memory: the disk takes nothing
    dropped: int  # events that are lost: memory had no room for them either
    taken_back: int | None  # the deed that took back what an older version had ended in doubt
    put_back: PutBack | None  # captured memories that today's rules would not confirm
    to_embed: int  # memories and turns that wait for their meaning
    secrets: str | None  # how far what is kept was looked at with the rules of this version; None: not begun
    extractor: str | None  # None: no language model reads sessions
    model: str
    read_only: bool  # the database can be read but not written: nothing is learnt
    pauses: list[Pause]  # those that are on: nothing is captured or injected
    usage: list[MomentUsage]  # what the blocks of each moment came to
    last_errors: list[Noted]  # of this daemon's life, the newest last


def build_status(engine: Engine, model: str, uptime_s: float, requests: int) -> DaemonStatus:
    waiting = engine.waiting(None)
    return DaemonStatus(
        version=__version__,
        pid=os.getpid(),
        uptime_s=round(uptime_s, 1),
        requests=requests,
        memory_mb=memory_mb(),
        memories=engine.count(),
        to_review=len(engine.cases()),
        candidates=len(engine.candidates()),
        to_learn=engine.to_learn(),
        unwritten=engine.unwritten,
        dropped=engine.dropped,
        taken_back=_change_taken_back(engine),
        put_back=_memories_put_back(engine),
        to_embed=waiting.memories + waiting.turns,
        secrets=engine.looked_again(),
        extractor=_extractor(engine),
        model=model,
        read_only=engine.is_read_only,
        pauses=[*engine.pauses.on()],
        usage=engine.log.usage(),
        last_errors=[*last_errors()],
    )


def _change_taken_back(engine: Engine) -> int | None:
    deed = engine.taken_back()
    return None if deed is None else deed.id


def _memories_put_back(engine: Engine) -> PutBack | None:
    deed = engine.put_back()
    return None if deed is None else PutBack(deed=deed.id, memories=deed.memories)


def _extractor(engine: Engine) -> str | None:
    """How it goes with the language model that reads sessions too."""
    try:
        extractor = engine.extractor()
    except RecollectError as error:
        return str(error)
    return None if extractor is None else str(extractor.state)
