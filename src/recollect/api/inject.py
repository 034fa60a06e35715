"""Answers one event of a session with a block. The event is recorded and learnt from like that of any host."""

import time
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

from recollect.api.fresh_vectors import Bulk, embed_briefly
from recollect.api.operation import Operation, OperationContext, Request
from recollect.domain.errors import StoreError
from recollect.domain.event import Asked, Event, Prompt, ToolFailed
from recollect.domain.injection import Injection
from recollect.hosts.script import event_of

if TYPE_CHECKING:  # a client of the daemon never loads it
    from recollect.engine.engine import Engine

LEARN_S = 5.0  # enough for one event
LEARNT_AT_ONCE = 20
# One thread at a time learns: each event of a session must be heard once. One lock per process, which has one live engine;
# in tests with several engines, they wait for each other. `pipe` and `capture` have an engine of their own and need none.
_one_learner = Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class Inject(Request):
    event: dict[str, Any]  # in the form of the pipe; without `folder` and `project`, this folder counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Injected:
    injection: Injection
    took_ms: float


def inject(desk: OperationContext, asked: Inject) -> Injected:
    event = _read_event(desk, asked)
    _embed_new_memories(desk, event)
    injected = _answer(desk, event)
    _learn(desk)
    return injected


def rehearse(desk: OperationContext, asked: Inject) -> Injected:
    event = _read_event(desk, asked)
    _embed_new_memories(desk, event)
    with desk.engine.dry_run():
        return _answer(desk, event)


def _read_event(desk: OperationContext, asked: Inject) -> Event:
    fields = asked.event
    if not fields.get("folder") and not fields.get("project"):
        fields = {**fields, "folder": asked.folder}
    return event_of(fields, desk.now, host=asked.by)


def _embed_new_memories(desk: OperationContext, event: Event) -> None:
    """Let the search find what was taught a moment ago by its meaning."""
    if not isinstance(event, Prompt | ToolFailed | Asked):
        return
    loaded = desk.model()
    if loaded is not None:
        embed_briefly(desk.engine, Bulk(model=loaded.model, turns=False), has_background=desk.is_resident)


def _answer(desk: OperationContext, event: Event) -> Injected:
    began = time.perf_counter()
    injection = desk.live.handle(event)  # in a daemon, the engine of the live sessions: it knows their blocks
    return Injected(injection=injection, took_ms=(time.perf_counter() - began) * 1000)


def _learn(desk: OperationContext) -> None:
    """Learn from the event before the caller looks; if much waits, the background does the rest."""
    give_up = time.perf_counter() + LEARN_S
    with suppress(StoreError):  # another process writes, or the disk is full: the event waits
        if desk.live.count_waiting_events():
            desk.model()  # load it: learning compares meanings
        while time.perf_counter() < give_up and learn_some(desk.live):
            pass


def learn_some(engine: "Engine", *, limit: int = LEARNT_AT_ONCE) -> int:
    """Return the number of events learnt from; 0: nothing waits, and no other thread is learning."""
    with _one_learner:
        return engine.learn_some(limit=limit)


INJECT = Operation("inject", "Answers one event of a session.", Inject, Injected, inject, writes=True)
# Never through a daemon: its rollback would undo the work of other clients too.
REHEARSE = Operation("rehearse", "Answers an event and stores nothing.", Inject, Injected, rehearse)
